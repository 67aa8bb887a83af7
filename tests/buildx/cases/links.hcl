target "base" {
  tags = ["base"]
}
target "middle" {
  contexts = { base = "target:base" }
}
target "app" {
  contexts = {
    middle = "target:middle"
    image  = "docker-image://alpine:3"
    folder = "./src"
  }
  tags = ["app"]
}
group "default" {
  targets = ["app"]
}
