variable "TAG" { default = "1" }
variable "KEPT" { default = "k" }
group "default" { targets = ["app"] }
target "app" {
  tags       = ["r:${TAG}"]
  args       = { A = "1", B = "1" }
  cache-from = ["type=gha"]
}
