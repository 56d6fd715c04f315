//! Submissions that are killed while PuppetDB fails: nothing is lost.
//!
//! `KILLS=200 cargo test --test main puppetdb_queue::` kills more often; `SEED=N` kills at other moments.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Child;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;

use crate::support::Site;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;

const NODES: usize = 4;

/// A node and a command.
type Key = (String, String);
/// When a document was made, and in which round.
type Version = (String, i64);

fn next(random: &AtomicU64) -> u64 {
    let step = |now: u64| Some(now.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    random.fetch_update(Ordering::SeqCst, Ordering::SeqCst, step).unwrap() >> 33
}

/// A PuppetDB that fails most of the time in every way, as long as it is `moody`.
fn moody(random: Arc<AtomicU64>, moody: Arc<AtomicBool>) -> FakePuppetDb {
    FakePuppetDb::start(move |_| match next(&random) % 10 {
        _ if !moody.load(Ordering::SeqCst) => Reply::accepted(),
        0 => Reply::Answer(500, "broken".to_owned()),
        1 => Reply::Answer(503, String::new()),
        2 => Reply::Close,
        3 => Reply::Hang(Duration::from_millis(1500)),
        4 => Reply::Answer(200, "<html>Welcome</html>".to_owned()),
        5 => Reply::Half(r#"{"uuid": "0"#.to_owned()),
        _ => Reply::accepted(),
    })
}

fn site(url: &str) -> Site {
    let site = Site::empty();
    site.write(
        "catwalk.toml",
        format!("nodes = \"nodes\"\nmanifest = \"site.pp\"\n[puppetdb]\nurl = \"{url}\"\nqueue = \"q\"\ntimeout = 1\n"),
    );
    site.write("site.pp", "notify { 'round': message => $facts['round'] }\n");
    (0..NODES).for_each(|number| site.write(&format!("nodes/n{number}.json"), "{}"));
    site
}

fn version(command: &str, payload: &Value) -> Version {
    let round = match command {
        "replace_facts" => &payload["values"]["round"],
        _ => {
            &payload["resources"].as_array().unwrap().iter().find(|one| one["type"] == "Notify").unwrap()["parameters"]
                ["message"]
        }
    };
    (payload["producer_timestamp"].as_str().unwrap().to_owned(), round.as_i64().unwrap())
}

fn note(last: &mut BTreeMap<Key, Version>, certname: &str, command: &str, payload: &Value) {
    let known = last.entry((certname.to_owned(), command.to_owned())).or_default();
    *known = version(command, payload).max(known.clone());
}

/// Notes every command that is ever in the queue, until `is_over`: from then on it must not be lost. Each file is whole.
fn follow(queue: &Path, is_over: &AtomicBool) -> BTreeMap<Key, Version> {
    let (mut last, mut known) = (BTreeMap::new(), BTreeSet::new());
    loop {
        // What is there at the end is looked at, too.
        let is_last = is_over.load(Ordering::SeqCst);
        for entry in std::fs::read_dir(queue).into_iter().flatten().flatten() {
            let is_command = entry.path().extension().is_some_and(|extension| extension == "json");
            if !is_command || !known.insert(entry.file_name()) {
                continue;
            }
            // It may have been sent in between.
            let Ok(bytes) = std::fs::read(entry.path()) else { continue };
            let document: Value = serde_json::from_slice(&bytes).unwrap();
            let command = document["command"].as_str().unwrap().replace(' ', "_");
            note(&mut last, document["certname"].as_str().unwrap(), &command, &document["payload"]);
        }
        if is_last {
            return last;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn submit(site: &Site, round: u64) -> Child {
    let fact = format!("round={round}");
    let mut command = site.command(&["compile", "--submit", "--fact", &fact, "--retries", "1", "--quiet"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn killed_submissions_lose_nothing() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let random = Arc::new(AtomicU64::new(number("SEED", 1)));
    let is_moody = Arc::new(AtomicBool::new(false));
    let server = moody(random.clone(), is_moody.clone());
    let site = site(&server.url);
    let started = Instant::now();
    assert!(submit(&site, 0).wait().unwrap().success());
    let usual = u64::try_from(started.elapsed().as_millis()).unwrap();
    is_moody.store(true, Ordering::SeqCst);
    let is_over = Arc::new(AtomicBool::new(false));
    let (queue, over) = (site.path().join("q"), is_over.clone());
    let follower = std::thread::spawn(move || follow(&queue, &over));
    let mut killed = 0;
    for kill in 1..=number("KILLS", 5) {
        // Two at once: the second one adds commands while the first one sends.
        for mut child in [submit(&site, 2 * kill), submit(&site, 2 * kill + 1)] {
            std::thread::sleep(Duration::from_millis(next(&random) % (2 * usual)));
            killed += u32::from(child.try_wait().unwrap().is_none());
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    assert!(killed > 0);
    is_over.store(true, Ordering::SeqCst);
    let mut last = follower.join().unwrap();
    for request in server.accepted_commands() {
        note(&mut last, request.parameter("certname"), request.parameter("command"), &request.body);
    }
    assert_eq!(last.len(), 2 * NODES);
    is_moody.store(false, Ordering::SeqCst);
    site.run(&["store", "push"]).expect(0, " submitted to ");
    let arrived: Vec<(Key, Version)> = server
        .accepted_commands()
        .iter()
        .map(|request| {
            let (certname, command) = (request.parameter("certname"), request.parameter("command"));
            ((certname.to_owned(), command.to_owned()), version(command, &request.body))
        })
        .collect();
    for (key, (time, _)) in last {
        // Of commands of the same millisecond, the one that arrived last replaces the others: this test cannot see which.
        let has_arrived = arrived.iter().any(|(other, (when, _))| *other == key && *when == time);
        assert!(has_arrived, "{key:?} of {time} is not among {arrived:?}");
    }
    let left: Vec<String> = std::fs::read_dir(site.path().join("q"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left, [".lock"]);
}
