# Functions of modules written in Ruby: every result is the message of a notify.
File { mode => '0640' }
$results = {
  'bool2httpd'      => [true, false, 'x', 5, undef, 'TRUE'].map |$x| { apache::bool2httpd($x) },
  'pw_hash'         => apache::pw_hash('secret'),
  'mysql'           => [mysql::password('secret'), mysql::password(''), mysql::password('*2470C0C06DEE42FD1618BBB99005ADCA2EC9D1E1')],
  'mysql_old'       => mysql_password('secret'),
  'strip_hash'      => mysql::strip_hash({ 'a' => '', 'b' => 'c', 'd' => { 'e' => '', 'f' => 'g' } }),
  'pg_password'     => postgresql::postgresql_password('u', 'p'),
  'pg_escape'       => [postgresql::postgresql_escape('abc'), postgresql::postgresql_escape('a$$b')],
  'pg_acls'         => postgresql::postgresql_acls_to_resources_hash(['local all all trust', 'host all x 10.0.0.0/8 md5 a=b', 'host a b 10.0.0.0 255.0.0.0 md5'], 'test', 10),
  'is_default'      => [is_service_default('<SERVICE DEFAULT>'), is_service_default('x'), is_service_default(5)],
  'os_transport'    => [
    os_transport_url({ 'transport' => 'rabbit', 'host' => '::1', 'port' => '5672', 'username' => 'u', 'password' => 'p@ss w', 'virtual_host' => 'v', 'ssl' => 'true' }),
    os_transport_url({ 'transport' => 'amqp', 'hosts' => ['1.2.3.4', 'fe80::1'], 'query' => { 'a' => 'b' } }),
  ],
  'os_database'     => [
    os_database_connection({ 'dialect' => 'mysql+pymysql', 'host' => 'h', 'port' => '3306', 'database' => 'd', 'username' => 'u', 'password' => 'p/w', 'charset' => 'utf8' }),
    os_database_connection({ 'dialect' => 'sqlite', 'database' => 'd' }),
  ],
  'normalize_ip'    => [normalize_ip_for_uri('::1'), normalize_ip_for_uri('1.2.3.4'), normalize_ip_for_uri(['::1', 'x'])],
  'inet6_prefix'    => [inet6_prefix('::1'), inet6_prefix('[::1]:80'), inet6_prefix(['10.0.0.1', 'inet6:[::2]'])],
  'max_memory'      => [memcached::max_memory('50%'), memcached::max_memory(100), memcached::max_memory(undef)],
  'nexus'           => assemble_nexus_url('http://n', { 'g' => 'a.b', 'v' => '1 0' }),
  'artifactory'     => archive::parse_artifactory_url('https://repo.jfrog.org/artifactory/repo1-cache/maven-proxy/maven-proxy-webapp/1.2.3-SNAPSHOT/maven-proxy-webapp-1.2.3-SNAPSHOT.war'),
  'staging'         => [staging_parse('http://x/a/b.tar.gz'), staging_parse('/a/b.zip', 'basename'), staging_parse('/a/b.zip', 'extname'), staging_parse('/a/b.zip', 'parent'), staging_parse('/a/b.tar.gz', 'basename', '.tar.gz')],
  'scope_defaults'  => [scope_defaults('file', 'mode'), scope_defaults('file', 'owner')],
  'collectd'        => collectd_convert_processes([{ 'name' => 'foo', 'regex' => '.*' }, 'alone']),
  'json_strings'    => to_array_of_json_strings([{ 'a' => 1 }, { 'b' => [true, undef] }]),
  'json_strings_2'  => to_array_of_json_strings("[{'a': 1}]"),
  'to_json_string'  => [convert_to_json_string(['a:b', 'c:d']), convert_to_json_string({ 'x' => [1, 2.5] })],
  'vlan'            => validate_network_vlan_ranges(['physnet1:1000:2000', 'x']),
  'vni'             => validate_vni_ranges(['1:100']),
  'tunnel'          => validate_tunnel_id_ranges(['1:100']),
  'range_to_mask'   => [range_to_mask('1-3,5'), range_to_mask('')],
  'dnsmasq'         => ipv6_normalize_dnsmasq_ip_subnets([{ 'netmask' => 'ffff:ffff::', 'gateway' => '::1' }, { 'netmask' => '255.0.0.0', 'gateway' => '10.0.0.1' }]),
  'ext_net'         => get_ext_net_name({ 'a' => {}, 'b' => { 'L2' => { 'router_ext' => true } } }),
  'arpa'            => get_in_addr_arpa('10.1.2.3'),
  'getvar'          => [getvar_emptystring('nonesuch'), getvar_emptystring('hostname')],
  'addresses'       => ipaddresses(),
  'mongodb'         => mongodb_password('u', 'p'),
  'mco'             => mco_array_to_string([1, 'a', true]),
  'translate'       => [translate('a'), translate('a %{b}', { 'b' => 1 })],
  'deprecated'      => [bool2httpd(true), apache_pw_hash('x'), postgresql_escape('a'), postgresql_password('u', 'p')],
  'vxlan'           => validate_vxlan_udp_port(4789),
  'template_body'   => template_body('memcached/memcached.conf.erb'),
  'monit'           => monit_validate_tests('system', [{ 'type' => 'cpu', 'operator' => '>', 'value' => '80%', 'tolerance' => { 'cycles' => 5 } }]),
}
$results.each |$name, $value| { notify { $name: message => String($value, '%p') } }
inifile::create_ini_settings({ 'main' => { 'a' => 1, 'b' => { 'value' => 'c', 'ensure' => 'absent' } } }, { 'path' => '/tmp/x.ini' })
validate_yum_hash({ 'x' => { 'baseurl' => 'y' } })
create_ini_settings({ 'old' => { 'a' => 1 } }, { 'path' => '/tmp/y.ini' })
