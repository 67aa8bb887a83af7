group "default" {
  targets = ["inner", "b"]
}
group "inner" {
  targets = ["a", "b"]
}
group "double" {
  targets = ["b", "inner", "default"]
}
group "replaced" {
  targets = ["a"]
}
group "replaced" {
  targets = ["b"]
}
group "same" {
  targets = [for name in ["a", "b"] : name]
}
target "a" { tags = ["a"] }
target "b" { tags = ["b"] }
