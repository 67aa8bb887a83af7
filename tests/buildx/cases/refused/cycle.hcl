variable "A" { default = "${B}" }
variable "B" { default = "${A}" }
target "default" { args = { A = A } }
