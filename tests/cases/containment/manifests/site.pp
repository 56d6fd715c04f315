# include, contain and require, seen in edges and `require` parameters.
class a { contain b, c include d notify { 'a': } Class['b'] -> Class['c'] }
class b { notify { 'b': } }
class c { contain 'e' notify { 'c': } }
class d { notify { 'd': } }
class e { notify { 'e': } }
class f { require d require g notify { 'f': } }
class g { notify { 'g': } }
define h { include i contain b notify { "h ${title}": } }
class i { notify { 'i': } }
include a, f
include ['g', Class['i']]
contain d
h { 'x': }
class { 'j': } contain j
class j { notify { 'j': } }
$r = contain('b')
notify { "contain returns ${r}": }
