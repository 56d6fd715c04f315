# Tags come from names, classes, defines, tag() and the metaparameter; aliases stand in for titles.
tag 'site-wide', 'x::y'
node default {
  tag('node_tag')
  class { 'web::server': tag => ['metaparam', 'Upper'] }
  web::vhost { 'www.example.com': tag => 'vhost_tag' }
  file { '/long/path/to/config': alias => 'config', ensure => file }
  notify { 'needs config': require => File['config'] }
  exec { 'run it': command => '/bin/true', alias => ['run', 'it'] }
  notify { 'after run': subscribe => Exec['it'] }
  package { 'named': name => 'real-name' }
  notify { "tagged: ${tagged('node_tag')} ${tagged('nope')} ${tagged('site-wide', 'nope')}": tag => "a-b.c:d" }
}
class web { notify { 'web': } }
class web::server { include web tag 'inside' notify { 'server': tag => 'own' } }
define web::vhost { notify { "vhost ${title}": } file { "/srv/${title}": ensure => directory } }
