# @summary Address and port in one, with brackets around IPv6 addresses.
#
# @example
#   webapp::listen('::1', 80)   # '[::1]:80'
function webapp::listen(String[1] $address, Webapp::Port $port) >> String {
  $host = $address ? {
    /:/     => "[${address}]",
    default => $address,
  }
  "${host}:${port}"
}
