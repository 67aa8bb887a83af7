images = [{ name = "a", tags = ["1", "2"] }, { name = "b", tags = ["3"] }]
target "default" {
  args = {
    full   = jsonencode(images[*].name)
    legacy = jsonencode(images.*.name)
    deep   = jsonencode(images[*].tags[0])
    null   = jsonencode(null[*])
    single = jsonencode("x"[*])
    index  = images[1].name
    text   = images["0"].name
    last   = images.1.name
  }
}
