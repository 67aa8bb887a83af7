target "default" {
  annotations       = ["a=b"]
  attest            = ["type=provenance,disabled=true"]
  context           = "ctx"
  contexts          = { c = "docker-image://x" }
  dockerfile        = "D"
  dockerfile-inline = <<EOT
FROM scratch
EOT
  args              = { A = 1, B = true, "q.x" = "y", (upper("k")) = "z" }
  labels            = { l = "v", n = null }
  tags              = [1, "t:x"]
  cache-from        = ["type=gha"]
  cache-to          = ["type=inline"]
  target            = "t"
  platforms         = ["linux/amd64", "linux/arm64"]
  output            = ["type=docker"]
  pull              = true
  no-cache          = "true"
  no-cache-filter   = ["z"]
  shm-size          = "128m"
}
