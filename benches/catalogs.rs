//! Large catalogs and many nodes: `cargo bench --bench catalogs [-- --nodes N]`.
//!
//! - `catwalk catalog diff` of two catalogs of 10,000 resources, of which 100 differ: the whole command, from start to exit.
//! - 1,000 nodes that export 20 resources each, which one of them collects: all are compiled until nothing changes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use catwalk_session::ExportedFrom;
use catwalk_session::Options;
use catwalk_session::STACK;
use catwalk_session::Session;
use catwalk_world::Disk;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often a command is run; the shortest time is reported.
const ROUNDS: usize = 10;

fn compare(folder: &Path) {
    for (name, mode) in [("old.json", "'0755'"), ("new.json", "if $n % 25 == 0 { '0750' } else { '0755' }")] {
        let catalog = support::resources::catalog(10_000, mode);
        std::fs::write(folder.join(name), catwalk_formats::wire::native::write(&catalog).unwrap()).unwrap();
    }
    let size = std::fs::metadata(folder.join("old.json")).unwrap().len() as f64 / 1e6;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let command = Command::new(env!("CARGO_BIN_EXE_catwalk"))
            .args(["catalog", "diff", "old.json", "new.json"])
            .current_dir(folder)
            .output()
            .unwrap();
        best = best.min(started.elapsed().as_secs_f64());
        assert_eq!(command.status.code(), Some(1), "{}", String::from_utf8_lossy(&command.stderr));
        assert_eq!(command.stdout.iter().filter(|byte| **byte == b'~').count(), 100);
    }
    println!("catalog diff of two catalogs of 10,000 resources, {size:.1} MB each: {:.0} ms", best * 1e3);
}

fn converge(nodes: usize) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("nodes")).unwrap();
    std::fs::write(root.join("catwalk.toml"), "nodes = \"nodes\"\nmanifest = \"site.pp\"\n").unwrap();
    let code = "node 'mon' { Notify <<| |>> }\nnode default {\n  Integer[1, 20].each |$n| {\n    @@notify { \"${trusted['certname']} \
                ${n}\": message => \"check ${n}\", tag => 'check' }\n  }\n}\n";
    std::fs::write(root.join("site.pp"), code).unwrap();
    let names = (1..nodes).map(|number| format!("node{number}")).chain(["mon".to_owned()]);
    names.for_each(|name| std::fs::write(root.join(format!("nodes/{name}.json")), "{}").unwrap());
    let started = Instant::now();
    let options = Options { root: Some(root), exported: Some(ExportedFrom::Site), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    let compiled = session.compile_all(&session.node_names().unwrap(), &|_| ());
    let took = started.elapsed().as_secs_f64();
    let all: usize = compiled.iter().map(|one| one.result.as_ref().unwrap().len()).sum();
    let mon = compiled.iter().find(|one| &*one.certname == "mon").unwrap().result.as_ref().unwrap();
    assert!(mon.len() > (nodes - 1) * 20);
    println!("{nodes} nodes that export 20 resources each, one of which collects all, {all} resources: {took:.2} s");
}

fn run(nodes: usize) {
    let folder = tempfile::tempdir().unwrap();
    compare(folder.path());
    converge(nodes);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = arguments.iter().skip_while(|argument| *argument != "--nodes").nth(1);
    let nodes = given.map_or(1000, |text| text.parse().unwrap());
    std::thread::Builder::new().stack_size(STACK).spawn(move || run(nodes)).unwrap().join().unwrap();
}
