//! Compiling nodes of the sample site in a warm session, and the steps of it. `cargo bench --bench compile`.
//! With Debian's Puppet modules installed, also a catalog of many of them.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a benchmark")]

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catwalk_base::secrets::Redacted;
use catwalk_formats::diff;
use catwalk_formats::wire;
use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_world::Disk;
use criterion::Criterion;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MODULES: &str = "/usr/share/puppet/modules";

fn sample() -> Options {
    Options { root: Some(PathBuf::from(env!("CARGO_MANIFEST_DIR"))), ..Options::default() }
}

/// The largest of the cases that are compared with the reference.
fn many_modules() -> Options {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let case = reference.join("cases/big-many-modules");
    Options {
        manifest: Some(case.join("site.pp")),
        root: Some(case),
        modulepath: Some(vec![PathBuf::from(MODULES)]),
        facts: Some(reference.join("facts/debian-12.json")),
        ..Options::default()
    }
}

fn bench(criterion: &mut Criterion, name: &str, options: Options, certname: &str) {
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    let catalog = session.compile(certname).result.unwrap();
    let resources = catalog.len();
    let document = Redacted::new(wire::native::document(&catalog).unwrap(), &catalog.secrets);
    let mut group = criterion.benchmark_group(format!("{name} ({resources} resources)"));
    group.measurement_time(Duration::from_secs(5)).sample_size(30);
    group.bench_function("compile", |bench| bench.iter(|| session.compile(certname).result.unwrap()));
    group.bench_function("write native", |bench| bench.iter(|| wire::native::write(&catalog).unwrap()));
    group.bench_function("write canonical", |bench| bench.iter(|| wire::canonical::write(&catalog, "/").unwrap()));
    group.bench_function("diff with itself", |bench| {
        bench.iter(|| diff::diff(&document, &document, diff::comparable::Form::Native))
    });
    group.finish();
}

fn run() {
    let mut criterion = Criterion::default().configure_from_args();
    bench(&mut criterion, "sample site, web1", sample(), "web1.example.com");
    if Path::new(MODULES).is_dir() {
        bench(&mut criterion, "many modules", many_modules(), "web1.example.com");
    }
    criterion.final_summary();
}

fn main() {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}
