target "default" {
  name   = "x.${a}"
  matrix = { a = ["1"] }
}
