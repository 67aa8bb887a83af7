target "z" {
  cache-from = ["type=registry,ref=a", "type=registry,ref=b"]
  cache-to   = ["type=registry,ref=q"]
  platforms  = ["linux/amd64"]
  labels     = { a = "1", b = "2" }
  args       = { n = "1", kept = "k" }
  contexts   = { u = "docker-image://v", w = "docker-image://x" }
  tags       = ["z:1"]
  dockerfile = "Dockerfile.z"
  target     = "stage"
}
target "child" {
  inherits   = ["z"]
  cache-from = ["type=registry,ref=b", "type=registry,ref=c", ""]
  cache-to   = ["type=registry,ref=r"]
  tags       = ["child:1", "child:1", ""]
  labels     = { a = "3" }
  args       = { n = null }
  contexts   = { u = "" }
}
target "untagged" {
  inherits = ["z"]
}
target "nulls" {
  inherits   = ["z"]
  tags       = null
  dockerfile = null
  args       = null
  target     = null
}
target "emptied" {
  inherits = ["z"]
  tags     = []
  cache-to = []
}
