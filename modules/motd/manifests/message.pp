# @summary A line of the message of the day.
#
# @param text
#   The line.
# @param weight
#   Messages are shown from light to heavy.
define motd::message (
  String         $text,
  Integer[0, 99] $weight = 50,
) {
  include motd

  $file = sprintf('%02d-%s', $weight, $title)

  file { "${motd::directory}/${file}":
    content => "${text}\n",
  }
}
