# @summary One site of a web server
#
# Writes a file.
#
# @param port where it listens
define example::site (
  Integer[1, 65535] $port = 80,
) {
  file { "/etc/sites/${title}": content => "${port}\n" }
}
