# Functions written in Puppet: types, defaults, rest parameters, recursion, return, next, break, blocks.
$r = {
  'double'    => util::double(21),
  'greet'     => util::greet('ada'),
  'greet2'    => util::greet('ada', 'hello', 1, 2, 3),
  'factorial' => util::factorial(10),
  'early'     => util::early([1, -2, 3]),
  'sum'       => util::sum(1, 2, 3.5),
  'chained'   => 5.util::double.util::double,
  'next'      => [1, 2, 3].map |$x| { if $x == 2 { next('two') } $x },
  'next_each' => [1, 2, 3].filter |$x| { if $x == 2 { next() } true },
  'nested'    => util::nested::deep('x'),
  'local'     => local_to_site('y'),
  'none'      => util::nothing(),
}
$r.each |$k, $v| { notify { "${k}: ${v}": } }
function local_to_site($x) { "site ${x} ${r}" }
[1, 2, 3, 4].each |$x| { if $x == 3 { break() } notify { "loop ${x}": } }
class stops { notify { 'before return': } if true { return() } notify { 'never': } }
include stops
