target "own" {
  args = { SOURCE_DATE_EPOCH = "1" }
}
target "plain" {
  tags = ["p"]
}
