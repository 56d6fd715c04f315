class { 'motd': contact => 'operators@example.net' }
