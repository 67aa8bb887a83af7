target "default" {
  name   = "x"
  matrix = { a = ["1", "2"] }
}
