function "f" {
  params = [a]
  result = f(a)
}
target "default" { args = { A = f("x") } }
