target "default" { args = { A = jsonencode(true ? 1 : true) } }
