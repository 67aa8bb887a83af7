target "a.b" { tags = ["x"] }
