class r(
  $a = 1,
  String $b = 'x'
) { }
