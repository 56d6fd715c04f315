class { 'apache': default_vhost => false, mpm_module => 'event' }
apache::vhost { 'www.example.com': port => 443, ssl => true, docroot => '/srv/www' }
