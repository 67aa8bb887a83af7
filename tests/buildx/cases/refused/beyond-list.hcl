target "default" { args = { A = ["a"][3] } }
