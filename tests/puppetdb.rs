//! Submission to PuppetDB: `compile --submit`, `store push`.

mod settings;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::support::Site;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;
use crate::support::puppetdb::Request;

const SITE: &str = r#"
node /^web/ {
  if $facts['broken'] { fail('broken') }
  @@notify { "from ${trusted['certname']}": message => 'm', tag => 'Web' }
  user { 'u': password => Sensitive('hunter2'), home => '/x' }
  notify { ['a', { 'b' => Sensitive('hunter2') }]: } if false
  notify { 'own': message => [1, 1.5, true, Sensitive('hunter2')], before => User['u'] }
}
"#;

const TIME: &str = "2026-01-02T03:04:05.678Z";
const RUN: &str = "11111111-2222-4333-8444-555555555555";

fn site(more: &str) -> Site {
    let toml = format!("nodes = \"nodes\"\nmanifest = \"site.pp\"\n[puppetdb]\n{more}");
    let code = SITE.replace("  notify { ['a', { 'b' => Sensitive('hunter2') }]: } if false\n", "");
    let inventory =
        r#"{"role": "web", "list": [1, {"a": null}], "_puppet_inventory_1": {"packages": [["a", "1", "apt"]]}}"#;
    Site::new(&[("catwalk.toml", &toml), ("site.pp", &code), ("nodes/web1.json", inventory), ("nodes/web2.json", "{}")])
}

fn taking() -> FakePuppetDb {
    FakePuppetDb::start(|_| Reply::accepted())
}

/// Files of the queue below a directory.
fn waiting(site: &Site, folder: &str) -> Vec<String> {
    commands_in(&site.path().join(folder))
}

/// The queue in the user's state that was written last: there is one for each address of PuppetDB.
fn queue_of(site: &Site) -> PathBuf {
    let queues = std::fs::read_dir(site.state().join("catwalk/queue")).unwrap().flatten().map(|entry| entry.path());
    queues.max_by_key(|path| std::fs::metadata(path).unwrap().modified().unwrap()).unwrap()
}

fn commands_in(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".json")).collect();
    names.sort();
    names
}

/// All paths below a site.
fn files(site: &Site) -> Vec<PathBuf> {
    let (mut found, mut next) = (Vec::new(), vec![site.path().to_path_buf()]);
    while let Some(folder) = next.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            next.extend(Some(entry.path()).filter(|path| path.is_dir()));
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn find<'r>(requests: &'r [Request], command: &str, certname: &str) -> &'r Request {
    let is_it =
        |request: &&Request| request.parameter("command") == command && request.parameter("certname") == certname;
    requests.iter().find(is_it).unwrap_or_else(|| panic!("no {command} of {certname} in {requests:#?}"))
}

#[test]
fn catalogs_and_facts_arrive_as_the_terminus_sends_them() {
    let server = taking();
    let site = site(&format!("url = \"{}/\"\n", server.url));
    let varying = ["--producer-timestamp", TIME, "--transaction-uuid", RUN, "--producer", "server.example.com"];
    let run = site.run(&[&["compile", "--submit", "-o", "out/", "--format", "wire9"], &varying[..]].concat());
    run.expect(0, &format!("4 commands submitted to {}", server.url));
    let requests = server.accepted_commands();
    assert_eq!(requests.len(), 4);
    let request = find(&requests, "replace_catalog", "web1");
    assert_eq!(request.path, "/pdb/cmd/v1");
    let names: Vec<&str> = request.parameters.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["checksum", "version", "certname", "command", "producer-timestamp"]);
    assert_eq!((request.parameter("version"), request.parameter("producer-timestamp")), ("9", TIME));
    assert_eq!(request.header("content-type"), "application/json; charset=utf-8");
    assert_eq!(request.header("content-encoding"), "gzip");
    let written: Value = serde_json::from_slice(&std::fs::read(site.path().join("out/web1.json")).unwrap()).unwrap();
    assert_eq!(request.body, written);
    assert_eq!(request.body["transaction_uuid"], RUN);
    let facts = find(&requests, "replace_facts", "web1");
    assert_eq!((facts.parameter("version"), facts.parameter("producer-timestamp")), ("5", TIME));
    let members: Vec<&String> = facts.body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["certname", "values", "environment", "producer_timestamp", "producer", "package_inventory"]);
    assert_eq!(facts.body["package_inventory"], json!([["a", "1", "apt"]]));
    assert_eq!(facts.body["values"]["list"], json!([1, {"a": null}]));
    assert_eq!(facts.body["values"]["trusted"]["certname"], "web1");
    assert_eq!(facts.body["producer"], "server.example.com");
    let all = format!("{requests:?}");
    assert!(!all.contains("hunter2") && all.contains("from web1"), "{all}");
    assert_eq!(commands_in(&site.queue()), [""; 0]);
}

