define service_check(String $address, Array $tags_ = [], $secret = undef) {
  @@notify { "chained ${title}": message => "from ${trusted['certname']}" }
  notify { "check ${title}": message => $address }
}
define other($a = 1) { @@service_check { "o ${title}": address => 'x' } }
class exporter {
  @@service_check { $trusted['certname']: address => "http://${trusted['certname']}", tag => 'web', secret => Sensitive('x') }
  @@file { "/tmp/${trusted['certname']}/": content => 'a', mode => '0644', tag => ['Web', $trusted['certname']], require => Notify['local'] }
  @@user { "h-${trusted['certname']}": groups => ['a', 'b'] }
  notify { 'local': }
  @@exec { "alias ${trusted['certname']}": command => "/bin/true ${trusted['certname']}", before => Notify['local'], audit => [all] }
  @@other { $trusted['certname']: }
}
class collector {
  Notify { loglevel => 'info' }
  File { owner => 'root' }
  tag 'collecting'
  Service_check <<| |>> { tags_ => ['collected'] }
  File <<| tag == 'Web' and mode == '0644' and title != '/tmp/web2/' |>> -> Notify['after']
  Exec <<| |>>
  User <<| groups == 'a' or title == 'h-web2' |>>
  Other <<| |>>
  notify { ['after', 'local']: }
}
node /^web/ { include exporter }
node 'mon' { include collector }
node 'second' { Notify <<| |>> }
