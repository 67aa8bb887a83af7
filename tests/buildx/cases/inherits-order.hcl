target "a" {
  tags = ["a"]
  args = { A = "a" }
}
target "b" {
  inherits = ["a"]
  args     = { A = "b" }
}
target "c" {
  inherits = ["a"]
  args     = { C = "c" }
}
target "default" {
  inherits = ["b", "c"]
}
target "reversed" {
  inherits   = ["c", "b"]
  dockerfile = "D"
}
