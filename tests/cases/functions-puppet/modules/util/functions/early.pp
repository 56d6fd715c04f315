function util::early(Array $xs) {
  $xs.each |$x| { if $x < 0 { return("negative ${x}") } }
  'all positive'
}
