//! A finished catalog of 300 resources in each format, and one of 10,000 resources written to a file: `cargo bench --bench emission`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

use std::fs::File;
use std::io::BufWriter;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use catwalk::catalog::Catalog;
use catwalk::diag::Reason;
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

/// Resources with what catalogs usually hold, four for each number.
const CODE: &str = "
  Integer[1, COUNT].each |$n| {
    file { \"/srv/${n}\": ensure => directory, owner => 'root', mode => '0755' }
    file { \"/srv/${n}/config\":
      content => \"# ${n}\\nname = \\\"host${n}\\\"\\nport = ${8000 + $n}\\n\",
      require => File[\"/srv/${n}\"],
      notify  => Service[\"app${n}\"],
    }
    service { \"app${n}\": ensure => running, enable => true, tag => ['app', \"n${n}\"] }
    exec { \"rotate ${n}\": command => '/usr/bin/rotate', returns => [0, 2], timeout => $n % 60, environment => ['A=b', 'C=d'] }
  }";

fn catalog(resources: usize) -> Catalog {
    let code = CODE.replace("COUNT", &(resources / 4).to_string());
    let options = Options { code: Some(code), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    session.compile("web1.example.com").result.unwrap_or_else(|error| panic!("{}", error.message))
}

/// Writes a native catalog to a file, piece by piece.
fn write_file(catalog: &Catalog, path: &Path) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    wire::native::write_to::<Reason>(catalog, &mut |piece| {
        file.write_all(piece.as_bytes()).map_err(|error| Reason::runtime(error.to_string()))
    })
    .unwrap();
    file.flush().unwrap();
}

fn run() {
    let small = catalog(300);
    let mut criterion = Criterion::default().configure_from_args();
    formats(&mut criterion, "emission", &small);
    let large = catalog(10_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.json");
    write_file(&large, &path);
    let mut group = criterion.benchmark_group("emission of 10,000 resources");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(std::fs::metadata(&path).unwrap().len()));
    group.bench_function("native to a file", |bench| bench.iter(|| write_file(&large, &path)));
    group.bench_function("native, one thread", |bench| {
        bench.iter(|| wire::native::write_in_turn::<Reason>(&large, &mut |_| Ok(())).unwrap());
    });
    group.finish();
    let options = wire::format::Options::default();
    let wire9 = || wire::format::write(&large, Format::Wire(Version::V9), &options).unwrap();
    let mut group = criterion.benchmark_group("emission of 10,000 resources");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(u64::try_from(wire9().len()).unwrap()));
    group.bench_function("wire9", |bench| bench.iter(wire9));
    group.finish();
    criterion.final_summary();
}

fn formats(criterion: &mut Criterion, name: &str, catalog: &Catalog) {
    let size = |text: String| Throughput::Bytes(u64::try_from(text.len()).unwrap());
    let mut group = criterion.benchmark_group(name);
    group.throughput(size(wire::native::write(catalog).unwrap()));
    group.bench_function("native", |bench| bench.iter(|| wire::native::write(catalog).unwrap()));
    let wire9 = || wire::format::write(catalog, Format::Wire(Version::V9), &wire::format::Options::default()).unwrap();
    group.throughput(size(wire9()));
    group.bench_function("wire9", |bench| bench.iter(wire9));
    group.throughput(size(wire::canonical::write(catalog, "/").unwrap()));
    group.bench_function("canonical", |bench| bench.iter(|| wire::canonical::write(catalog, "/").unwrap()));
    group.finish();
}

fn main() {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}
