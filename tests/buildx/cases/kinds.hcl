variable "NUMBER" { default = 3.10 }
variable "INTEGER" { default = 7 }
variable "BOOL" { default = true }
variable "TEXT" { default = "3.10" }
target "default" {
  args = {
    NUMBER  = NUMBER
    INTEGER = INTEGER
    BOOL    = BOOL
    TEXT    = TEXT
    SUM     = INTEGER + 0.5
    CHOICE  = BOOL ? "yes" : "no"
    TEXTED  = "${NUMBER}-${BOOL}"
  }
}
