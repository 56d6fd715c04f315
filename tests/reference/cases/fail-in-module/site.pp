class { 'vswitch': provider => 'none' }
