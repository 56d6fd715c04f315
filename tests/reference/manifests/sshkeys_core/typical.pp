user { 'ann': ensure => present, purge_ssh_keys => true }
sshkey { 'two.example.com@ecdsa-sha2-nistp256': host_aliases => ['two', '192.0.2.2'], key => 'AAAAE2VjZHNh', target => '/etc/ssh/ssh_known_hosts' }
@@sshkey { 'exported': type => rsa, key => 'AAAA' }
ssh_authorized_key { 'ann@two':
  ensure  => present,
  user    => 'ann',
  type    => 'rsa',
  key     => 'AAAAB3NzaC1yc2E=',
  options => ['no-pty', 'command="/bin/date"'],
  target  => '/home/ann/.ssh/authorized_keys',
  drop_privileges => true,
}
