versions = ["3.12", "3.13", "3.14"]
archs    = { gfx950 = "mi350", gfx1201 = "rx9070" }
target "default" {
  args = {
    list     = jsonencode([for v in versions : "py${v}"])
    indexed  = jsonencode([for i, v in versions : "${i}:${v}"])
    filtered = jsonencode([for v in versions : v if v != "3.13"])
    object   = jsonencode({ for k, v in archs : v => k })
    grouped  = jsonencode({ for v in ["ab", "ac", "bd"] : substr(v, 0, 1) => v... })
    keys     = jsonencode([for k, v in archs : k])
    nested   = jsonencode([for v in versions : [for k, a in archs : "${v}-${a}"]])
  }
  tags = [for v in versions : "r:${v}"]
}
