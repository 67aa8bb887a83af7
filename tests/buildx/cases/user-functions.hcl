variable "REGISTRY" { default = "registry.example" }
variable "SHA" { default = "" }
function "image" {
  params = [name, tag]
  result = "${REGISTRY}/${name}:${tag}"
}
function "tags" {
  params          = [name]
  variadic_params = versions
  result          = concat([for v in versions : image(name, v)], SHA == "" ? [] : [image(name, "g${SHA}")])
}
function "shadow" {
  params = [REGISTRY]
  result = upper(REGISTRY)
}
function "maybe" {
  params = []
  result = notequal("", SHA)
}
target "default" {
  tags = tags("app", "1.0", "latest")
  args = {
    IMAGE  = image("base", "3")
    SHADOW = shadow("x")
    MAYBE  = maybe()
    SPREAD = image(["a", "b"]...)
    INLOOP = join(",", [for REGISTRY in ["q"] : image("i", "1")])
  }
}
