# Option files and grants from ERB: mysql, redis, memcached, rabbitmq, mongodb.
class { 'mysql::server':
  root_password    => 'secret',
  override_options => { 'mysqld' => { 'max_connections' => 100, 'skip-name-resolve' => true, 'bind-address' => undef, 'replicate-do-db' => ['a', 'b'], 'skip-x' => false }, 'extra' => { 'k' => 'v' } },
}
mysql::db { 'app': user => 'app', password => 'pw', host => 'localhost', grant => ['SELECT', 'UPDATE'] }
class { 'mysql::server::backup': backupuser => 'b', backuppassword => 'c', backupdir => '/backup', backupdatabases => ['x', 'y'], file_per_database => true, backuprotate => 7, maxallowedpacket => '1M' }
class { 'redis': bind => '0.0.0.0', port => 6380, save_db_to_disk_interval => { '900' => '1', '300' => '10' }, slaveof => undef, maxmemory => '1gb', requirepass => 'x' }
redis::instance { 'second': port => 6400, unixsocket => '/run/r.sock' }
class { 'memcached': max_memory => '12%', listen_ip => '10.0.0.3', pidfile => '/run/m.pid', verbosity => 'vv', extended_opts => ['lru_crawler', 'lru_maintainer'] }
class { 'rabbitmq': delete_guest_user => true, config_variables => { 'vm_memory_high_watermark' => 0.5, 'hipe_compile' => true }, environment_variables => { 'RABBITMQ_NODENAME' => 'x', 'ULIMIT' => 4 }, config_kernel_variables => { 'inet_dist_listen_min' => 9100 }, ssl => true, ssl_cacert => '/c', ssl_cert => '/d', ssl_key => '/e', cluster_nodes => ['a', 'b'], config_cluster => true, wipe_db_on_cookie_change => true, erlang_cookie => 'Z' }
