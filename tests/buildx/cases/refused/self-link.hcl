target "default" { contexts = { a = "target:default" } }
