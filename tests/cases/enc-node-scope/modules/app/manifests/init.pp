class app {
  notify { "app: ${role} ${colour} ${own} ${site} ${environment} ${facts['role']} ${::colour}": }
}
