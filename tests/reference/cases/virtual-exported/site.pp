# Virtual and exported resources, realized and collected with queries and overrides.
class people {
  @user { 'ada': ensure => present, uid => 1001, groups => ['dev', 'ops'], tag => 'dev' }
  @user { 'grace': ensure => present, uid => 1002, groups => 'ops', tag => ['ops', 'oncall'] }
  @user { 'linus': ensure => absent, uid => 1003 }
  @user { 'ken': ensure => present, uid => 1004, shell => '/bin/rc' }
  @@sshkey { $facts['networking']['fqdn']: type => 'ssh-rsa', key => $facts['ssh']['rsa']['key'] }
  @@host { 'seen': ip => '192.0.2.9', tag => 'hosts' }
}
include people
User <| tag == 'dev' or (groups == 'ops' and uid != 1003) |> { managehome => true, groups +> 'users' }
realize(User['ken'])
Host <<| tag == 'hosts' |>>
Sshkey <<| |>>
User <| title == 'ada' |> -> Host <| |> ~> Service <| tag == 'web' |>
service { 'nginx': ensure => running, tag => 'web' }
