target "default" {
  args = {
    plus     = 0.5 + 0.25
    minus    = 1 - 3
    times    = 2.5 * 4
    over     = 7 / 4
    fifths   = 7 / 5
    rest     = -7 % 3
    fraction = 7.5 % 2
    text     = "1" + 1
    ordered  = 1 + 2 * 3 - (4 - 1)
    less     = 1 < 2
    atmost   = 2 <= "2"
    more     = 3 > 4
    atleast  = 4 >= 4
    equal    = 1 == 1.0
    kinds    = 1 == "1"
    unequal  = "a" != "b"
    nulls    = null == null
    null     = "a" == null
    both     = "true" && true
    either   = false || true
    not      = !false
    nottext  = !"true"
    negative = -"3"
    big      = 1234567890123456789012
    power    = 1e3
    small    = 1.5e-3
    zeros    = 1.0
    chain    = true && !false || false
  }
}
