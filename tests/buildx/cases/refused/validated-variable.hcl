variable "A" {
  default = "a"
  validation {
    condition     = A != ""
    error_message = "empty"
  }
}
target "default" { args = { A = A } }
