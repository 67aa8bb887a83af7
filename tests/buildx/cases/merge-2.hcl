variable "TAG" { default = "2" }
group "default" { targets = ["app", "more"] }
target "app" {
  args       = { B = "2-${KEPT}" }
  cache-from = ["type=inline"]
}
target "more" { tags = ["more:${TAG}"] }
