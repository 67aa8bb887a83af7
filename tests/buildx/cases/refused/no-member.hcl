target "default" { args = { A = { a = 1 }.b } }
