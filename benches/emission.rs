//! A finished catalog of 300 resources in each format, and one of 10,000 resources written to a file: `cargo bench --bench emission`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

mod support;

use std::fs::File;
use std::io::BufWriter;
use std::io::Write;
use std::path::Path;

use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_formats::wire;
use catwalk_formats::wire::Threads;
use catwalk_formats::wire::format::Format;
use catwalk_formats::wire::puppetdb::Style;
use catwalk_formats::wire::puppetdb::Version;
use catwalk_session::STACK;
use criterion::Criterion;
use criterion::Throughput;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn catalog(resources: usize) -> Catalog {
    support::resources::catalog(resources, "'0755'")
}

/// Writes a native catalog to a file, piece by piece.
fn write_file(catalog: &Catalog, path: &Path) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let options = wire::format::Options::default();
    wire::format::write_to::<Reason>(catalog, Format::Native, &options, Threads::All, &mut |piece| {
        file.write_all(piece.as_bytes()).map_err(|error| Reason::runtime(error.to_string()))
    })
    .unwrap();
    file.flush().unwrap();
}

/// Emits all pieces of a catalog and returns their size in bytes.
fn stream(catalog: &Catalog, format: Format, options: &wire::format::Options, threads: Threads) -> u64 {
    let mut size = 0;
    wire::format::write_to::<Reason>(catalog, format, options, threads, &mut |piece| {
        size += piece.len() as u64;
        Ok(())
    })
    .unwrap();
    size
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
        let options = wire::format::Options::default();
        bench.iter(|| stream(&large, Format::Native, &options, Threads::One));
    });
    group.finish();
    let documented = wire::format::Options { style: Style::Documented, ..wire::format::Options::default() };
    for (name, format, options) in [
        ("native1", Format::Native1, wire::format::Options::default()),
        ("wire9", Format::Wire(Version::V9), wire::format::Options::default()),
        ("wire9 --spec", Format::Wire(Version::V9), documented),
        ("canonical", Format::Canonical, wire::format::Options::default()),
        ("dot", Format::Dot, wire::format::Options::default()),
        ("yaml", Format::Yaml, wire::format::Options::default()),
    ] {
        let mut group = criterion.benchmark_group("emission of 10,000 resources");
        group.sample_size(10);
        group.throughput(Throughput::Bytes(stream(&large, format, &options, Threads::All)));
        group.bench_function(name, |bench| bench.iter(|| stream(&large, format, &options, Threads::All)));
        group.finish();
    }
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
