# With strict_variables off an unknown variable is undef and a warning.
notify { "a: '${nothing}'": }
notify { "b: '${no::such}'": }
notify { "c: '${facts['no_such_fact']}'": }
if $missing == undef { notify { 'd: undef': } }
class has { $x = 1 }
notify { "e: '${has::x}'": }
include has
notify { "f: '${has::x}' '${has::y}'": }
