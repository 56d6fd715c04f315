# One node per value that does not fit its type.
type Port = Integer[1, 65535]
class c(
  Integer[1, 5]                               $i   = 1,
  String[2, 4]                                $s   = 'abc',
  Optional[Boolean]                           $b   = undef,
  Enum['x', 'y']                              $e   = 'x',
  Pattern[/^a/, /z$/]                         $p   = 'a',
  Array[Integer, 1, 2]                        $a   = [1],
  Hash[String, Array[Integer]]                $h   = {},
  Struct[{ n => String, Optional[m] => Port }] $st = { 'n' => 'x' },
  Variant[Integer, Array[String]]             $v   = 1,
  Tuple[Integer, String]                      $t   = [1, 'a'],
  Port                                        $port = 80,
  Sensitive[String]                           $sec = Sensitive('x'),
  Type[Integer]                               $ty  = Integer,
  Regexp                                      $re  = /x/,
  NotUndef                                    $nu  = 1,
  Hash[Enum['k'], Any, 1]                     $hk  = { 'k' => 1 },
) { }
class no_callable(Integer $i = 'wrong default') { }
function typed(Integer $x, String *$more) >> String { $x }
node 'integer-range' { class { 'c': i => 6 } }
node 'integer-text' { class { 'c': i => '5' } }
node 'string-length' { class { 'c': s => 'a' } }
node 'boolean' { class { 'c': b => 'true' } }
node 'enum' { class { 'c': e => 'z' } }
node 'pattern' { class { 'c': p => 'b' } }
node 'array-element' { class { 'c': a => [1, 'x'] } }
node 'array-size' { class { 'c': a => [] } }
node 'array-sizes' { class { 'c': a => [1, 2, 3] } }
node 'hash-value' { class { 'c': h => { 'k' => [1, 'x'], 'l' => 5 } } }
node 'hash-key' { class { 'c': h => { 1 => [] } } }
node 'hash-enum-key' { class { 'c': hk => { 'j' => 1 } } }
node 'struct-missing' { class { 'c': st => {} } }
node 'struct-extra' { class { 'c': st => { 'n' => 'x', 'o' => 1 } } }
node 'struct-value' { class { 'c': st => { 'n' => 'x', 'm' => 0 } } }
node 'variant' { class { 'c': v => ['a', 1] } }
node 'tuple' { class { 'c': t => [1] } }
node 'tuple-type' { class { 'c': t => ['a', 1] } }
node 'alias' { class { 'c': port => 70000 } }
node 'sensitive' { class { 'c': sec => 'plain' } }
node 'type' { class { 'c': ty => String } }
node 'regexp' { class { 'c': re => 'x' } }
node 'several' { class { 'c': i => 'a', s => 1, e => undef, nope => 1 } }
node 'wrong-default' { include no_callable }
node 'function-argument' { notify { typed('x'): } }
node 'function-rest' { notify { typed(1, 'a', 2): } }
node 'function-return' { notify { typed(1): } }
node 'function-count' { notify { typed(): } }
node 'define-parameter' { d { 't': n => 'x' } }
define d(Integer $n) { }
node 'lambda-parameter' { [1, 'a'].each |Integer $x| { notify { "${x}": } } }
node 'lambda-count' { [1].each |$a, $b, $c| { } }
node 'assert-type' { assert_type(Port, 'x') }
node 'assert-message' { assert_type(Integer[1, 2], 3) }
node 'new-integer' { Integer('abc') }
node 'new-abstract' { Variant.new(1) }
node 'new-port' { notify { "${Port.new(70000)}": } }
node 'unknown-alias' { $x = 1 =~ Nope::Type }
node 'type-arguments' { $x = 1 =~ Integer['a'] }
node 'iterate-wrong' { true.each |$x| { } }
node 'each-undef' { undef.each |$x| { } }
