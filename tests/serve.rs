//! `catwalk serve` as a process, with a client that sends the requests of Puppet's agent over TLS.

use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use crate::support::Site;
use crate::support::agent::Connection;
use crate::support::agent::ServerRun;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;
use crate::support::running::PATIENCE;

const A: &str = "a.example.com";
const B: &str = "b.example.com";

fn titles(catalog: &Value) -> Vec<&str> {
    let resources = catalog["resources"].as_array().unwrap().iter();
    resources.filter(|one| one["type"] == "Notify").map(|one| one["title"].as_str().unwrap()).collect()
}

fn site() -> Site {
    Site::new(&[
        ("site.pp", "include m\nif $facts['bad'] { fail('no') }\n"),
        ("modules/m/manifests/init.pp", "class m { notify { \"v1 ${facts['word']} ${trusted['certname']}\": } }"),
        ("modules/m/files/f", "the contents"),
        ("modules/m/lib/facter/f.rb", "# a fact\n"),
        ("nodes/a.example.com.json", r#"{"word": "x"}"#),
    ])
}

#[test]
fn an_agent_is_served_from_first_contact_to_its_report() {
    let site = site();
    let server = ServerRun::start(&site, &["--reports", "reports"]);
    assert!(server.printed().contains("try it: puppet agent --test") || server.printed().contains("listening"));
    let agent = server.first_contact(A);
    let mut connection = Connection::open(&server, Some(&agent));
    let revocations = connection.get("/puppet-ca/v1/certificate_revocation_list/ca");
    assert!(revocations.status == 200 && revocations.text().contains("X509 CRL"), "{revocations:?}");
    let node = connection.get(&format!("/puppet/v3/node/{A}?environment=production"));
    assert_eq!((node.status, &node.json()["environment"]), (200, &json!("production")));
    let plugins = connection.get("/puppet/v3/file_metadatas/plugins?recurse=true&max_files=-1&links=follow&checksum_type=sha256&source_permissions=ignore&environment=production");
    assert!(plugins.status == 200 && plugins.text().contains("facter/f.rb"), "{plugins:?}");
    let content = connection.get("/puppet/v3/file_content/modules/m/f?environment=production");
    assert_eq!((content.status, content.text().as_str()), (200, "the contents"));
    let catalog = connection.catalog(A, "production", &json!({"word": "x"}));
    assert_eq!(catalog.header("X-Puppet-Version"), Some("8.28.1"));
    assert!(catalog.header("Content-Type").unwrap().starts_with("application/vnd.puppet.rich+json"));
    let compiled: Value = serde_json::from_str(&site.run(&["compile", A]).expect(0, "").stdout).unwrap();
    let without_ids = |mut catalog: Value| {
        (catalog["version"], catalog["catalog_uuid"]) = (Value::Null, Value::Null);
        catalog.to_string().replace(&*site.path().to_string_lossy(), "SITE")
    };
    assert_eq!(without_ids(catalog.json()), without_ids(compiled));
    site.write("modules/m/manifests/init.pp", "class m { notify { 'v2': } }");
    assert_eq!(titles(&connection.catalog(A, "production", &json!({})).json()), ["v2"]);
    let report = json!({"host": A, "status": "changed", "logs": [], "report_format": 12}).to_string();
    let path = format!("/puppet/v3/report/{A}?environment=production");
    let answer = connection.send("PUT", &path, "application/json", report.as_bytes());
    assert_eq!((answer.status, answer.json()), (200, json!(["store"])));
    assert_eq!(std::fs::read_dir(site.path().join("reports").join(A)).unwrap().count(), 1);
    // The log contains no secret and no fact, in either log format.
    assert!(server.printed().contains(&format!("POST /puppet/v3/catalog/{A}?environment=production 200")));
}

#[test]
fn invalid_requests_of_an_agent_are_refused() {
    let site = site();
    let server = ServerRun::start(&site, &[]);
    let agent = server.first_contact(A);
    let mut connection = Connection::open(&server, Some(&agent));
    for path in [
        format!("/puppet/v3/catalog/{B}?environment=production"),
        format!("/puppet/v3/node/{B}?environment=production"),
    ] {
        let answer = connection.get(&path);
        assert_eq!(answer.status, 403, "{answer:?}");
        assert!(answer.text().starts_with("Forbidden request: "), "{answer:?}");
    }
    let mut unauthenticated = Connection::open(&server, None);
    assert_eq!(unauthenticated.catalog(A, "production", &json!({})).status, 403);
    let unknown = connection.get("/puppet/v3/file_metadatas/plugins?recurse=false&environment=nosuch");
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json()["message"], "Not Found: Could not find environment 'nosuch'");
    let catalog = connection.catalog(A, "nosuch", &json!({})).json();
    assert_eq!(catalog["environment"], "production");
    let failed = connection.catalog(A, "production", &json!({"bad": true}));
    assert_eq!(failed.status, 500);
    let message = failed.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with("Server Error: Evaluation Error: ") && message.ends_with(&format!(" on node {A}")),
        "{message}"
    );
    assert_eq!(connection.catalog(A, "production", &json!({})).status, 200);
    assert!(server.printed().contains("error[RUNTIME_ERROR]"), "{}", server.printed());
}

