host { 'one.example.com': ensure => present, ip => '192.0.2.1', host_aliases => ['one', 'www'], comment => 'the first', target => '/etc/hosts' }
host { 'two': ip => '2001:db8::2', host_aliases => 'zwei' }
host { 'gone': ensure => absent }
@@host { 'exported': ip => '192.0.2.3' }
resources { 'host': purge => true }
