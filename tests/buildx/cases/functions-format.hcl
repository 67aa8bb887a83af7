variable "V" { default = "x" }
target "default" {
  args = {
    format = format("%s-%d-%03d|%-5s|%5s|%t|%q|%v%%", V, "12", 7, "ab", "cd", true, "q\"", ["a", 1])
    number = format("%s", 1.50)
    minus  = format("%04d", -7)
    list   = jsonencode(formatlist("%s-%s", ["a", "b"], V))
    try    = try([1][3], V)
    can    = can([1][0])
    unset  = try(NOT_THERE, "fallback")
  }
}
