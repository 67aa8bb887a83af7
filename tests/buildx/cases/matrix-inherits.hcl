variable "x" { default = "global" }
targets = ["1", "2"]
target "base-1" { tags = ["one"] }
target "base-2" { tags = ["two"] }
target "m" {
  name     = "m-${x}"
  matrix   = { x = targets }
  inherits = ["base-${x}"]
  args     = { X = x }
}
target "reader" {
  args = { TAG = target.n-b.tags[0], GLOBAL = x }
}
target "n" {
  name   = "n-${y}"
  matrix = { y = ["a", "b"] }
  tags   = ["n:${y}"]
}