#[test]
fn a_failing_node_submits_nothing() {
    let server = taking();
    let site = site(&format!("url = \"{}\"\n", server.url));
    site.write("nodes/web1.json", r#"{"broken": true}"#);
    site.run(&["compile", "--submit", "-o", "out/"]).expect(1, "broken");
    let certnames: Vec<String> =
        server.accepted_commands().iter().map(|request| request.parameter("certname").to_owned()).collect();
    assert_eq!(certnames, ["web2", "web2"]);
    // One that the terminus could not send, either: a relationship to what is not in the catalog.
    site.write("site.pp", "@@notify { 'e': } notify { 'x': before => Notify['e'] }\n");
    site.run(&["compile", "web2", "--submit"]).expect(1, "because");
    assert_eq!(server.accepted_commands().len(), 2);
}

#[test]
fn commands_that_puppetdb_does_not_accept_wait_in_the_queue() {
    let down = FakePuppetDb::start(|_| Reply::Answer(503, "starting\nup".to_owned()));
    let site = site(&format!("url = \"{}\"\nqueue = \"q\"\n", down.url));
    let submit = |args: &[&str]| site.run(&[&["compile", "-o", "out/", "--submit", "--retries", "0"], args].concat());
    let run = submit(&[]).expect(1, "PuppetDB did not accept 4 commands");
    assert!(run.stderr.contains("[503 Service Unavailable] startingup"), "{run:#?}");
    assert!(run.stderr.contains("they wait in SITE/q; `catwalk store push` sends them"), "{run:#?}");
    // Newer catalogs and facts of a node replace those that wait; after three failures in a row the rest is not tried.
    submit(&["web1", "--fact", "round=2"]).expect(1, "did not accept 4 commands");
    let queued = waiting(&site, "q");
    assert_eq!(queued.len(), 4, "{queued:?}");
    assert_eq!(down.requests().len(), 6);
    let server = taking();
    let url = ["--puppetdb-url", &server.url];
    let push = |args: &[&str]| site.run(&[&["store", "push", "--retries", "0"], args].concat());
    let listed = push(&["--dry-run"]).expect(0, "").stdout;
    assert!(listed.ends_with("4 commands would be sent\n") && listed.contains("-web1-replace_facts-"), "{listed}");
    push(&[&["web1"], &url[..]].concat()).expect(0, "2 commands submitted");
    let facts = server.accepted_commands();
    assert_eq!(find(&facts, "replace_facts", "web1").body["values"]["round"], 2);
    push(&[&["nothing"], &url[..]].concat()).expect(2, "neither the store nor the queue has anything about nothing");
    // Addresses are tried in turn.
    push(&["--puppetdb-url", &down.url, "--puppetdb-url", &server.url]).expect(0, "2 commands submitted");
    assert_eq!((server.accepted_commands().len(), waiting(&site, "q").len()), (4, 0));
    push(&[]).expect(0, "0 commands submitted");
}

#[test]
fn failures_are_retried_and_reported() {
    let attempts = std::sync::atomic::AtomicUsize::new(0);
    let server = FakePuppetDb::start(move |_| match attempts.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => Reply::Close,
        1 => Reply::Answer(200, "<html>".to_owned()),
        _ => Reply::accepted(),
    });
    let site = site(&format!("url = \"{}\"\n", server.url));
    site.run(&["compile", "web2", "--submit"]).expect(0, "2 commands submitted");
    assert_eq!(server.requests().len(), 4);
    for (reply, why) in [
        (Reply::Close, ""),
        (Reply::Half("{".to_owned()), ""),
        (Reply::Hang(Duration::from_secs(5)), "timeout"),
        (Reply::Flood(2), "larger than"),
        (Reply::Answer(200, "{\"uuid\"".to_owned()), "the response has no UUID: {\"uuid\""),
        (Reply::Answer(404, "<html>".to_owned()), "[404 Not Found] <html>"),
    ] {
        let reply_text = format!("{reply:?}");
        let server = FakePuppetDb::start(move |_| reply.clone());
        let args = ["compile", "web2", "--submit", "--retries", "0", "--puppetdb-timeout", "1", "--puppetdb-url"];
        let run = site.run(&[&args[..], &[&server.url]].concat());
        let run = run.expect(1, &format!("PuppetDB did not accept 2 commands: {}", server.url));
        assert!(run.stderr.contains(why), "{reply_text}: {run:#?}");
        assert_eq!(commands_in(&queue_of(&site)).len(), 2, "{reply_text}");
    }
}

