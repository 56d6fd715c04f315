//! Managing the authority over HTTP: the table of requests by right, wrong, missing, foreign, expired and revoked certificates.
//!
//! `authority/requests.jsonl` contains the answers of puppetserver 7.9.5 (`tests/server/authority/record`) to the same requests on the same
//! directory, which `puppetserver ca setup` made (`tests/server/authority/make`). A member `catwalk` is an intended difference with its
//! reason.

use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;
use serde_json::json;
use tempfile::TempDir;

use super::support::Connection;
use super::support::Identity;
use super::support::RunningServer;
use super::support::limits;
use crate::config::CertificateSource;
use crate::config::Event;
use catwalk_authority::Authority;
use catwalk_authority::AuthorityConfig;
use catwalk_authority::Autosign;
use catwalk_world::output::Place;

const NAME: &str = "puppet.example.com";

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/authority")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => std::fs::write(target, std::fs::read(entry.path()).unwrap()).unwrap(),
        }
    }
}

/// The settings of a copy of the authority that `puppetserver ca setup` made.
fn puppets_authority(directory: &Path, autosign: Autosign) -> AuthorityConfig {
    copy(&data().join("ca"), &directory.join("ca"));
    copy(&data().join("ssl"), &directory.join("ssl"));
    AuthorityConfig {
        ssldir: Some(Place::named(directory.join("ssl"))),
        autosign,
        ..AuthorityConfig::new(Place::named(directory.join("ca")), NAME)
    }
}

fn start(autosign: Autosign) -> RunningServer {
    let directory = TempDir::new().unwrap();
    let settings = puppets_authority(directory.path(), autosign);
    RunningServer::start_in(directory, limits(), CertificateSource::Authority(settings))
}

fn identity(client: &str) -> Option<Identity> {
    let (certificate, key) = match client {
        "none" => return None,
        "admin" => (format!("ssl/certs/{NAME}.pem"), format!("ssl/private_keys/{NAME}.pem")),
        client => (format!("clients/{client}.pem"), format!("clients/{client}.key")),
    };
    let read = |name: String| std::fs::read_to_string(data().join(name)).unwrap();
    Some(Identity { certificate: read(certificate), key: read(key) })
}

/// Replaces what differs between runs, as `record` does.
fn stable(value: Value) -> Value {
    let sorted = |mut values: Vec<Value>| {
        values.sort_by_key(|value| value["name"].as_str().map_or_else(|| value.to_string(), str::to_owned));
        values
    };
    match value {
        Value::Array(values) => Value::Array(sorted(values.into_iter().map(stable).collect())),
        Value::Object(members) => {
            let is_signed = members.get("state").is_some_and(|state| state != "requested");
            let member = |(name, value): (String, Value)| {
                let value = match name.as_str() {
                    "fingerprint" if is_signed => json!("FINGERPRINT"),
                    "fingerprints" if is_signed => {
                        json!({ "SHA1": "FINGERPRINT", "SHA256": "FINGERPRINT", "SHA512": "FINGERPRINT", "default": "FINGERPRINT" })
                    }
                    "not_before" | "not_after" => json!("TIME"),
                    "ca-certs" | "crls" => {
                        let names = value.as_object().unwrap().keys().map(|name| (name.clone(), json!("TIME")));
                        Value::Object(names.collect())
                    }
                    _ => stable(value),
                };
                (name, value)
            };
            Value::Object(members.into_iter().map(member).collect())
        }
        value => value,
    }
}

/// A text in which each PEM is replaced by its label.
fn without_pem(text: &str) -> String {
    let mut rest = text;
    let mut found = String::new();
    while let Some((before, after)) = rest.split_once("-----BEGIN ") {
        let (label, after) = after.split_once("-----").unwrap();
        let (_, after) = after.split_once(&format!("-----END {label}-----\n")).unwrap();
        found.push_str(&format!("{before}PEM {label}\n"));
        rest = after;
    }
    found + rest
}

fn body(step: &Value) -> Vec<u8> {
    match (step["file"].as_str(), step["body"].as_str()) {
        (Some(file), _) => std::fs::read(data().join(file)).unwrap(),
        (None, Some(body)) => body.as_bytes().to_vec(),
        (None, None) => Vec::new(),
    }
}

