# Interpolation in data: variables, lookup, hiera, alias, literal, scope; keys that are quoted; nested and empty ones.
$site_var = 'top scope'
class c { $v = 'class variable' }
include c
['plain', 'facts', 'trusted', 'server', 'top', 'class', 'via_lookup', 'via_hiera', 'aliased', 'alias_dig', 'percent', 'quoted',
 'undef', 'empty', 'nested', 'keys', 'multi', 'numbers', 'arr', 'dotted', 'env', 'rel'].each |$k| {
  notify { $k: message => lookup($k) }
}
