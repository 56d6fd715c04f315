# Greets.
#
# @param greeting what to say
# @example
#   class { 'example': greeting => 'good morning' }
class example (
  String $greeting = 'hi',
) {
  notify { $greeting: }
}
