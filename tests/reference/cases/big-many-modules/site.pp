# Several modules in one node, as a real role has them.
include apt
include apt::backports
include ntp
include concat_site
include mysql::client
include firewall
include systemd
class { 'archive': aws_cli_install => false }
class { 'ceph': fsid => '066F558C-6789-4A93-AAF1-5AF1BA01A3AD', mon_host => '10.20.1.1' }
class concat_site {
  $hosts = Integer[1, 20].map |$n| { "host${n}" }
  concat { '/etc/cluster.conf': ensure_newline => true }
  $hosts.each |$i, $h| {
    concat::fragment { "cluster ${h}": target => '/etc/cluster.conf', content => "server ${h} 10.0.${$i / 256}.${$i % 256}", order => $i }
    host { "${h}.example.com": ip => "10.0.0.${i}", host_aliases => $h }
    file { "/srv/${h}": ensure => directory, mode => '0750' }
    -> file { "/srv/${h}/id": content => sha256($h)[0, 16] }
  }
}
$hosts = $concat_site::hosts
$hosts.each |$h| { cron { "poll ${h}": command => "/usr/bin/poll ${h}", minute => "*/${1 + fqdn_rand(9, $h)}" } }
['ada', 'grace', 'linus'].each |$u| {
  user { $u: ensure => present, managehome => true } -> file { "/home/${u}/.ssh": ensure => directory, owner => $u, mode => '0700' }
  -> ssh_authorized_key { "${u}@site": user => $u, type => 'ssh-ed25519', key => base64('encode', $u, 'strict') }
}
apt::source { 'tools': location => 'http://tools.example.com', repos => 'main', key => { 'id' => '0123456789ABCDEF0123456789ABCDEF01234567', 'source' => 'http://tools.example.com/key' } }
firewall { '010 ssh': dport => 22, action => 'accept' }
systemd::unit_file { 'poll.service': content => "[Service]\n", enable => true }
Apt::Source['tools'] -> Package <| title == 'poll' |>
package { 'poll': ensure => '1.2-3' }
