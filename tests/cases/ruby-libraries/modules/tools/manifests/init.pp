class tools($size = [1], $kind = undef) {
  notify { 'class': message => tools::own() }
}
