ini_setting { 'one': path => '/etc/x.ini', section => 'main', setting => 'a', value => '1' }
