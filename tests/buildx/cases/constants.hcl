version = "1.2"
full    = "${version}-${SUFFIX}"
list    = ["x", "y"]
map = {
  a = "1"
  b = { c = "2" }
}
variable "SUFFIX" { default = "s" }
target "default" {
  args = {
    FULL   = full
    FIRST  = list[0]
    INNER  = map.b.c
    KEYED  = map["a"]
    JOINED = join("+", list)
  }
}