#[test]
fn refused_and_damaged_commands_are_set_aside() {
    let server = FakePuppetDb::start(|request| match request.parameter("command") {
        "replace_catalog" => Reply::Answer(400, r#"{"error": "Version 9 is from the future."}"#.to_owned()),
        _ => Reply::accepted(),
    });
    let site = site(&format!("url = \"{}\"\nqueue = \"q\"\n", server.url));
    let run = site.run(&["compile", "web1", "--submit", "-o", "a.json"]).expect(1, "Version 9 is from the future.");
    assert!(run.stderr.contains("a command was moved to SITE/q/refused/"), "{run:#?}");
    assert_eq!((waiting(&site, "q").len(), waiting(&site, "q/refused").len()), (0, 1));
    site.run(&["compile", "--submit", "-o", "out/", "--puppetdb-url", "http://127.0.0.1:1", "--retries", "0"])
        .expect(1, "http://127.0.0.1:1");
    let queued = waiting(&site, "q");
    let facts = queued.iter().find(|name| name.contains("-web1-replace_facts-")).unwrap();
    let path = format!("q/{facts}");
    let text = std::fs::read_to_string(site.path().join(&path)).unwrap();
    site.write(&path, text.get(..100).unwrap());
    site.write("q/notes.json", "{}");
    let server = taking();
    let run = site.run(&["store", "push", "--puppetdb-url", &server.url]).expect(1, "3 commands submitted");
    assert!(run.stderr.contains(&format!("SITE/q/damaged/{facts}: EOF")), "{run:#?}");
    // A file that is not named as a command is not one.
    assert!(!run.stderr.contains("notes.json"), "{run:#?}");
    assert_eq!(waiting(&site, "q"), ["notes.json"]);
    assert_eq!(waiting(&site, "q/damaged").len(), 1);
}

#[test]
fn a_store_is_pushed() {
    let server = taking();
    let site = site(&format!("url = \"{}\"\nstore = \"s.db\"\n", server.url));
    site.run(&["store", "push"]).expect(0, "0 commands submitted");
    site.run(&["compile", "-o", "out/", "--format", "wire9"]).expect(0, "");
    let before = files(&site);
    let listed = site.run(&["store", "push", "web1", "--dry-run"]).expect(0, "").stdout;
    assert_eq!(files(&site), before, "nothing is written");
    let expected = "replace_facts 5 of web1\nreplace_catalog 9 of web1\n2 commands would be sent\n";
    assert_eq!((listed.as_str(), server.requests().len()), (expected, 0));
    site.run(&["store", "push"]).expect(0, "4 commands submitted");
    let requests = server.accepted_commands();
    let written: Value = serde_json::from_slice(&std::fs::read(site.path().join("out/web1.json")).unwrap()).unwrap();
    let pushed = &find(&requests, "replace_catalog", "web1").body;
    for key in [
        "certname",
        "version",
        "environment",
        "edges",
        "catalog_uuid",
        "transaction_uuid",
        "code_id",
        "job_id",
        "producer",
    ] {
        assert_eq!(pushed[key], written[key], "{key}");
    }
    // PuppetDB has no use for what kind of resource it is.
    let mut resources = written["resources"].clone();
    resources
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|request| drop(request.as_object_mut().unwrap().shift_remove("kind")));
    assert_eq!(pushed["resources"], resources);
    assert_eq!(find(&requests, "replace_facts", "web1").body["package_inventory"], json!([["a", "1", "apt"]]));
}

/// Facts are kept as they are: files that hold them are for their owner only. Sensitive parameters are in none of them.
#[cfg(unix)]
#[test]
fn stores_and_queues_are_private_and_hold_no_sensitive_parameters() {
    use std::os::unix::fs::PermissionsExt;
    let site = site("url = \"http://127.0.0.1:1\"\nqueue = \"q\"\nstore = \"s.db\"\n");
    site.write("nodes/web1.json", r#"{"token": "of web1"}"#);
    site.write("old.db", "");
    let old = site.path().join("old.db");
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o644)).unwrap();
    for store in [&[][..], &["--store", "old.db"]] {
        let submit = ["compile", "--submit", "-o", "out/", "--retries", "0"];
        site.run(&[&submit[..], store].concat()).expect(1, "PuppetDB did not accept");
    }
    let is_kept = |path: &PathBuf| path.is_file() && !path.starts_with(site.path().join("out"));
    let private_files = files(&site).into_iter().filter(is_kept).filter(|path| {
        path.extension().is_some_and(|extension| extension == "json") && path.parent().unwrap().ends_with("q")
            || path.file_name().unwrap().to_string_lossy().contains(".db")
    });
    let mut with_facts = 0;
    for path in private_files {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        assert!(!text.contains("hunter2"), "{}", path.display());
        with_facts += usize::from(text.contains("of web1"));
    }
    assert!(with_facts >= 3, "two stores and the queue");
}

