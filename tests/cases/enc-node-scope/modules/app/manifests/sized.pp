class app::sized($size = 1) {
  notify { "sized ${size}: ${colour} ${own}": }
}
