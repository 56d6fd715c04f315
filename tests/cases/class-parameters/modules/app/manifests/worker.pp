class app::worker($count = $app::port, $names = $app::ports.map |$p| { "w${p}" }) inherits app::params {
  $names.each |$n| { file { "${app::params::root}/${n}": ensure => directory } }
}
