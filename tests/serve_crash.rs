//! `catwalk serve` when its serving process dies: it is replaced, what it has stored is whole, and a request that ends it is refused.

use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use crate::support::Site;
use crate::support::agent::Agent;
use crate::support::agent::Connection;
use crate::support::agent::ServerRun;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;
use crate::support::running::PATIENCE;

const A: &str = "a.example.com";
const B: &str = "b.example.com";

/// A node with the fact `slow` compiles for a long time, and leaves a line in `ran`.
fn site() -> Site {
    let site = Site::empty();
    let ran = site.path().join("ran");
    site.write(
        "site.pp",
        format!(
            "if $facts['slow'] {{ generate('/bin/sh', '-c', 'echo x >> {}; exec sleep 60') }}\n\
             @@notify {{ \"from ${{trusted['certname']}}\": }}\nNotify <<| |>>\n",
            ran.display()
        ),
    );
    site.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n");
    site.write("nodes/a.example.com.json", "{}");
    site
}

fn wait_until(server: &ServerRun, what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}: {}", server.printed());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The process that serves: the only child of the one that was started.
fn serving_process(server: &ServerRun) -> Option<u32> {
    let supervisor = server.child.id();
    let is_child = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let (state, parent) = (fields.next().unwrap_or_default().to_owned(), fields.next().unwrap_or_default());
        parent == supervisor.to_string() && state != "Z"
    };
    let entries =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    entries.into_iter().find(is_child)
}

/// Whether a process has not ended.
fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|fields| fields.split_whitespace().next()).is_some_and(|state| state != "Z")
}

fn signal(pid: u32, name: &str) {
    assert!(std::process::Command::new("kill").args(["-s", name, &pid.to_string()]).status().unwrap().success());
}

/// Ends the serving process and waits for the next one.
fn crash(server: &ServerRun, name: &str) {
    let before = serving_process(server).unwrap();
    let restarts = || server.printed().matches("listening again").count();
    let count = restarts();
    signal(before, name);
    wait_until(server, "a new process", || restarts() > count);
    assert_ne!(serving_process(server), Some(before));
}

fn catalog(server: &ServerRun, agent: &Agent, facts: &serde_json::Value) -> u16 {
    Connection::open(server, Some(agent)).catalog(&agent.certname, "production", facts).status
}

