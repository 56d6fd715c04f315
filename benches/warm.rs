//! Times warm compiles of one node for `tests/reference/speed`, and prints medians in seconds as JSON.
//! `cargo bench --bench warm -- SITE MANIFEST MODULEPATH FACTS CERTNAME COMPILES`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use catwalk_formats::wire;
use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_world::Disk;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The median time of `count` rounds after some warm-up rounds.
fn median(count: usize, mut round: impl FnMut()) -> f64 {
    let mut seconds: Vec<f64> = (0..count + count / 4)
        .map(|_| {
            let started = Instant::now();
            round();
            started.elapsed().as_secs_f64()
        })
        .skip(count / 4)
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[count / 2]
}

fn run(arguments: &[String]) {
    let path = |at: usize| std::path::absolute(&arguments[at]).unwrap();
    let options = Options {
        root: Some(path(0)),
        manifest: Some(path(1)),
        modulepath: Some(arguments[2].split(':').map(PathBuf::from).collect()),
        facts: Some(path(3)),
        ..Options::default()
    };
    let (certname, count) = (&arguments[4], arguments[5].parse().unwrap());
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    let compile = || session.compile(certname).result.unwrap_or_else(|error| panic!("{}", error.message));
    let with_json = || wire::native::write(&compile()).unwrap();
    let resources = compile().len();
    let drop_caches = || session.drop_cached_data();
    let cached = median(count, || drop(compile()));
    let cached_json = median(count, || drop(with_json()));
    let few = (count / 10).max(1);
    let uncached = median(few, || {
        drop_caches();
        drop(compile());
    });
    let uncached_json = median(few, || {
        drop_caches();
        drop(with_json());
    });
    let times = format!(
        r#""cached": {cached}, "cached, json": {cached_json}, "uncached": {uncached}, "uncached, json": {uncached_json}"#
    );
    println!(r#"{{"resources": {resources}, {times}}}"#);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.len() != 6 {
        // `cargo bench` runs every benchmark: this one has nothing to do without a site.
        return;
    }
    std::thread::Builder::new().stack_size(STACK).spawn(move || run(&arguments)).unwrap().join().unwrap();
}
