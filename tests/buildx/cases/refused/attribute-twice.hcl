x = "1"
x = "2"
target "default" { args = { A = x } }
