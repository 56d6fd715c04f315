# @summary A text in a box.
#
# @example
#   motd::banner('Hi')
function motd::banner(String $text) >> String {
  $line = Integer[1, $text.length + 2].map |$i| { '-' }.join
  "+${line}+\n| ${text} |\n+${line}+\n"
}
