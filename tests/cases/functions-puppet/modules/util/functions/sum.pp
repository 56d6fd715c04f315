function util::sum(Numeric *$n) { $n.reduce(0) |$a, $b| { $a + $b } }
