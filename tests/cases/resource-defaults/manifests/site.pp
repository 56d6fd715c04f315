# Defaults apply in the scope they are set in and in scopes below it, dynamically; the nearest wins.
File { mode => '0600', owner => 'top', backup => false }
file { '/top': }
file { '/top/own': mode => '0644' }
class user { File { owner => 'user' } file { '/user': } thing { 'from class': } include plain }
class plain { file { '/plain': } }
define thing($v = 'd') { file { "/thing/${title}": content => $v } }
Thing { v => 'default for thing' }
thing { 'from top': }
include user
define nested { File { group => 'nested' } thing { "nested ${title}": } file { "/nested/${title}": mode => undef } }
nested { 'n': }
Notify { message => 'default message' }
notify { 'uses default': }
notify { 'own': message => 'own message' }
File { group => 'late default' }
Exec { path => ['/bin', '/usr/bin'] }
exec { 'true': }
