variable "ARCH" { default = "gfx950" }
cards = {
  gfx950  = { name = "mi350", generic = "gfx9-4-generic" }
  gfx1201 = { name = "rx9070", generic = "gfx12-generic" }
}
card = lookup(cards, ARCH, { name = "unknown", generic = "" })
target "default" {
  args = {
    NAME    = card.name
    GENERIC = card.generic
    FAMILY  = regex("^gfx([0-9]+)[0-9a-f]{2}$", ARCH)[0]
  }
  tags = compact(["r:${ARCH}", card.generic != "" ? "r:${card.generic}" : ""])
}
