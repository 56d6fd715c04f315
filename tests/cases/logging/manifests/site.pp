# Log functions, their levels and what they print; warnings of the compiler itself.
notice('a text', 1, [1, 'two'], { 'k' => undef }, undef, true, 1.0, Integer[1, 2], /re/, default)
warning("with ${facts['os']['name']}")
info('not shown at notice')
debug('nor this')
err('an error that does not stop')
include quiet
class quiet { notice('in a class') warning('in a class') quiet::deep { 'x': } }
define quiet::deep { notice("in ${title}") }
[1, 2].each |$x| { notice($x) }
$result = notice('returns')
notify { "notice returned '${result}'": }
