# haproxy: concat fragments from ERB, options of all shapes.
class { 'haproxy':
  global_options   => { 'log' => "${facts['networking']['ip']} local0", 'chroot' => '/var/lib/haproxy', 'pidfile' => '/var/run/haproxy.pid', 'maxconn' => '4000', 'user' => 'haproxy', 'group' => 'haproxy', 'daemon' => '', 'stats' => ['socket /var/lib/haproxy/stats', 'timeout 30s'] },
  defaults_options => { 'log' => 'global', 'stats' => 'enable', 'option' => ['redispatch', 'dontlognull'], 'retries' => '3', 'timeout' => ['http-request 10s', 'queue 1m'], 'maxconn' => '8000' },
}
haproxy::listen { 'puppet00':
  collect_exported => false,
  ipaddress        => '10.0.0.1',
  ports            => ['8140', '8141'],
  mode             => 'http',
  options          => { 'option' => ['tcplog', 'ssl-hello-chk'], 'balance' => 'roundrobin' },
}
haproxy::frontend { 'web':
  bind    => { '10.0.0.1:80' => [], '10.0.0.1:443' => ['ssl', 'crt', '/etc/x.pem'], ':8443,:8444' => '' },
  mode    => 'http',
  options => [{ 'default_backend' => 'app' }, { 'timeout client' => '30s' }, { 'option' => ['httplog', 'accept-invalid-http-request'] }],
}
haproxy::backend { 'app': collect_exported => false, options => { 'option' => ['httpchk GET /'], 'balance' => 'source', 'server' => ['a 1.2.3.4:80', 'b 1.2.3.5:80'] } }
haproxy::balancermember { 'm1': listening_service => 'app', server_names => ['s1', 's2'], ipaddresses => ['10.0.0.2', '10.0.0.3'], ports => ['80', '81'], options => ['check', 'weight 10'] }
haproxy::balancermember { 'm2': listening_service => 'puppet00', server_names => 's3', ipaddresses => '10.0.0.4', ports => '8140', options => 'check', define_cookies => true }
haproxy::userlist { 'admins': users => ['a insecure-password b', 'c password d'], groups => ['g users a,c'] }
haproxy::peers { 'p': collect_exported => false }
haproxy::peer { 'pa': peers_name => 'p', server_names => 'x', ipaddresses => '10.0.0.6', port => '1024' }
haproxy::resolver { 'dns': nameservers => { 'd1' => '10.0.0.10:53', 'd2' => '10.0.0.11:53' }, hold => { 'nx' => '30s', 'valid' => '10s' }, resolve_retries => 3, timeout => { 'retry' => '1s' } }
haproxy::mapfile { 'domains': ensure => 'present', mappings => [{ 'app01.example.com' => 'bk_app01' }, { 'app02.example.com' => 'bk_app02' }, 'x y'] }
haproxy::mailer { 'ma': mailers_name => 'mm', server_names => 'mx', ipaddresses => '10.0.0.7', port => '25' }
haproxy::mailers { 'mm': collect_exported => false }
