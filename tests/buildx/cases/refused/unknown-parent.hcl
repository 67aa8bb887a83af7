target "default" { inherits = ["nope"] }
