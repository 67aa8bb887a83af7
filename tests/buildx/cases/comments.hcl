# a comment
// another
/* and
   one over lines */ target "default" { /* inside */
  tags = ["a"] # behind
  args = {
    A = "1", // a comma
    "B" : "2"
    C = [
      "x",   # a member
      "y",
    ][1]
  }
}
target unquoted {
  tags = ["u"]
}
variable "ONE" { default = "line" }
