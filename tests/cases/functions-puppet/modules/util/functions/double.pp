# Doubles a number.
function util::double(Numeric $n) >> Numeric {
  $n * 2
}
