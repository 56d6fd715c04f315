define tea_user(Tea::Host $host, Tea::Ip_address $ip, Tea::HTTPUrl $url, Optional[Tea::Syslog_level] $level = undef) {
  notify { "${title} ${host} ${ip} ${url} ${level}": }
}
tea_user { 'a': host => 'www.example.com', ip => '192.0.2.1', url => 'https://example.com/', level => 'info' }
tea_user { 'b': host => '::1', ip => '::1', url => 'http://x' }
notice([1023 =~ Tea::Privilegedport, 'x' =~ Tea::Fqdn, 'puppet:///modules/a/b' =~ Tea::Puppetsource, '10.0.0.0/8' =~ Tea::Ipv4_cidr, 'C:/x' =~ Tea::Windowspath])
