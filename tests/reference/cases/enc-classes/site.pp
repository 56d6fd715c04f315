# Classes, class parameters and top-scope variables from an external node classifier.
class profile::from_enc(Array[String] $names) {
  $names.each |$n| {
    notify { "${n} in ${facts['networking']['domain']}, tier ${::tier}, rack ${::datacenter['rack']}": }
  }
}
include apt
