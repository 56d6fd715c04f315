class ssh::client(
  $ensure               = present,
  $storeconfigs_enabled = true,
  $options              = {}
) {
}

class ssh::client::config {
}

class ssh::client::install {
}

class ssh::hostkeys {
}

class ssh (
  $server_options       = {},
  $client_options       = {},
  $users_client_options = {},
  $version              = 'present',
  $storeconfigs_enabled = true
) {
}

class ssh::knownhosts {
}

class ssh::params {
}

class ssh::server(
  $ensure               = present,
  $storeconfigs_enabled = true,
  $options              = {}
) {
}

class ssh::server::config {
}

class ssh::server::install {
}

class ssh::server::service {
}
