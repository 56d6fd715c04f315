//! A finished catalog as text, in each format. `cargo bench --bench emission`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark")]

use std::sync::Arc;

use catwalk::session::Options;
use catwalk::session::STACK;
use catwalk::session::Session;
use catwalk::wire;
use catwalk::wire::format::Format;
use catwalk::wire::puppetdb::Version;
use catwalk::world::Disk;
use criterion::Criterion;
use criterion::Throughput;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// 300 resources with what catalogs usually hold.
const CODE: &str = "
  Integer[1, 75].each |$n| {
    file { \"/srv/${n}\": ensure => directory, owner => 'root', mode => '0755' }
    file { \"/srv/${n}/config\":
      content => \"# ${n}\\nname = \\\"host${n}\\\"\\nport = ${8000 + $n}\\n\",
      require => File[\"/srv/${n}\"],
      notify  => Service[\"app${n}\"],
    }
    service { \"app${n}\": ensure => running, enable => true, tag => ['app', \"n${n}\"] }
    exec { \"rotate ${n}\": command => '/usr/bin/rotate', returns => [0, 2], timeout => $n % 60, environment => ['A=b', 'C=d'] }
  }";

fn run() {
    let options = Options { code: Some(CODE.to_owned()), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    let catalog = session.compile("web1.example.com").result.unwrap_or_else(|error| panic!("{}", error.message));
    let size = |text: String| Throughput::Bytes(u64::try_from(text.len()).unwrap());
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("emission");
    group.throughput(size(wire::native::write(&catalog).unwrap()));
    group.bench_function("native", |bench| bench.iter(|| wire::native::write(&catalog).unwrap()));
    let wire9 = || wire::format::write(&catalog, Format::Wire(Version::V9), &wire::format::Options::default()).unwrap();
    group.throughput(size(wire9()));
    group.bench_function("wire9", |bench| bench.iter(wire9));
    group.throughput(size(wire::canonical::write(&catalog, "/").unwrap()));
    group.bench_function("canonical", |bench| bench.iter(|| wire::canonical::write(&catalog, "/").unwrap()));
    group.finish();
    criterion.final_summary();
}

fn main() {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}
