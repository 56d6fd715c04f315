//! Node groups: 10,000 nodes and 500 groups, as `catwalk classify --matrix` classifies them; one node with them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

use std::sync::Arc;
use std::time::Instant;

use catwalk_classifier::Groups;
use catwalk_classifier::Subject;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::json::to_json;
use catwalk_world::Disk;
use catwalk_world::Memory;
use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NODES: usize = 10_000;
const GROUPS: usize = 500;

/// Groups as sites have them: by role, by platform, by pattern of names, by numbers, pinned nodes, three levels deep.
fn groups() -> String {
    let mut all = Vec::new();
    for n in 0..GROUPS {
        let rule = match n % 5 {
            0 => format!(r#"["=", ["trusted", "extensions", "pp_role"], "role{}"]"#, n / 5),
            1 => {
                format!(r#"["and", ["=", ["fact", "os", "family"], "Debian"], ["~", "name", "^web{}\\d*\\."]]"#, n % 97)
            }
            2 => format!(
                r#"["and", ["=", ["fact", "datacenter"], "dc{}"], [">=", ["fact", "cpus"], "{}"]]"#,
                n % 20,
                n % 32
            ),
            3 => format!(
                r#"["or", ["and", ["=", ["fact", "team"], "team{}"], ["not", ["=", ["fact", "is_virtual"], "true"]]], ["=", "name", "web{n}.example.com"]]"#,
                n % 40
            ),
            _ => format!(
                r#"["and", ["~", ["fact", "os", "release", "full"], "^1{}\\."], ["~", "name", "^db{}"]]"#,
                n % 10,
                n % 50
            ),
        };
        let parent = if n >= 50 { format!(r#", "parent": "g{}""#, n % 50) } else { String::new() };
        all.push(format!(
            r#"{{"name": "g{n}", "rule": {rule}{parent}, "classes": {{"c{n}": {{"p{n}": {n}}}}}, "variables": {{"v{n}": {n}}}}}"#
        ));
    }
    format!("[{}]", all.join(","))
}

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

/// What the classifier service does for a request apart from HTTP: parses the body, asks the session, writes the document.
fn answer(session: &Session, name: &str, body: &str) -> usize {
    let Value::Hash(body) = parse(body) else { panic!("{body}") };
    let node = Subject::from_body(name, &body);
    let (document, _) = session.classify_for_documents(&node, None, |classified, _| {
        Ok(classified.classified(name).unwrap_or_else(|problem| problem.document()))
    });
    to_json(&document.unwrap_or_else(|failure| panic!("{}", failure.message))).to_string().len()
}

fn nodes() -> Vec<Subject> {
    let hash = |text: String| match json::parse(text.as_bytes()).unwrap() {
        Value::Hash(hash) => hash,
        _ => Arc::new(Hash::new()),
    };
    let node = |n: usize| {
        let more: String = (0..80).map(|k| format!(r#", "fact{k}": "value {}""#, (n * 7 + k) % 1000)).collect();
        let facts = hash(format!(
            r#"{{"os": {{"family": "{}", "release": {{"full": "1{}.{}"}}}}, "datacenter": "dc{}", "cpus": {}, "team": "team{}", "is_virtual": {}{more}}}"#,
            if n.is_multiple_of(3) { "RedHat" } else { "Debian" },
            n % 10,
            n % 7,
            n % 20,
            n % 64,
            n % 40,
            n.is_multiple_of(2)
        ));
        let trusted = hash(format!(r#"{{"extensions": {{"pp_role": "role{}"}}}}"#, n % 100));
        let kind = if n.is_multiple_of(4) { "db" } else { "web" };
        Subject::new(&format!("{kind}{n}.example.com"), facts, trusted)
    };
    (0..NODES).map(node).collect()
}

fn bench(criterion: &mut Criterion) {
    let (text, nodes, world) = (groups(), nodes(), Memory::default());
    let groups = Groups::read(&parse(&text)).unwrap_or_else(|problem| panic!("{}", problem.message));
    let in_pool = |work: &(dyn Fn() -> usize + Sync)| catwalk_session::pool().unwrap().install(work);
    let all = || groups.survey(&nodes, &[], &world).map(|survey| survey.counts.iter().sum()).unwrap_or(0);
    let started = Instant::now();
    let matches = in_pool(&all);
    let threads = catwalk_session::pool().unwrap().current_num_threads();
    println!("{NODES} nodes, {GROUPS} groups, {threads} threads: {:?}, {matches} matches", started.elapsed());
    criterion.bench_function("classify/survey of 10000 nodes and 500 groups", |bencher| {
        bencher.iter(|| in_pool(&all));
    });
    criterion.bench_function("classify/10000 nodes, one thread", |bencher| {
        bencher.iter(|| {
            let mut worker = groups.plan.worker();
            nodes.iter().map(|node| worker.matching(node, &world).map_or(0, |matching| matching.len())).sum::<usize>()
        });
    });
    criterion.bench_function("classify/10000 nodes, one thread, without the plan", |bencher| {
        let holds = |group: usize, node: &Subject| {
            groups.groups[group].rule.as_ref().is_some_and(|rule| rule.holds(node, &world).unwrap_or(false))
        };
        bencher.iter(|| {
            nodes.iter().map(|node| (0..groups.groups.len()).filter(|group| holds(*group, node)).count()).sum::<usize>()
        });
    });
    criterion.bench_function("classify/one node", |bencher| {
        bencher.iter(|| groups.classify(&nodes[0], &world).map_or(0, |classified| classified.matching.len()));
    });
    let site = tempfile::tempdir().unwrap();
    std::fs::write(site.path().join("groups.json"), &text).unwrap();
    std::fs::write(site.path().join("catwalk.toml"), "[classifier]\ngroups = \"groups.json\"\n").unwrap();
    let options = Options { root: Some(site.path().to_path_buf()), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap_or_else(|why| panic!("{}", why.message));
    let body = |node: &Subject| {
        let hash = |hash: Arc<Hash>| to_json(&Value::Hash(hash));
        serde_json::json!({ "fact": hash(node.facts()), "trusted": hash(node.trusted()) }).to_string()
    };
    let bodies: Vec<(&str, String)> = nodes.iter().take(1000).map(|node| (node.name(), body(node))).collect();
    criterion.bench_function("classify/1000 requests, one thread", |bencher| {
        let requests = || bodies.iter().map(|(name, body)| answer(&session, name, body)).sum::<usize>();
        bencher.iter(|| in_pool(&requests));
    });
}

criterion_group! {
    name = classify;
    config = Criterion::default().sample_size(10);
    targets = bench
}
criterion_main!(classify);
