target "app" {
  name = "app-${py}-${replace(arch.name, ".", "-")}"
  matrix = {
    py   = ["312", "313"]
    arch = [{ name = "gfx950", code = "mi350" }, { name = "gfx12.01", code = "rx" }]
  }
  args = { PY = py, CODE = arch.code }
  tags = ["r:${py}-${arch.name}", "r:latest"]
}
target "one" {
  name   = "one"
  matrix = { x = ["1"] }
  args   = { X = x }
}
group "default" {
  targets = ["app"]
}
