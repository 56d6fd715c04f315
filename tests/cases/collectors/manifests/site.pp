# Queries: equality, inequality, and/or, nesting, array parameters, titles; overrides; collectors that see later resources.
File <| mode == '0600' |> { owner => 'secret' }
@file { '/v/1': mode => '0600', group => 'a' }
@file { '/v/2': mode => '0644', group => 'a' }
@file { '/v/3': mode => '0644', group => 'b', tag => ['t1', 't2'] }
@file { '/v/4': mode => '0400', group => ['b', 'c'], noop => true }
@file { '/v/5': }
File <| (group == 'a' and mode != '0600') or title == '/v/5' |>
File <| group == 'c' |> { tag +> 'collected', backup => false }
File <| tag == 't1' and tag != 't9' |>
file { '/real': mode => '0600', require => File['/v/1'] }
define site($port) { file { "/site/${title}": content => "${port}" } }
@site { 'virtual': port => 80 }
@site { 'other': port => 81 }
Site <| port == 80 |> { port => 8080 }
User <| |>
class late { @file { '/late': group => 'a', mode => '0444' } @user { 'ada': uid => 1 } user { 'real': } }
include late
User <| title == 'real' |> { uid => 2 }
