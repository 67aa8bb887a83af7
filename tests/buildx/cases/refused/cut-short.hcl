target "default" {
  tags = ["x"
