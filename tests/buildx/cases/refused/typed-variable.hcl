variable "A" {
  type    = string
  default = "a"
}
target "default" { args = { A = A } }
