target "default" { tags = "a" }
