target "default" { contexts = { a = "target:b" } }
target "b" { contexts = { a = "target:default" } }
