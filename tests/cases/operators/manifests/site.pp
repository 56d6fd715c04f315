# Precedence, truth, comparison, matching, selectors, case with all kinds of options.
$r = {
  'precedence'  => [1 + 2 * 3, (1 + 2) * 3, -2 + 3, 10 - 2 - 3, 2 * 3 % 4, !true or true, true and !false, 1 + 1 == 2 and 2 < 3, 1 << 2 + 1],
  'truth'       => ['', 0, [], {}, undef, 'false', false].map |$x| { if $x { true } else { false } },
  'equality'    => ['a' == 'A', 1 == 1.0, '1' == 1, [1, 'A'] == [1, 'a'], { 'a' => 1, 'b' => 2 } == { 'b' => 2, 'a' => 1 }, undef == '', undef == false, /a/ == /a/, Integer == Integer],
  'ordering'    => ['a' < 'B', 'B' > 'a', 1 < 1.5, 'abc' <= 'ABC', Timespan(1) < Timespan(2), '10' > '9'],
  'match'       => ['abc' =~ /B/, 'abc' =~ /(?i)B/, 'abc' !~ 'x', 5 =~ Integer, 'x' =~ Enum['x', 'y'], 'a1' =~ String[2, 2]],
  'in'          => [1 in [1.0, 2], 'a' in 'xAx', 3 in [Integer], undef in [undef]],
  'minus array' => [[1, 2, 3] - 2, [1, 2] - [1], [[1], 2] - [[1]]],
  'unless'      => unless false { 'ran' } else { 'skipped' },
  'if value'    => if false { 1 } elsif 'x' { 'elsif' } else { 3 },
  'no else'     => if false { 1 },
  'assignment'  => [$p = 5, $p + 1],
}
$r.each |$k, $v| { notify { $k: message => $v } }
['text', 'Text', 5, 5.5, [1, 2], { 'k' => 1 }, undef, true, 'v12', ''].each |$i, $value| {
  $by_case = case $value {
    'TEXT':                  { 'string, any case' }
    Integer[0, 9]:           { 'small integer' }
    Float, Boolean:          { 'float or boolean' }
    /^v(\d+)$/:              { "version ${1}" }
    [Integer, Integer]:      { 'array of types' }
    { 'k' => Integer }:      { 'hash of types' }
    undef:                   { 'undef' }
    *['', 'other']:          { 'unfolded list' }
    default:                 { 'default' }
  }
  $by_selector = $value ? {
    'text'     => 'text',
    Numeric    => 'number',
    /^v(.)/    => "v${1}",
    undef      => 'nothing',
    Collection => 'collection',
    default    => 'other',
  }
  notify { "value ${i}": message => [$by_case, $by_selector] }
}
if 'host-12' =~ /^(\w+)-(\d+)$/ {
  notify { "groups ${0} ${1} ${2}": }
  if 'x' =~ /(x)/ { notify { "inner ${1} '${2}'": } }
  notify { "outer again ${1} ${2}": }
}
[$first, [$second, $third]] = [1, [2, 3]]
[$key_a, $key_b] = { 'key_b' => 2, 'key_a' => 1 }
notify { "unpacked ${first} ${second} ${third} ${key_a} ${key_b}": }