/// Starts a request of a node that does not end, and waits until it is compiling.
fn compile_slowly<'s, 'e>(
    scope: &'s std::thread::Scope<'s, 'e>,
    (site, server, agent): (&Site, &'e ServerRun, &'e Agent),
) {
    let ran = || std::fs::read_to_string(site.path().join("ran")).unwrap_or_default().len();
    let before = ran();
    scope.spawn(move || {
        // The server dies before it answers.
        let _ = std::panic::catch_unwind(|| catalog(server, agent, &json!({"slow": true})));
    });
    wait_until(server, "the compile", || ran() > before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_dead_process_is_replaced_and_nothing_that_was_stored_is_lost() {
    let puppetdb = FakePuppetDb::start(|_| Reply::accepted());
    let site = site();
    let options = ["--store", "site.db", "--reports", "reports", "--submit", "--puppetdb-url", &puppetdb.url];
    let server = ServerRun::start(&site, &options);
    let (a, b) = (server.first_contact(A), server.first_contact(B));
    assert_eq!(catalog(&server, &a, &json!({})), 200);
    let report = json!({"host": A, "status": "changed", "logs": [], "report_format": 12}).to_string();
    let path = format!("/puppet/v3/report/{A}?environment=production");
    let answer = Connection::open(&server, Some(&a)).send("PUT", &path, "application/json", report.as_bytes());
    assert_eq!(answer.status, 200);
    let mut times = Vec::new();
    for name in ["ABRT", "ILL", "KILL"] {
        let pid = serving_process(&server).unwrap();
        let started = Instant::now();
        signal(pid, name);
        // A connection that the process had accepted ends with it.
        wait_until(&server, "the end of the process", || !is_running(pid));
        // A connection is not refused while the process is replaced.
        assert_eq!(Connection::open(&server, None).get("/status/v1/simple").status, 200);
        times.push(started.elapsed());
        wait_until(&server, "the log", || server.printed().contains(&format!("(SIG{name})")));
    }
    assert!(times.iter().min().unwrap() < &Duration::from_secs(2), "{times:?}");
    let collected = Connection::open(&server, Some(&b)).catalog(B, "production", &json!({})).json();
    let titles: Vec<&str> = collected["resources"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|resource| resource["type"] == "Notify")
        .map(|resource| resource["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        ["from b.example.com", "from a.example.com"],
        "certificates and the store are those from before"
    );
    assert_eq!(std::fs::read_dir(site.path().join("reports").join(A)).unwrap().count(), 1);
    let log = server.printed();
    assert_eq!(log.matches("while it answered no request").count(), 3, "{log}");
    assert_eq!(log.matches("try it: ").count(), 1, "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_request_that_ends_the_process_twice_is_refused() {
    let site = site();
    let server = ServerRun::start(&site, &[]);
    let (a, b) = (server.first_contact(A), server.first_contact(B));
    std::thread::scope(|scope| {
        for round in 1..=2 {
            compile_slowly(scope, (&site, &server, &a));
            crash(&server, "ABRT");
            let text = "was ended by signal 6 (SIGABRT) while it answered the catalog of a.example.com in environment production";
            assert_eq!(server.printed().matches(text).count(), round, "{}", server.printed());
            assert_eq!(catalog(&server, &b, &json!({})), 200, "other nodes are served");
        }
    });
    let ran = std::fs::read_to_string(site.path().join("ran")).unwrap();
    let refused = Connection::open(&server, Some(&a)).catalog(A, "production", &json!({"slow": true}));
    assert_eq!(refused.status, 500);
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("the server process has died twice while it was being answered"), "{message}");
    assert_eq!(std::fs::read_to_string(site.path().join("ran")).unwrap(), ran, "nothing is compiled");
    assert_eq!(catalog(&server, &b, &json!({})), 200);
    // A process that dies for another reason keeps it refused.
    crash(&server, "KILL");
    assert_eq!(catalog(&server, &a, &json!({})), 500);
    signal(server.child.id(), "HUP");
    wait_until(&server, "the reload", || catalog(&server, &a, &json!({})) == 200);
}

#[cfg(target_os = "linux")]
#[test]
fn a_request_that_has_been_answered_in_between_is_not_refused() {
    let site = site();
    let server = ServerRun::start(&site, &[]);
    let a = server.first_contact(A);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            compile_slowly(scope, (&site, &server, &a));
            crash(&server, "ABRT");
            assert_eq!(catalog(&server, &a, &json!({})), 200);
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn the_processes_end_together() {
    for (name, code) in [("TERM", Some(0)), ("INT", Some(0)), ("KILL", None)] {
        let site = site();
        let mut server = ServerRun::start(&site, &[]);
        let serving = serving_process(&server).unwrap();
        // Service managers send the signal to both processes.
        if name != "KILL" {
            signal(serving, name);
        }
        signal(server.child.id(), name);
        let status = server.child.wait().unwrap();
        assert_eq!(status.code(), code, "{name}: {}", server.printed());
        let is_running = || {
            let stat = std::fs::read_to_string(format!("/proc/{serving}/stat")).unwrap_or_default();
            !stat.is_empty() && !stat.contains(") Z ")
        };
        wait_until(&server, name, || !is_running());
        wait_until(&server, name, || std::net::TcpStream::connect(("127.0.0.1", server.port)).is_err());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_ends_running_requests() {
    let site = site();
    let mut server = ServerRun::start(&site, &[]);
    let a = server.first_contact(A);
    std::thread::scope(|scope| {
        compile_slowly(scope, (&site, &server, &a));
        signal(server.child.id(), "TERM");
        wait_until(&server, "the stop", || server.printed().contains("stopping when running requests have ended"));
        let connect = || std::net::TcpStream::connect(("127.0.0.1", server.port));
        wait_until(&server, "no more connections", || connect().is_err());
        signal(server.child.id(), "TERM");
        let pid = server.child.id();
        wait_until(&server, "the end", || {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ")
        });
    });
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(server.child.wait().unwrap().signal(), Some(15));
}
