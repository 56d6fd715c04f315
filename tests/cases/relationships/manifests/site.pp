# All ways to order resources, and what they leave in the catalog.
notify { ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']: }
Notify['a'] -> Notify['b'] ~> Notify['c']
Notify['e'] <- Notify['d']
Notify['f'] <~ Notify['e']
Notify['a', 'b'] -> Notify['g', 'h']
[Notify['c'], Notify['d']] -> [Notify['g']]
notify { 'before and notify': before => Notify['a'], notify => [Notify['b'], [Notify['c']]] }
notify { 'require and subscribe': require => [Notify['a'], Notify['b']], subscribe => Notify['c'] }
notify { 'require undef': require => undef, before => [] }
file { '/x': } -> file { '/y': } ~> exec { '/bin/z': }
class one { notify { 'in one': } }
class two { notify { 'in two': } }
include one
include two
Class['one'] -> Class['two']
Class['one'] -> Notify['h']
$refs = [Notify['a'], Class['two']]
$refs -> notify { 'after refs': }
Notify <| title == 'g' |> -> Notify <| title == 'h' |>
@notify { 'virtual': }
Notify <| title == 'virtual' |> ~> Exec <| |>
define pair { notify { "${title} 1": } -> notify { "${title} 2": } }
pair { 'p': require => Class['one'] }
Pair['p'] -> notify { 'last': }
include three
class three { require four notify { 'three': } }
class four { notify { 'four': } }
