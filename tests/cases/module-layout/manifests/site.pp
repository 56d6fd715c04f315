# A module as one finds them: install, config, service in a chain; params; data; a defined type; a private class.
node 'web1.example.com' {
  class { 'service': port => 8080 }
  service::instance { 'blue': weight => 10 }
  service::instance { ['green', 'red']: }
}
node default { class { 'service': ensure => absent } }
