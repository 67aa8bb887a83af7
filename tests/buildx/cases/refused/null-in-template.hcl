target "default" { args = { A = "a${null}b" } }
