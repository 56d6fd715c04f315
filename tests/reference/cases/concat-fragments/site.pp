# One file of many fragments: iteration, ordering, ensure, targets, a define of our own.
define motd::line(String $text, Integer $weight = 50) {
  concat::fragment { "motd ${title}":
    target  => '/etc/motd',
    content => "${text}\n",
    order   => $weight,
  }
}

concat { '/etc/motd':
  owner          => 'root',
  group          => 'root',
  mode           => '0644',
  warn           => true,
  ensure_newline => true,
  order          => 'numeric',
}

concat::fragment { 'motd header':
  target => '/etc/motd',
  source => 'puppet:///modules/profile/motd',
  order  => '01',
}

['alpha', 'beta', 'gamma'].each |$index, $word| {
  motd::line { $word:
    text   => "${index}: ${word.capitalize}",
    weight => 10 + $index * 5,
  }
}

motd::line { default: weight => 90; 'last': text => 'bye'; 'zero': text => 'start', weight => 0 }

concat { 'limits':
  ensure         => present,
  path           => '/etc/security/limits.d/site.conf',
  replace        => false,
  ensure_newline => true,
  show_diff      => false,
  backup         => '.old',
}
$limits = { 'nofile' => 65536, 'nproc' => 4096 }
$limits.each |String $item, Integer $limit| {
  concat::fragment { "limit-${item}": target => 'limits', content => "* soft ${item} ${limit}" }
}
concat { '/etc/gone.conf': ensure => absent }
