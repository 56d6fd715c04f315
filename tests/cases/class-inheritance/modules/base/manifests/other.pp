class base::other inherits base {
  notify { "other sees ${shared} and ${base::mode}": }
}
