target "default" { args = { A = NOPE } }
