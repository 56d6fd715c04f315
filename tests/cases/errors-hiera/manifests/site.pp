# One node per mistake in data or in looking it up.
node 'bad-yaml' { notify { lookup('a'): } }
node 'not-a-hash' { notify { lookup('a'): } }
node 'int-key' { notify { lookup('ints'): } }
node 'bad-interpolation' { notify { lookup('open'): } }
node 'bad-function' { notify { lookup('function'): } }
node 'endless' { notify { lookup('loop_a'): } }
node 'alias-not-alone' { notify { lookup('part_alias'): } }
node 'missing-inner' { notify { lookup('inner'): } }
node 'wrong-merge' { notify { lookup('plain', Any, 'no_such_merge'): } }
node 'hash-merge-of-text' { notify { lookup('plain', Any, 'hash'): } }
node 'parameter-type' { include typed }
class typed(Integer $number) { }
node 'alias-type' { include typed2 }
class typed2(Array[String] $list) { }
node 'convert' { include typed3 }
class typed3($converted) { }
