# Real modules, as a small web and database machine would use them.
node default {
  class { 'apache': default_vhost => false, mpm_module => 'event' }
  class { 'ntp': servers => ['0.pool.ntp.org', '1.pool.ntp.org'] }
  include mysql::server
  class { 'postgresql::globals': version => '15' }
  include postgresql::server
  class { 'haproxy': merge_options => true }
  haproxy::listen { 'web': ipaddress => '0.0.0.0', ports => ['80'] }
  mysql::db { 'shop': user => 'shop', password => 'secret', host => 'localhost', grant => ['ALL'] }
  apache::vhost { 'www.example.com':
    port    => 8080,
    docroot => '/srv/www',
    aliases => [{ alias => '/static', path => '/srv/static' }],
  }
}
