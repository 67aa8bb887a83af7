target "a" {
  tags       = ["r/a:1", "r/a:latest"]
  dockerfile = "Dockerfile.a"
  args       = { Q = "q" }
}
target "default" {
  args = {
    FIRST = target.a.tags[0]
    ALL   = join(",", target.a.tags)
    FILE  = target.a.dockerfile
    NAME  = target.a.name
    ARG   = target.a.args.Q
    UNSET = target.a.context
    SELF  = target.default.tags[0]
  }
  tags = ["r/default:1"]
}
