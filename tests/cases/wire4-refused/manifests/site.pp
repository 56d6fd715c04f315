# Catalogs that compile and that PuppetDB's terminus refuses.
define foo_bar() { }
node 'format.example.com' {
  file { '/x': }
  notify { 'n': require => 'file[/x]' }
}
node 'typo.example.com' {
  service { 'x': }
  foo_bar { 'x': }
  notify { 'n': before => [Service['x'], 'foo_bar[x]'] }
}
node 'composite.example.com' {
  package { 'a': name => 'b' }
  notify { 'n': subscribe => Package['b'] }
}
node 'exported.example.com' {
  @@file { '/x': }
  notify { 'n': notify => File['/x/'] }
}
node 'root.example.com' {
  file { '/': ensure => directory }
  notify { 'n': require => File['/'] }
}
