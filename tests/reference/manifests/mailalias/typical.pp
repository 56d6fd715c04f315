mailalias { 'ops': ensure => present, recipient => ['a@example.com', '|/usr/bin/vacation'], target => '/etc/mail/aliases', notify => Exec['newaliases'] }
mailalias { 'gone': ensure => absent }
mailalias { 'listed': file => '/etc/list' }
exec { 'newaliases': command => '/usr/bin/newaliases', refreshonly => true }
