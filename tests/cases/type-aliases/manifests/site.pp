# Aliases from modules and from the site, recursive ones, and values that satisfy them.
type Level = Enum['low', 'high']
type Tree = Variant[String, Array[Tree]]
class { 'net::config':
  port     => 8443,
  hosts    => ['a.example.com', 'b'],
  listener => { 'address' => '10.0.0.1', 'port' => 1, 'tls' => true },
  level    => 'high',
  tree     => ['a', ['b', ['c']]],
}
$checks = {
  'port'     => 80 =~ Net::Port,
  'bigport'  => 70000 =~ Net::Port,
  'listener' => { 'address' => 'x', 'port' => 1 } =~ Net::Listener,
  'tree'     => ['a', 1] =~ Tree,
  'enum'     => 'HIGH' =~ Enum['high', true],
  'pattern'  => 'abc' =~ Pattern[/^a/, /z$/],
  'struct'   => { 'a' => 1 } =~ Struct[{ 'a' => Integer, Optional['b'] => String }],
  'tuple'    => [1, 'x', 'y'] =~ Tuple[Integer, String, 1, 3],
  'notundef' => undef =~ NotUndef,
  'collect'  => [[], {}].map |$c| { $c =~ Collection[0, 0] },
  'type'     => Integer[1, 5] =~ Type[Integer],
  'subtype'  => [Integer[1, 5] < Integer, Array[Integer] <= Array[Numeric], String == String[0]],
  'callable' => 'x' =~ Scalar,
  'in'       => 5 in [Integer[1, 10]],
  'res'      => File['/x'] =~ Type[Resource],
  'str'      => [String(Optional[Variant[Integer[0], Enum['a', 'b']]]), String(Net::Port), String(Hash[String, Array[Integer, 1]])],
  'conv'     => [Integer('0b11'), Float('1.5'), Boolean('yes'), String(255, '%x'), Array('abc'), Array({ 'a' => 1 }), Hash([['a', 1]]), Numeric('0x10')],
}
$checks.each |$k, $v| { notify { "${k}: ${v}": } }
notify { "assert ${assert_type(Net::Port, 99)}": }
notify { "fallback ${assert_type(Net::Port, 'x') |$expected, $actual| { "${expected}/${actual}" }}": }
