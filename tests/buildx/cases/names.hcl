target "a_b-C9" { tags = ["x"] }
group "g-1" { targets = ["a_b-C9"] }
