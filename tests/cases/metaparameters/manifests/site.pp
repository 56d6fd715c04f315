# noop, schedule, loglevel and audit on classes and defines: where they are passed on and where not.
schedule { 'night': range => '2 - 4' }
wrapper { 'quiet': noop => true, schedule => 'night', loglevel => 'debug' }
define wrapper { notify { "in ${title}": } inner { "of ${title}": } }
define inner { notify { "inner ${title}": loglevel => 'alert' } }
class { 'holder': noop => true }
class holder { notify { 'in holder': } wrapper { 'held': } }
notify { 'audited': audit => ['message', 'withpath'], noop => false }
file { '/x': audit => all, loglevel => info }
