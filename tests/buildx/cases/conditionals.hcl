variable "DEBUG" { default = false }
variable "VERSION" { default = "1" }
target "default" {
  args = {
    plain   = DEBUG ? "debug" : "release"
    mixed   = DEBUG ? 1 : "a"
    isText  = (true ? 1 : "a") == "1"
    nested  = VERSION == "1" ? "one" : VERSION == "2" ? "two" : "many"
    null    = DEBUG ? "x" : null
    other   = true ? "fine" : [1][4]
    lists   = jsonencode(true ? [1] : ["a", "b"])
    objects = jsonencode(true ? { a = 1 } : { b = "x" })
    empty   = jsonencode(DEBUG ? ["x"] : [])
  }
  tags = DEBUG ? ["r:debug"] : ["r:${VERSION}", "r:latest"]
}