#[test]
fn fifty_simultaneous_requests_are_answered() {
    let site = site();
    let server = ServerRun::start(&site, &["--store", "site.db"]);
    let agents = [server.first_contact(A), server.first_contact(B)];
    std::thread::scope(|scope| {
        for number in 0..50 {
            let (server, agent) = (&server, &agents[number % 2]);
            scope.spawn(move || {
                let mut connection = Connection::open(server, Some(agent));
                loop {
                    let answer = connection.catalog(&agent.certname, "production", &json!({"word": number}));
                    // When the queue is full, an agent waits and tries again.
                    if answer.status == 503 {
                        assert!(answer.header("Retry-After").is_some());
                        std::thread::sleep(Duration::from_millis(200));
                        connection = Connection::open(server, Some(agent));
                        continue;
                    }
                    assert_eq!(answer.status, 200, "{answer:?}");
                    return assert_eq!(titles(&answer.json()), [format!("v1 {number} {}", agent.certname)]);
                }
            });
        }
    });
}

const EXPORTING: &str =
    "if $facts['bad'] { fail('bad') }\n@@notify { \"from ${trusted['certname']}\": }\nNotify <<| |>>\n";

#[test]
fn a_killed_server_keeps_the_catalogs_that_it_sent() {
    let site = Site::new(&[("site.pp", EXPORTING)]);
    let mut server = ServerRun::start(&site, &["--store", "site.db"]);
    let a = server.first_contact(A);
    let catalog = Connection::open(&server, Some(&a)).catalog(A, "production", &json!({})).json();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let server = ServerRun::start(&site, &["--store", "site.db"]);
    // The restarted server has the same authority: the certificate is still valid.
    assert_eq!(Connection::open(&server, Some(&a)).catalog(A, "production", &json!({"bad": 1})).status, 500);
    let b = server.first_contact(B);
    let collected = Connection::open(&server, Some(&b)).catalog(B, "production", &json!({})).json();
    assert_eq!(titles(&collected), [format!("from {B}"), format!("from {A}")]);
    let query = site.run(&[
        "store",
        "query",
        "catalogs[certname, catalog_uuid] { certname = 'a.example.com' }",
        "--store",
        "site.db",
    ]);
    assert!(query.stdout.contains(catalog["catalog_uuid"].as_str().unwrap()), "{query:?}");
}

#[test]
fn signals_stop_the_server_and_a_second_one_reports_the_port_in_use() {
    let site = site();
    let mut server = ServerRun::start(&site, &[]);
    let address = format!("127.0.0.1:{}", server.port);
    site.run(&["serve", "--dev", "--listen", &address]).expect(1, "error[SERVER_FAILED]: cannot listen on");
    signal(&server, "HUP");
    let agent = server.first_contact(A);
    assert_eq!(Connection::open(&server, Some(&agent)).catalog(A, "production", &json!({})).status, 200);
    signal(&server, "TERM");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = server.child.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(40), "{}", server.printed());
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(0), "{}", server.printed());
}

fn signal(server: &ServerRun, name: &str) {
    let pid = server.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
}

