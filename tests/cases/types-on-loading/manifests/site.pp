# The types of parameters are evaluated when a file is loaded: first init.pp, then the file of the name.
node 'class' { include m::other }
node 'define' { m::thing { 'x': } }
node 'asked' { notice(defined('m::other')) }
node 'other-in-file' { include late::first }
node 'relation' { Notify['a'] -> M::Thing['x'] notify { 'a': } }
