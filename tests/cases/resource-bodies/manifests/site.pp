# Several bodies, several titles, per-expression defaults, splat, trailing separators, numbers and references as values.
file {
  default:
    ensure => file,
    mode   => '0644',
    owner  => 'root';
  ['/a', '/b']:
    content => 'ab';
  '/c':
    owner  => 'c',
    * => { 'group' => 'g', 'content' => "c\n" };
  '/d/':
    ensure => directory;
}
notify { 'number': message => 42; 'float': message => 1.50; 'bool': message => true; 'hex': message => 0x1F; 'octal': message => 0755; }
notify { 'ref': message => File['/a'] }
notify { 'refs': message => [File['/a'], Class['main'], Notify['ref']] }
notify { 'hash': message => { 'b' => 1, 'a' => { 'nested' => [1, [2]] }, 3 => 'int key' } }
notify { 'default value': message => default }
notify { 'empty': message => '' }
notify { 'undef': message => undef }
notify { "with \"quotes\" and \$dollar": withpath => false }
$titles = ['t1', 't2']
notify { $titles: message => "same" }
notify { []: }
exec { 'array command': command => ['/bin/echo', 'a b'], environment => ['A=1', 'B=2'], unless => [['/bin/false'], '/bin/true'] }
package { 'x': ensure => '1.0', install_options => ['-y', { '-t' => 'backports' }] }
user { 'u': groups => [], uid => 1000, comment => undef }
