function util::factorial(Integer[0] $n) {
  if $n < 2 { 1 } else { $n * util::factorial($n - 1) }
}
