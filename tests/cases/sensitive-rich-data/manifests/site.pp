# Sensitive parameters, and values that JSON has no form for.
class { 'vault': password => Sensitive('s3cret'), nested => { 'key' => Sensitive('deep'), 'plain' => 1 } }
notify { 'regexp': message => /a.c/ }
notify { 'default': message => [default, undef, /(?i:x)/] }
notify { 'type': message => [Integer[1, 5], String, Optional[Enum['a']], File['/x'], Class['vault']] }
notify { 'semver': message => [SemVer('1.2.3'), SemVerRange('>=1.0.0 <2.0.0')] }
notify { 'time': message => [Timespan('0-01:30:00'), Timestamp('2020-01-01T00:00:00 UTC')] }
notify { 'binary': message => Binary('aGVsbG8=') }
notify { 'binary content': message => { 'b' => Binary('hello', '%s') } }
notify { 'int keys': message => { 1 => 'one', 'two' => { 2.5 => true } } }
notify { 'ptype key': message => { '__ptype' => 'Looks', 'x' => 1 } }
notify { 'numbers': message => [1, -1, 1.0, 1.5e300, 9223372036854775807, 0] }
notify { 'deferred': message => Deferred('upcase', ['text', { 'a' => 1 }]) }
notify { 'deferred plain': message => Deferred('now') }
notify { 'sensitive text': message => "value: ${Sensitive('hidden')}" }
file { '/x': content => Sensitive('body'), mode => Sensitive('0600'), owner => 'root' }
$s = Sensitive({ 'a' => [1, 2] })
notify { 'unwrapped': message => [$s.unwrap, $s.unwrap |$x| { $x['a'] }] }
user { 'ada': password => Sensitive('hash'), groups => ['a', Sensitive('b')] }
class vault(Sensitive[String] $password, Hash $nested = {}, Sensitive[String] $other = Sensitive("x${password.unwrap}")) {
  file { '/etc/vault': content => $password }
  file { '/etc/vault.other': content => $other }
  vault::item { 'one': secret => $password }
}
define vault::item(Variant[String, Sensitive[String]] $secret) { notify { $title: message => $secret } }
