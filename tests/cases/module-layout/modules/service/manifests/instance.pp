define service::instance(Integer[0, 100] $weight = 50, String $dir = "/srv/${title}") {
  include service
  file { $dir: ensure => directory }
  file { "/etc/service/${title}.conf": content => "${dir} ${weight} ${service::port}\n", notify => Class['service::service'] }
  Package[$service::package] -> File[$dir]
}
