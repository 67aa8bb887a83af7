target "default" { args = { A = "a
b" } }
