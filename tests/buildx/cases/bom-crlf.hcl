variable "A" {
  default = "a"
}
target "default" {
  args = {
    A = A
    B = "${A}b"
  }
}
