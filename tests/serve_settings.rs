//! `catwalk serve` with the settings of a `puppet.conf`, and its report processors.

use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::Site;
use crate::support::agent::Connection;
use crate::support::agent::ServerRun;

const A: &str = "a.example.com";

/// Answers one POST request; returns its headers and body.
fn answer_one(listener: &TcpListener) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let (mut received, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&received).into_owned();
        let length = text.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
        if let (Some(length), Some(body)) = (length, body)
            && body >= length
        {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            return text;
        }
        let count = stream.read(&mut part).unwrap();
        assert!(count > 0, "{text}");
        received.extend_from_slice(&part[..count]);
    }
}

fn report() -> String {
    let line = json!({ "level": "err", "message": "no\ndisk", "source": "Puppet", "tags": ["err"], "time": "2026-01-01T00:00:00+00:00",
        "file": null, "line": null });
    json!({ "host": A, "status": "failed", "logs": [line], "report_format": 12, "metrics": {}, "resource_statuses": {} })
        .to_string()
}

fn put_report(connection: &mut Connection, report: &str) -> (u16, String) {
    let path = format!("/puppet/v3/report/{A}?environment=production");
    let answer = connection.send("PUT", &path, "application/json", report.as_bytes());
    (answer.status, answer.text())
}

#[test]
fn settings_of_puppet_conf_are_options() {
    let site = Site::empty();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (root, port) = (site.path().display().to_string(), listener.local_addr().unwrap().port());
    site.write(
        "environments/production/manifests/site.pp",
        "notify { \"$role ${trusted['external']['kind']} $nosuch\": }\n",
    );
    site.write("enc", "#!/bin/sh\necho 'parameters: {role: web}'\n");
    site.write("external", "#!/bin/sh\necho '{\"kind\": \"vm\"}'\n");
    for script in ["enc", "external"] {
        std::fs::set_permissions(site.path().join(script), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let text = format!(
        "[main]\nenvironmentpath = {root}/environments\nreports = store, http, log, foreman\nreportdir = $confdir/kept\n\
         reporturl = http://user:pass@127.0.0.1:{port}/reports?a=b\nruninterval = 1h\nmy_setting = 1\n\
         [server]\nnode_terminus = exec\nexternal_nodes = {root}/enc\ntrusted_external_command = $confdir/external\n\
         strict_variables = true\nstrict = warning\n[agent]\nserver = other\n"
    );
    site.write("puppet.conf", text);
    let server = ServerRun::start(&site, &["--puppet-config", "puppet.conf", "--set", "strict_variables=false"]);
    let printed = server.printed();
    assert!(printed.contains("these settings have no effect on catwalk serve: runinterval, my_setting\n"), "{printed}");
    assert!(printed.contains("No report named 'foreman'"), "{printed}");
    let agent = server.first_contact(A);
    let mut connection = Connection::open(&server, Some(&agent));
    let catalog = connection.catalog(A, "production", &json!({}));
    assert_eq!(catalog.status, 200, "{}", catalog.text());
    assert!(catalog.text().contains("\"title\":\"web vm \""), "{}", catalog.text());
    assert_eq!(put_report(&mut connection, &report()), (200, r#"["store","http","log"]"#.to_owned()));
    let sent = answer_one(&listener);
    let (headers, body) = sent.split_once("\r\n\r\n").unwrap();
    assert!(headers.starts_with("POST /reports?a=b HTTP/1.1\r\n"), "{headers}");
    let headers = headers.to_lowercase();
    assert!(
        headers.contains("content-type: application/x-yaml") && headers.contains("authorization: basic dxnlcjpwyxnz")
    );
    let mut files = std::fs::read_dir(site.path().join("kept").join(A)).unwrap();
    let file = files.next().unwrap().unwrap();
    let name = file.file_name().into_string().unwrap();
    assert!(name.len() == 17 && name.starts_with("20") && name.ends_with(".yaml"), "{name}");
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), body);
    assert!(body.starts_with("--- !ruby/object:Puppet::Transaction::Report\nhost: a.example.com\n"), "{body}");
    let printed = server.printed();
    assert!(printed.contains("err: //a.example.com/Puppet: no") && !printed.contains("\ndisk"), "{printed}");
    for wrong in ["{}", "{\"logs\": 1}", "[]", "nothing"] {
        let body = wrong.replacen('{', &format!("{{\"host\": \"{A}\", "), 1).replace(", }", "}");
        assert_eq!(put_report(&mut connection, &body).0, 400, "{body}");
    }
}

#[test]
fn a_script_processes_reports() {
    let site = Site::new(&[("site.pp", "")]);
    site.write("chat.rhai", "fn report(report) { `${report.host} ${report.status} ${report.logs[0].level}` }");
    site.write("broken.rhai", "fn report(report) { throw \"no room\" }");
    let server = ServerRun::start(&site, &["--report-processor", "broken.rhai", "--report-processor", "chat.rhai"]);
    let agent = server.first_contact(A);
    let mut connection = Connection::open(&server, Some(&agent));
    assert_eq!(put_report(&mut connection, &report()), (200, r#"["chat"]"#.to_owned()));
    let printed = server.printed();
    assert!(printed.contains("a.example.com: chat: a.example.com failed err"), "{printed}");
    assert!(printed.contains("no room") && printed.contains("broken.rhai"), "{printed}");
}

#[test]
fn wrong_settings_and_processors_are_errors() {
    let site = Site::new(&[("site.pp", "")]);
    for (text, expected) in [
        ("[main]\na = 1\nb\n", "Could not match line b (file: SITE/puppet.conf, line: 3)"),
        ("[wrong]\n", "Illegal section 'wrong' in config file at (file: SITE/puppet.conf, line: 1)"),
        ("[server]\nmanifest = /x\n", "Cannot set manifest settings in puppet.conf"),
        ("[main]\nstrict = maybe\n", "SITE/puppet.conf: Invalid value 'maybe' for parameter strict"),
        ("[main]\nreportdir = $nosuch/x\nreports = store\n", "Could not find value for $nosuch"),
        ("[main]\nreports = http\nreporturl = ftp://x\n", "'ftp://x' is not the URL of a web server"),
        (
            "[main]\nfileserverconfig = files.conf\n",
            "SITE/puppet.conf: the setting 'fileserverconfig' is not an absolute path: files.conf",
        ),
    ] {
        site.write("puppet.conf", text);
        let run = site.run(&["serve", "--dev", "--listen", "127.0.0.1:0", "--puppet-config", "puppet.conf"]);
        let printed = run.stderr.replace(&site.path().display().to_string(), "SITE");
        assert!(printed.contains(expected), "{text}: {printed}");
    }
    for (processor, expected) in [("nothing", "is not log, store=DIR"), ("missing.rhai", "missing.rhai")] {
        let run = site.run(&["serve", "--dev", "--listen", "127.0.0.1:0", "--report-processor", processor]);
        assert!(run.stderr.contains(expected), "{processor}: {}", run.stderr);
    }
    let with_login = "htps://user:secret@host/reports";
    let run = site.run(&["serve", "--dev", "--listen", "127.0.0.1:0", "--report-processor", with_login]);
    assert!(run.stderr.contains("'host/reports' is not log, store=DIR"), "{}", run.stderr);
    assert!(!run.stderr.contains("secret"), "{}", run.stderr);
}
