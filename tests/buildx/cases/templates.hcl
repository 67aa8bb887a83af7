variable "A" { default = "a" }
target "default" {
  args = {
    escapes   = "tab\tquote\"back\\slash\u00e9"
    dollars   = "$${x} %%{y} $x $$x %x"
    directive = "%{ if A == "a" }yes%{ else }no%{ endif }"
    loop      = "%{ for v in ["x", "y"] }<${v}>%{ endfor }"
    keyed     = "%{ for k, v in { b = 1, a = 2 } }${k}${v};%{ endfor }"
    stripped  = "a ${~ "b" ~} c"
    nested    = "${"${A}-${"b"}"}"
    single    = "${1}" == 1
    bool      = "is ${true}"
    heredoc   = <<EOT
first ${A}
  second\n $${x} "q"
EOT
    indented  = <<-EOT
        a
          b ${"c"}

        ${"d"}
    EOT
    tabs      = <<-EOT
		a
		  b
	EOT
    trimmed   = <<EOT
x
  %{ for v in ["a","b"] ~}
  - ${v}
  %{ endfor ~}
end

  ${~ "v" ~}

  y
EOT
  }
}
