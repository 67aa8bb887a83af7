target "default" { args = { A = nope("x") } }
