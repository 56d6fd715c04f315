class { 'galera': status_password => 'secret' }