#[test]
fn catalogs_facts_and_reports_are_submitted() {
    let puppetdb = FakePuppetDb::start(|_| Reply::accepted());
    let site = site();
    let server = ServerRun::start(&site, &["--submit", "--puppetdb-url", &puppetdb.url]);
    let agent = server.first_contact(A);
    let mut connection = Connection::open(&server, Some(&agent));
    assert_eq!(connection.catalog(A, "production", &json!({"word": "x"})).status, 200);
    assert_eq!(connection.catalog(A, "production", &json!({"word": "x", "bad": true})).status, 500);
    let report: Value = serde_json::from_str(REPORT).unwrap();
    let path = format!("/puppet/v3/report/{A}?environment=production");
    let answer = connection.send("PUT", &path, "application/json", report.to_string().as_bytes());
    assert_eq!((answer.status, answer.json()), (200, json!(["puppetdb"])));
    let started = Instant::now();
    loop {
        let mut names: Vec<String> =
            puppetdb.requests().iter().map(|(request, _)| request.parameter("command").to_owned()).collect();
        names.sort();
        names.dedup();
        if names == ["replace_catalog", "replace_facts", "store_report"] {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{names:?} {}", server.printed());
        std::thread::sleep(Duration::from_millis(20));
    }
    let bodies: Vec<Value> = puppetdb.requests().into_iter().map(|(request, _)| request.body).collect();
    let catalog = bodies.iter().find(|body| body.get("resources").is_some() && body.get("edges").is_some()).unwrap();
    assert_eq!(catalog["transaction_uuid"], "dac750d7-5fe9-42b8-9f6c-09bbf70d285b");
    assert_eq!(catalog["producer"], "catwalk.localhost");
    let facts = bodies.iter().find(|body| body.get("values").is_some()).unwrap();
    assert_eq!(facts["values"]["trusted"]["authenticated"], "remote");
}

/// The shortest report that an agent can send.
const REPORT: &str = r#"{"host": "a.example.com", "time": "2026-11-26T20:00:00.000000000+00:00", "configuration_version": 1,
    "transaction_uuid": "dac750d7-5fe9-42b8-9f6c-09bbf70d285b", "report_format": 12, "puppet_version": "7.23.0", "status": "changed",
    "transaction_completed": true, "noop": false, "noop_pending": false, "environment": "production", "logs": [], "metrics": {},
    "resource_statuses": {}, "corrective_change": false, "catalog_uuid": "dac750d7-5fe9-42b8-9f6c-09bbf70d285c",
    "cached_catalog_status": "not_used"}"#;

