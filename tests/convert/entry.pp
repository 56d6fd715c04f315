# @param value what is kept
define cache::entry (
  Variant[String, Integer] $value,
) {
  include cache
  file { "/var/cache/${title}": content => String($value) }
}
