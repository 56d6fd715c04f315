//! A classifier script for 10,000 nodes: what a node costs, and what a second thread gives.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;
use rayon::prelude::*;

use catwalk_base::source::SourceMap;
use catwalk_node::classify::Classifier;
use catwalk_node::classify::Request;
use catwalk_node::trusted;
use catwalk_program::Environment;
use catwalk_scripting::RhaiEnc;
use catwalk_scripting::Scripts;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_world::Memory;

const NODES: usize = 10_000;

const SCRIPT: &str = r#"
const ADMIN = "root@example.com";

fn classify(node) {
    let c = classification();
    let facts = node.facts;
    c.include("profile::base");
    switch facts.os.family {
        "RedHat" => c.include("profile::yum", #{ releasever: facts.os.release.major }),
        "Debian" => c.include("profile::apt"),
        _ => throw `${node.name}: unsupported OS family`,
    }
    if node.name.matches("^web[0-9]+\\.") { c.include("role::web", #{ workers: facts.processors.count * 2 }); }
    if facts.memory.system.total_bytes > gib(16) { c.include("profile::bigmem"); }
    for name in ["eth0", "eth1"] {
        if facts.networking.interfaces[name] != () { c.param(`has_${name}`, true); }
    }
    c.param("datacenter", if node.fact("networking.ip").starts_with("10.1.") { "fra1" } else { "ams2" });
    c.param("admin", global::ADMIN);
    c
}

private fn gib(n) { n * 1024 * 1024 * 1024 }
"#;

fn requests() -> Vec<Request> {
    let request = |n: usize| {
        let more: String = (0..110).map(|k| format!(r#", "fact{k}": "value {}""#, (n * 7 + k) % 1000)).collect();
        let text = format!(
            r#"{{"os": {{"family": "{}", "release": {{"major": "{}"}}}}, "processors": {{"count": {}}}, "memory": {{"system": {{"total_bytes": {}}}}}, "networking": {{"ip": "10.{}.0.7", "interfaces": {{"eth0": {{"mtu": 1500}}}}}}{more}}}"#,
            if n.is_multiple_of(3) { "RedHat" } else { "Debian" },
            n % 10,
            n % 64,
            n as u64 % 5 * (8 << 30),
            n % 4
        );
        let Ok(Value::Hash(facts)) = json::parse(text.as_bytes()) else { panic!("facts") };
        let name = format!("{}{n}.example.com", if n.is_multiple_of(4) { "db" } else { "web" });
        Request {
            certname: Arc::from(name.as_str()),
            environment: Arc::from("production"),
            facts,
            trusted: Arc::new(trusted(&name)),
        }
    };
    (0..NODES).map(request).collect()
}

fn bench(criterion: &mut Criterion) {
    let world = Memory::new([("/site/enc.rhai", SCRIPT)]);
    let scripts = Arc::new(Scripts::new(SourceMap::new()));
    let environment = Arc::new(Environment { root: Some(PathBuf::from("/site")), ..Environment::default() });
    let enc = RhaiEnc { path: PathBuf::from("/site/enc.rhai"), data: None, scripts, environment };
    let nodes = requests();
    let one = |request: &Request| enc.classify(request, &world).map_or(0, |found| found.classes.len());
    let pool =
        |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20).build().unwrap();
    let measured = |threads: usize| {
        let pool = pool(threads);
        let run = || {
            let started = Instant::now();
            let classes: usize = pool.install(|| nodes.par_iter().map(one).sum());
            assert!(classes > NODES);
            started.elapsed()
        };
        (0..7).map(|_| run()).min().unwrap_or(Duration::ZERO)
    };
    let (single, double) = (measured(1), measured(2));
    println!(
        "{NODES} nodes: {:.1} µs per node with one thread, {:.2} times as fast with two",
        single.as_secs_f64() * 1e6 / NODES as f64,
        single.as_secs_f64() / double.as_secs_f64()
    );
    for threads in [1, 2] {
        let pool = pool(threads);
        criterion.bench_function(&format!("scripts/classify 10000 nodes, threads: {threads}"), |bencher| {
            bencher.iter(|| pool.install(|| nodes.par_iter().map(one).sum::<usize>()));
        });
    }
}

criterion_group! {
    name = scripts;
    config = Criterion::default().sample_size(10);
    targets = bench
}
criterion_main!(scripts);
