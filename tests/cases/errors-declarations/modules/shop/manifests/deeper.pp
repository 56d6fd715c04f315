define shop::deeper {
  if $title == 'now' {
    fail("${title} fails in ${module_name}")
  }
}
