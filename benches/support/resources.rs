//! A manifest with as many resources as wanted, and its catalog.

use std::sync::Arc;

use catwalk_catalog::Catalog;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_world::Disk;

/// Resources with what catalogs usually hold, four for each number.
const CODE: &str = "
  Integer[1, COUNT].each |$n| {
    file { \"/srv/${n}\": ensure => directory, owner => 'root', mode => MODE }
    file { \"/srv/${n}/config\":
      content => \"# ${n}\\nname = \\\"host${n}\\\"\\nport = ${8000 + $n}\\n\",
      require => File[\"/srv/${n}\"],
      notify  => Service[\"app${n}\"],
    }
    service { \"app${n}\": ensure => running, enable => true, tag => ['app', \"n${n}\"] }
    exec { \"rotate ${n}\": command => '/usr/bin/rotate', returns => [0, 2], timeout => $n % 60, environment => ['A=b', 'C=d'] }
  }";

/// The catalog with this number of resources; `mode` is an expression for the mode of every fourth one, the directories.
pub fn catalog(resources: usize, mode: &str) -> Catalog {
    let code = CODE.replace("COUNT", &(resources / 4).to_string()).replace("MODE", mode);
    let options = Options { code: Some(code), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    session.compile("web1.example.com").result.unwrap_or_else(|error| panic!("{}", error.message))
}
