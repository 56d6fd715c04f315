define tools::thing($one, $two = 2, $three = undef) {
  notify { "thing ${name}": message => tools::own('two') }
}
