target "default" { args = { A = upper(null) } }
