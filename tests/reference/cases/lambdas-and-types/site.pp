# Iteration, string functions, conversions and type expressions in resource values.
type Site::Port = Integer[1, 65535]
type Site::Listener = Struct[{ name => String[1], port => Site::Port, Optional[tls] => Boolean }]
function site::url(Site::Listener $l) >> String {
  $scheme = $l['tls'] ? { true => 'https', default => 'http' }
  "${scheme}://${l['name']}:${l['port']}"
}
define site::listener(Site::Port $port, Boolean $tls = false, String $url = site::url({ 'name' => $title, 'port' => $port, 'tls' => $tls })) {
  notify { $url: }
}
$listeners = [['www', 80], ['secure', 443, true], ['admin', 8443, true]]
$listeners.each |$l| {
  [$name, $port] = $l[0, 2]
  site::listener { $name: port => $port, tls => $l[2] =~ Boolean and $l[2] }
}
$ports = $listeners.map |$l| { $l[1] }
$r = {
  'sum'       => $ports.reduce |$a, $b| { $a + $b },
  'filter'    => $ports.filter |$p| { $p > 100 },
  'slice'     => [1, 2, 3, 4, 5].slice(2),
  'group'     => ['apple', 'avocado', 'plum'].group_by |$w| { $w[0] },
  'tree'      => { 'a' => [1, { 'b' => 2 }] }.tree_each.map |$x| { String($x) },
  'zip'       => Hash(['a', 'b'].map |$i, $v| { [$v, $i] }),
  'sort'      => ['b', 'C', 'a'].sort |$a, $b| { compare($a, $b) },
  'unique'    => [1, 1.0, 'a', 'A'].unique,
  'partition' => $ports.partition |$p| { $p =~ Site::Port and $p < 1024 },
  'with'      => with(3, 4) |$a, $b| { $a * $b },
  'index'     => ['x', 'y'].index |$v| { $v == 'y' },
  'step'      => Integer[0, 20].step(5).map |$x| { $x },
  'reverse'   => [1, 2, 3].reverse_each.map |$x| { $x },
  'any'       => $ports.any |$p| { $p == 80 },
  'regsubst'  => regsubst('a.b.c', '\.', '-', 'G'),
  'split'     => split('a1b22c', /\d+/),
  'match'     => 'host12' =~ /(\D+)(\d+)/ ? { true => "${1}-${2}", default => '' },
  'sprintf'   => sprintf('%05.1f|%-5s|%#x|%+d', 3.14159, 'ab', 255, 7),
  'sprintf_h' => sprintf('%<a>s and %{b}', { 'a' => 1, 'b' => 'two' }),
  'bin'       => String(255, '%#b'),
  'float'     => 10 / 4.0,
  'int'       => [7 / 2, -7 / 2, 7 % 3, 1 << 4, 255 >> 2],
  'types'     => [type(1), type('x'), type([1, 'a']), Integer[1, 5], Optional[String]].map |$t| { String($t) },
  'cmp'       => ['a' == 'A', 'abc' < 'abd', 1 == 1.0, 'b' in 'ABC', undef == ''],
  'dig'       => $facts.dig('os', 'release', 'major'),
  'get'       => get($facts, 'networking.interfaces.lo.ip'),
  'version'   => SemVer('1.2.3') =~ SemVerRange('>=1.2.0 <2.0.0'),
  'case'      => 'straße'.upcase,
  'join'      => [1, [2, [3, undef]]].flatten.filter |$x| { $x != undef }.join(','),
}
$r.each |$k, $v| { notify { "r ${k}": message => $v.then |$x| { "${x}" } } }
