group "default" {}