#[test]
fn a_log_in_json_has_a_line_for_each_event() {
    let site = site();
    let mut child = site
        .command(&["serve", "--dev", "--autosign", "none", "--listen", "127.0.0.1:0", "--log-format", "json"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let listening = next();
    assert_eq!((&listening["message"], &listening["certname"]), (&json!("listening"), &json!("catwalk.localhost")));
    let port = listening["address"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
    let server = ServerRun::connected(child, port);
    let file = format!("{}/tests/server/{A}.csr.pem", env!("CARGO_MANIFEST_DIR"));
    let body = std::fs::read(file).unwrap();
    let path = format!("/puppet-ca/v1/certificate_request/{A}");
    assert_eq!(Connection::open(&server, None).send("PUT", &path, "text/plain", &body).status, 200);
    let waiting = loop {
        let event = next();
        if event["certname"] == A {
            break event;
        }
    };
    assert_eq!(waiting["message"], "certificate requested, not signed");
    assert_eq!(waiting["fingerprint"].as_str().unwrap().len(), 95);
    // The command in the log signs the request while the server runs.
    let command = waiting["command"].as_str().unwrap().to_owned();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let signed = site.run(&words).expect(0, "");
    assert_eq!(signed.stdout, "Successfully signed certificate request for a.example.com\n");
    assert_eq!(Connection::open(&server, None).get(&format!("/puppet-ca/v1/certificate/{A}")).status, 200);
}

#[test]
fn wrong_usage_is_refused() {
    let site = site();
    for (args, message) in [
        (&["serve"][..], "a server needs certificates"),
        (&["serve", "--dev", "--listen", "0.0.0.0:0"], "other machines can reach 0.0.0.0:0"),
        (&["serve", "--dev", "--facts", "debian-12"], "--facts does not apply to serve"),
        (&["serve", "--dev", "--environmentpath", "nosuch"], "no directory"),
        (&["serve", "--dev", "--autosign", "all", "--autosign", "a"], "--autosign takes all, none, or names"),
        (&["serve", "--dev", "--untrusted"], "error[SERVE_UNTRUSTED]"),
    ] {
        site.run(args).expect(2, message);
    }
    site.run(&["serve", "--ssldir", "nosuch", "--listen", "127.0.0.1:0"]).expect(1, "error[SERVER_FAILED]");
    let dev = ["serve", "--dev", "--listen", "127.0.0.1:0"];
    for (option, path, code, message) in [
        ("--reports", "/proc/x", 1, "reports cannot be written to the directory /proc/x"),
        ("--reports", "site.pp", 1, "reports cannot be written to the directory SITE/site.pp"),
        ("--store", "/none/x.db", 2, "there is no directory /none"),
        ("--store", "/proc/x.db", 2, "/proc/x.db: cannot be created"),
        ("--autosign", "./nosuch.rhai", 2, "--autosign: "),
        ("--deployer", "", 2, "--deployer '': it names no client"),
        ("--deployer", "*", 2, "--deployer '*': it would be every client"),
        ("--deployer", "all", 2, "--deployer 'all': it would be every client"),
        ("--deployer", "=x", 2, "--deployer '=x': an extension is NAME=VALUE"),
        ("--deployer", "pp_role=", 2, "--deployer 'pp_role=': an extension is NAME=VALUE"),
    ] {
        let run = site.run(&[&dev[..], &[option, path]].concat()).expect(code, message);
        assert!(!run.stderr.contains("listening"), "{run:?}");
    }
    site.write("catwalk.toml", "manifest = \"site.pp\"\nuntrusted = true\n");
    site.run(&["serve", "--dev"]).expect(2, "error[SERVE_UNTRUSTED]");
}

/// Listens on a socket that a service manager passes, and tells it when the server is ready and when it stops.
#[cfg(target_os = "linux")]
#[test]
fn a_service_manager_passes_the_socket_and_is_told_the_state() {
    use std::os::unix::net::UnixDatagram;
    let site = site();
    let manager = UnixDatagram::bind(site.path().join("notify")).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // The shell passes its stdin on as the first socket of a service manager.
    let script = "exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" serve --dev --listen 127.0.0.1:1";
    let child = std::process::Command::new("/bin/sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_catwalk")])
        .stdin(std::os::fd::OwnedFd::from(listener))
        .current_dir(site.path())
        .env("NOTIFY_SOCKET", site.path().join("notify"))
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let received = || {
        let mut bytes = [0; 256];
        let length = manager.recv(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes[..length]).trim().to_owned()
    };
    assert_eq!(received(), "READY=1");
    let pid = rustix::process::Pid::from_child(&child);
    let server = ServerRun::connected(child, port);
    assert_eq!(Connection::open(&server, None).get("/status/v1/simple").text(), "running");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(received(), "STOPPING=1");
}

/// The cases: how the shell opens descriptor 3, `LISTEN_FDS`, the message.
#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_that_does_not_listen_is_refused() {
    let site = site();
    let connected = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = std::net::TcpStream::connect(connected.local_addr().unwrap()).unwrap();
    for (open, count, message) in [
        ("3</dev/null", "1", "fd 3 is not a socket"),
        ("3<&-", "1", "fd 3 is not a socket"),
        ("3<.", "2", "fd 3 is not a socket"),
        ("3<&0", "1", "it does not listen; a unit of systemd needs Accept=no"),
    ] {
        let script = format!(
            "exec {open} </dev/null; LISTEN_PID=$$ LISTEN_FDS={count} exec \"$0\" serve --dev --listen 127.0.0.1:1"
        );
        let output = std::process::Command::new("/bin/sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_catwalk")])
            .stdin(std::os::fd::OwnedFd::from(stream.try_clone().unwrap()))
            .current_dir(site.path())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{open}: {printed}");
        let expected = format!("error[SERVER_FAILED]: the socket of the service manager cannot be used: {message}");
        assert!(printed.starts_with(&expected), "{open}: {printed}");
    }
}
