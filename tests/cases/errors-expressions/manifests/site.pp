# One node per expression that cannot be evaluated.
node 'reassign' { $a = 1 $a = 2 }
node 'reassign-fact' { $facts = {} }
node 'reassign-title' { include reassigns }
class reassigns { $title = 'x' }
node 'assign-qualified' { include assigns }
class assigns { $x = 1 $y = $assigns::z + 1 }
node 'plus-text' { $a = 'x' + 1 }
node 'plus-undef' { $a = undef + 1 }
node 'minus-hash' { $a = {} - 1 notify { "${a}": } }
node 'divide-zero' { $a = 1 / 0 }
node 'modulo-float' { $a = 5.5 % 2 }
node 'match-wrong' { if 5 =~ /5/ { } }
node 'index-undef' { $a = undef notify { "x${a['k']}": } }
node 'index-number' { $a = 5 notify { "x${a['k']}": } }
node 'index-text' { $a = 'abc' notify { "x${a['k']}": } }
node 'index-array' { $a = [1] notify { "x${a['k']}": } }
node 'index-count' { $a = [1, 2, 3] notify { "x${a[1, 1, 1]}": } }
node 'unknown-function' { nope('x') }
node 'unknown-method' { 'x'.nope }
node 'function-no-value' { $a = realize(Notify['x']) + 1 }
node 'selector-none' { $a = 'x' ? { 'y' => 1, 'z' => 2 } }
node 'splat-wrong' { file { '/x': * => 'text' } }
node 'call-too-many' { $a = downcase('a', 'b') }
node 'call-none' { $a = join() }
node 'call-type' { $a = join('x', 5) }
node 'block-missing' { $a = [1].map }
node 'block-extra' { $a = upcase('x') |$y| { 1 } }
node 'sprintf-bad' { $a = sprintf('%d', 'x') }
node 'sprintf-few' { $a = sprintf('%s %s', 'x') }
node 'return-outside' { [1].each |$x| { return($x) } }
node 'next-outside' { next() }
node 'template-missing' { notify { epp('nope/x.epp'): } }
node 'template-syntax' { notify { inline_epp('<%= 1 + %>'): } }
node 'template-parameter' { notify { inline_epp('<%| $x |%><%= $x %>'): } }
node 'template-extra' { notify { inline_epp('<%| $x |%><%= $x %>', { 'x' => 1, 'y' => 2 }): } }
node 'file-missing' { notify { file('nope/x.txt', '/no/such/file'): } }
node 'lookup-missing' { notify { lookup('no::key'): } }
node 'lookup-type' { notify { lookup('text', Integer): } }
node 'unpack-short' { [$a, $b, $c] = [1, 2] }
node 'unpack-type' { [$a, $b] = 'text' }
node 'overflow' { $a = 9223372036854775807 + 1 }
node 'shift-text' { $a = 'x' << 1 }
node 'negate-text' { $a = -'x' }
node 'number-text' { $a = '0x' + 1 }
