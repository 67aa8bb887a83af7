variable "A" { default = "a" }
variable "NONE" {}
variable "EMPTY" { default = "" }
variable "LATER" { default = "${EARLIER}-x" }
variable "EARLIER" { default = "e" }
variable "NULL" { default = null }
target "default" {
  args = {
    A       = A
    NONE    = NONE
    EMPTY   = EMPTY
    LATER   = LATER
    NULL    = NULL
    QUOTED  = "${NULL}"
    BUILTIN = BAKE_CMD_CONTEXT
  }
  tags = ["r:${A}-${EMPTY}", "r:${LATER}", NONE]
}
