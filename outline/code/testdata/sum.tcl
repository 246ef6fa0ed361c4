# Adds.

proc add {a b} {
  proc inner {} {}
}
proc ns::two {} {}
