target "default" { tags = ["a", null] }
