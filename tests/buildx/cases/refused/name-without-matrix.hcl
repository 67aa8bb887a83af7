target "default" { name = "x" }