/// Sends a request of the table. Returns status, media type and answer; the status 0 is a refused handshake.
fn send(server: &RunningServer, step: &Value) -> (u64, String, Value) {
    let (method, target) = step["request"].as_str().unwrap().split_once(' ').unwrap();
    let kind =
        step["content"].as_str().unwrap_or(if step["file"].is_string() { "text/plain" } else { "application/json" });
    let accept = format!("Accept: {}", step["accept"].as_str().unwrap_or("application/json"));
    let mut headers = vec![accept];
    if ["PUT", "POST"].contains(&method) {
        headers.push(format!("Content-Type: {kind}"));
    }
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let mut connection = Connection::open(server, identity(step["client"].as_str().unwrap()).as_ref());
    let Some(reply) = connection.try_send(method, target, &headers, &body(step)) else {
        return (0, String::new(), json!(""));
    };
    let text = reply.text();
    let answer = serde_json::from_str(&text).map_or_else(|_| json!(without_pem(&text)), stable);
    let media = |text: &str| text.split(';').next().unwrap_or_default().to_owned();
    (u64::from(reply.status), media(reply.header("content-type").unwrap_or_default()), answer)
}

#[test]
fn answers_to_clients_of_the_authority_are_those_of_puppetserver() {
    let server = start(Autosign::None);
    let table = std::fs::read_to_string(data().join("requests.jsonl")).unwrap();
    let mut wrong = Vec::new();
    for (at, line) in table.lines().enumerate() {
        let step: Value = serde_json::from_str(line).unwrap();
        let (status, media, answer) = send(&server, &step);
        let (client, request) = (&step["client"], &step["request"]);
        if let Some(expected) = step.get("catwalk") {
            assert!(expected["reason"].is_string(), "{line}");
            if expected["status"] != status || expected.get("answer").is_some_and(|expected| *expected != answer) {
                wrong.push(format!("{}: {client} {request}: {expected}, got {status} {answer}", at + 1));
            }
            continue;
        }
        let expected = (step["status"].as_u64().unwrap(), &step["answer"]);
        if expected != (status, &answer) {
            wrong.push(format!(
                "{}: {client} {request}: expected {} {}\n   got {status} {answer}",
                at + 1,
                expected.0,
                expected.1
            ));
        }
        // The answers of the access rules of puppetserver have no type.
        if let Some(kind) = step["type"].as_str().filter(|_| status != 204) {
            let kind = kind.split(';').next().unwrap_or_default();
            if kind != media {
                wrong.push(format!("{}: {client} {request}: type {kind}, got {media}", at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(table.lines().count() > 140);
}

#[test]
fn refusals_and_revocations_are_logged() {
    let server = start(Autosign::None);
    let step = |client: &str, request: &str, body: &str| json!({ "client": client, "request": request, "body": body });
    let put = "PUT /puppet-ca/v1/certificate_request/cli.example.com";
    send(&server, &json!({ "client": "none", "request": put, "file": "requests/cli.pem" }));
    let status = "PUT /puppet-ca/v1/certificate_status/cli.example.com";
    send(&server, &step("admin", status, r#"{"desired_state":"signed"}"#));
    send(&server, &step("node", status, r#"{"desired_state":"signed"}"#));
    send(&server, &step("admin", "PUT /puppet-ca/v1/clean", r#"{"certnames":["revoked.example.com"]}"#));
    let events: Vec<String> = server
        .events
        .lock()
        .iter()
        .filter(|event| !matches!(event, Event::Request { .. }))
        .map(|event| format!("{event:?}"))
        .collect();
    assert_eq!(events.len(), 4, "{events:#?}");
    for (event, text) in events.iter().zip(["Waiting", "authorization extension", "pp_cli_auth", "is_removed: true"]) {
        assert!(event.contains(text), "{event}");
    }
}

/// Bodies and answers of `sign` and `sign/all`: `handle-bulk-cert-signing` in the sources of OpenVox's server 8.
#[test]
fn several_requests_are_signed_at_once() {
    let server = start(Autosign::None);
    for name in ["plain", "version2", "names", "role"] {
        let request = format!("PUT /puppet-ca/v1/certificate_request/{name}.example.com");
        let sent =
            send(&server, &json!({ "client": "none", "request": request, "file": format!("requests/{name}.pem") }));
        assert_eq!(sent.0, 200);
    }
    let sign = |path: &str, body: &str| {
        let request = format!("POST /puppet-ca/v1/{path}");
        let (status, _, answer) = send(&server, &json!({ "client": "admin", "request": request, "body": body }));
        (status, answer)
    };
    let names = r#"{"certnames":["plain.example.com","nobody","../x","names.example.com"]}"#;
    let expected = json!({ "signed": ["plain.example.com"], "no-csr": ["../x", "nobody"], "signing-errors": ["names.example.com"] });
    assert_eq!(sign("sign", names), (200, expected));
    let all = json!({ "signed": ["role.example.com", "version2.example.com"], "no-csr": [], "signing-errors": ["names.example.com"] });
    assert_eq!(sign("sign/all", ""), (200, all));
    for body in ["", "{}", r#"{"certnames":"a"}"#, r#"{"certnames":[1]}"#] {
        let (status, answer) = sign("sign", body);
        assert_eq!((status, &answer["kind"]), (422, &json!("schema-violation")), "{body}");
    }
}

#[test]
fn an_authority_with_a_root_is_opened_used_and_kept() {
    let directory = TempDir::new().unwrap();
    let settings = puppets_authority(directory.path(), Autosign::All);
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let (bundle, key) = (read("ca/ca_crt.pem"), read("ca/ca_key.pem"));
    let root_crl = read("ca/ca_crl.pem").split_inclusive("-----END X509 CRL-----\n").nth(1).unwrap().to_owned();
    let authority = Authority::open(settings.clone(), &|_| panic!("no key is created")).unwrap();
    let request = std::fs::read(data().join("requests/plain.pem")).unwrap();
    authority.submit("plain.example.com", &request).unwrap();
    authority.revoke(&["plain.example.com".to_owned()]).unwrap();
    assert_eq!((read("ca/ca_crt.pem"), read("ca/ca_key.pem")), (bundle, key));
    assert!(read("ca/ca_crl.pem").ends_with(&root_crl), "the root's list stays");
    assert_eq!(read("ca/serial"), "0003\n");
    assert_eq!(read("ca/inventory.txt").lines().count(), 2);
    // A second renewal leaves no certificate of the node valid after its revocation.
    let again = Authority::open_existing(settings).unwrap();
    let serials = |authority: &Authority| authority.status("plain.example.com").unwrap().unwrap().state.name();
    assert_eq!(serials(&again), "revoked");
    assert!(again.renew_named("plain.example.com").is_err());
    assert_eq!(again.renew_authority().unwrap().len(), 2);
}

#[test]
fn rules_of_auth_conf_know_extensions_and_alternative_names() {
    let rule = |name: &str, path: &str, allow: &str| {
        format!(
            "{{ match-request: {{ path: \"{path}\", type: path }}, allow: {allow}, sort-order: 5, name: \"{name}\" }}"
        )
    };
    let own_rules = [
        rule("a", "/puppet/v3/environment_modules", "{ extensions: { subject-alt-name: { ip: \"127.0.0.1\" } } }"),
        rule("b", "/puppet/v3/environment_classes", "localhost"),
        rule("c", "/puppet/v3/environments", "{ extensions: { subject-alt-name: { ip: \"127.0.0.2\" } } }"),
    ];
    let own = format!("authorization: {{ version: 1, rules: [ {} ] }}", own_rules.join(", "));
    let packaged = include_str!("auth.conf").to_owned();
    let statuses = "/puppet-ca/v1/certificate_statuses/all";
    let cases = [
        (packaged, [(statuses, 200), ("/puppet/v3/environments", 200), ("/puppet/v3/environment_modules", 403)]),
        (
            own,
            [
                ("/puppet/v3/environment_modules", 200),
                ("/puppet/v3/environment_classes?environment=production", 200),
                ("/puppet/v3/environments", 403),
            ],
        ),
    ];
    for (text, expected) in cases {
        let directory = TempDir::new().unwrap();
        std::fs::write(directory.path().join("auth.conf"), text).unwrap();
        let settings = puppets_authority(directory.path(), Autosign::All);
        let server = RunningServer::start_in(directory, limits(), CertificateSource::Authority(settings));
        let mut admin = Connection::open(&server, identity("admin").as_ref());
        for (target, status) in expected {
            assert_eq!(admin.get(target).status, status, "{target}");
        }
        let mut node = Connection::open(&server, identity("node").as_ref());
        assert_eq!(node.get(statuses).status, 403);
    }
}
