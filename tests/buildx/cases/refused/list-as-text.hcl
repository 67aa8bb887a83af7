target "default" { args = { A = ["x"] } }
