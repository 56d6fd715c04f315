# Overrides from the same scope, before and after, on defines; collectors against plain values.
file { '/a': mode => '0600' }
File['/a'] { owner => 'late' }
thing { 't': }
Thing['t'] { v => 'overridden before it is evaluated' }
define thing($v = 'd') { notify { "thing ${v}": } }
File['/b'] { group => 'early' }
file { '/b': ensure => file }
File <| title == '/a' |> { mode => '0777' }
class c { file { '/c': mode => '0600', tag => 'z' } }
include c
File <| tag == 'z' |> { mode => '0640', tag +> 'zz' }