/// Of each failure there is a message, not only of the first.
#[test]
fn files_that_cannot_be_written_and_a_queue_that_cannot_be_are_both_reported() {
    let site = site("url = \"http://127.0.0.1:1\"\nqueue = \"q\"\n");
    site.write("out", "");
    site.write("q", "");
    let run = site.run(&["compile", "web1", "web2", "--submit", "-o", "out/", "--store", "site.pp/s.db"]);
    let run = run.expect(1, "SITE/q");
    for failure in ["cannot write out/web1.json", "SITE/site.pp/s.db"] {
        assert!(run.stderr.contains(failure), "{failure}: {run:#?}");
    }
    // A payload that PuppetDB would discard does not hide that the catalog could not be made.
    site.remove("q");
    site.write("site.pp", "@@notify { 'e': } notify { 'x': before => Notify['e'] }\n");
    let run = site.run(&["compile", "web1", "--submit", "--format", "wire9"]).expect(1, "exported but not collected");
    assert!(!run.stderr.is_empty());
}

#[test]
fn payloads_that_puppetdb_would_discard_are_not_sent() {
    let server = taking();
    let site = site(&format!("url = \"{}\"\n", server.url));
    let fixture = "nodes:\n  bad:\n    catalog_uuid: none\n    facts: {a: 1}\n    resources: [{type: notify, title: x, tags: [Web]}]\n  \
                   good:\n    facts: {a: 1}\n";
    site.write("fixture.yaml", fixture);
    site.run(&["store", "import", "fixture.yaml", "--store", "s.db"]).expect(0, "");
    let run =
        site.run(&["store", "push", "--store", "s.db"]).expect(1, "replace_catalog of bad: PuppetDB would discard it");
    for rule in [
        "/catalog_uuid: `catalog_uuid` must be a UUID or null",
        "/resources/0/type: each word",
        "/resources/0/tags/0: a tag begins",
    ] {
        assert!(run.stderr.contains(rule), "{run:#?}");
    }
    assert_eq!(
        server.accepted_commands().iter().map(|request| request.parameter("certname").to_owned()).collect::<Vec<_>>(),
        ["bad", "good"]
    );
    assert!(server.accepted_commands().iter().all(|request| request.parameter("command") == "replace_facts"));
}

#[test]
fn reports_are_pushed() {
    let server = taking();
    let site = site(&format!("url = \"{}\"\n", server.url));
    for (file, format) in [("puppet.json", "puppet"), ("puppetdb.json", "puppetdb")] {
        let args = ["apply", "-e", "notify { 'a': }", "--certname", "n", "--report", file, "--report-format", format];
        site.run(&args).expect(2, "");
    }
    site.run(&["store", "push", "--report", "puppet.json", "--report", "puppetdb.json"])
        .expect(0, "2 commands submitted");
    let requests = server.accepted_commands();
    for request in &requests {
        assert_eq!((request.parameter("command"), request.parameter("version")), ("store_report", "8"));
        assert_eq!(request.body["resources"][0]["events"][0]["status"], "success");
    }
    let apply =
        |args: &[&str]| site.run(&[&["apply", "-e", "notify { 'a': }", "--certname", "n", "--submit"], args].concat());
    apply(&[]).expect(2, "1 command submitted");
    let last = server.accepted_commands().pop().unwrap();
    assert_eq!((last.parameter("command"), &last.body["status"]), ("store_report", &json!("changed")));
    // The run is over: that PuppetDB is down does not change its exit code.
    apply(&["--puppetdb-url", "http://127.0.0.1:1", "--retries", "0"]).expect(2, "PuppetDB did not accept 1 command");
    site.run(&["apply", "-e", "fail('x')", "--certname", "n", "--submit"]).expect(1, "2 commands submitted");
    let statuses: Vec<String> = server.drain().iter().map(|request| request.body["status"].to_string()).collect();
    assert_eq!(statuses, ["changed", "changed", "changed", "changed", "failed"].map(|status| format!("\"{status}\"")));
    site.write("x.json", r#"{"a": 1}"#);
    site.run(&["store", "push", "--report", "x.json"]).expect(2, "x.json: not a report");
    site.write("x.json", r#"{"certname": "n"}"#);
    site.run(&["store", "push", "--report", "x.json"]).expect(1, "the member `puppet_version` is required");
    assert_eq!(server.accepted_commands().len(), 0);
    site.write("catwalk.toml", "");
    apply(&["-v"]).expect(1, "no address of PuppetDB is set");
}
