target "default" { args = { A = jsonencode({ for v in ["a", "a"] : v => v }) } }
