class bad_bracket {
  $x = [1, 2
}
