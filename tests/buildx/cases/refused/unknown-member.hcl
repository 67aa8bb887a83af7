group "default" { targets = ["nope"] }
