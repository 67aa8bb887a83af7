function "f" {
  params = [a]
  result = a
}
target "default" { args = { A = f("x", "y") } }
