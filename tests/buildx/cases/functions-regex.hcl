target "default" {
  args = {
    whole   = regex("[0-9]+", "ab12c3")
    groups  = jsonencode(regex("(a)(x)?", "ab"))
    named   = jsonencode(regex("(?P<n>a)(?P<m>x)?", "ab"))
    all     = jsonencode(regexall("[0-9]", "a1b2"))
    replace = regex_replace("a1b2", "([a-z])([0-9])", "$2$1")
    longest = regex_replace("a1b2", "[a-z]", "$0x")
    braced  = regex_replace("a1b2", "[a-z]", "$${0}x")
    arch    = regex_replace("gfx950;gfx1201", "[^a-z0-9]+", "-")
    can     = can(regex("z", "a"))
    major   = regex("^v?([0-9]+)\\.", "v0.33.0")[0]
    anchor  = jsonencode(regexall("^a$", "a\na"))
  }
}
