function "f" {
  params = [a]
  result = "${q}"
}
target "default" { args = { A = [for q in ["z"] : f("x")][0] } }
