target "default" {
  tags = ["a"]
  args = { x = "1", y = "1" }
  cache-from = ["type=gha"]
}
target "default" {
  args = { y = "2" }
  cache-from = ["type=inline"]
}
variable "V" { default = "first" }
variable "V" { default = "second" }
target "v" {
  args = { V = V }
}
