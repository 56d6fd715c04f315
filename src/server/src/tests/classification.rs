//! The endpoints of a classifier service: statuses, errors, who may ask.

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use super::support::Connection;
use super::support::Identity;
use super::support::Reply;
use super::support::RunningServer;
use super::support::certificate_request;
use super::support::extension;
use super::support::limits;
use crate::config::Limits;
use catwalk_authority::Autosign;
use catwalk_authority::new_p256;

const JSON: &str = "Content-Type: application/json";
const NODE: &str = "/v1/classified/nodes/Tuvok";

/// The sender of a request.
enum Client<'a> {
    Tls(Box<Connection>),
    Plain(&'a RunningServer),
}

/// A request without TLS; `None`: the connection has ended without a response.
fn plain(server: &RunningServer, request: &[u8]) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(server.plain_address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // A server that refuses a body may close the connection before all of it is written.
    let _ = stream.write_all(request);
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    let text = String::from_utf8(response).unwrap();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(head.to_ascii_lowercase().contains("content-type: application/json"), "{head}");
    Some((status, serde_json::from_str(body).unwrap_or_else(|why| panic!("{why}: {body}"))))
}

fn plain_request(method: &str, path: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|header| header.starts_with("Host:")) {
        head.push_str("Host: localhost\r\n");
    }
    headers.iter().for_each(|header| head.push_str(&format!("{header}\r\n")));
    [format!("{head}\r\n").as_bytes(), body].concat()
}

impl Client<'_> {
    fn send(&mut self, method: &str, path: &str, headers: &[&str], body: &[u8]) -> (u16, Value) {
        match self {
            Client::Tls(connection) => {
                let reply: Reply = connection.send(method, path, headers, body);
                assert_eq!(reply.header("content-type"), Some("application/json;charset=utf-8"), "{reply:?}");
                (reply.status, reply.json())
            }
            Client::Plain(server) => plain(server, &plain_request(method, path, headers, body)).unwrap(),
        }
    }
}

#[test]
fn a_node_is_classified_by_its_name_as_received() {
    let server = RunningServer::start();
    for mut client in [Client::Tls(Box::new(server.node("tool.example.com"))), Client::Plain(&server)] {
        let body = br#"{"fact": {"hair": "dark"}, "trusted": {"certname": "x"}, "name": "other", "more": 1}"#;
        for prefix in ["", "/classifier-api"] {
            let (status, answer) = client.send("POST", &format!("{prefix}{NODE}"), &[JSON], body);
            let expected = json!({"name": "Tuvok", "fact": {"hair": "dark"}, "trusted": {"certname": "x"}, "explains": false, "asking": null});
            assert_eq!((status, answer), (200, expected));
            let path = format!("{prefix}/v1/classified/nodes/t%C3%BCvok%20x/explanation");
            let (status, answer) = client.send("POST", &path, &[JSON], br#"{"fact": {}}"#);
            let expected = json!({"name": "tüvok x", "fact": {}, "trusted": {}, "explains": true, "asking": null});
            assert_eq!((status, answer), (200, expected));
        }
        // The body of `classified` is optional.
        let (status, answer) = client.send("POST", NODE, &[], b"");
        assert_eq!((status, answer["fact"].clone(), answer["trusted"].clone()), (200, json!({}), json!({})));
    }
}

#[test]
fn errors_have_the_form_of_the_service() {
    let server = RunningServer::start();
    let deep = format!("{{\"fact\": {}1{}}}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let explanation = format!("{NODE}/explanation");
    let node = |name: &str| format!("/v1/classified/nodes/{name}");
    let cases: Vec<(&str, String, &[&str], &[u8], u16, &str)> = vec![
        ("POST", NODE.to_owned(), &[JSON], b"{\n  \"fact\": {,}}", 400, "malformed-request"),
        ("POST", NODE.to_owned(), &[JSON], b"\xff\xfe", 400, "malformed-request"),
        ("POST", NODE.to_owned(), &[JSON], deep.as_bytes(), 400, "malformed-request"),
        ("POST", explanation.clone(), &[JSON], b"", 400, "malformed-request"),
        ("POST", explanation.clone(), &[JSON], b"{}", 400, "schema-violation"),
        ("POST", NODE.to_owned(), &[JSON], b"[1]", 400, "schema-violation"),
        ("POST", NODE.to_owned(), &[JSON], br#"{"fact": "x"}"#, 400, "schema-violation"),
        ("POST", NODE.to_owned(), &[JSON], br#"{"fact": {}, "trusted": [1]}"#, 400, "schema-violation"),
        ("POST", NODE.to_owned(), &["Content-Type: text/plain"], b"{}", 415, "unsupported-media-type"),
        ("POST", NODE.to_owned(), &[], b"{}", 415, "unsupported-media-type"),
        ("POST", NODE.to_owned(), &[JSON, "Content-Encoding: gzip"], b"{}", 415, "unsupported-media-type"),
        ("GET", NODE.to_owned(), &[], b"", 405, "method-not-allowed"),
        ("PUT", explanation.clone(), &[JSON], b"", 405, "method-not-allowed"),
        ("POST", "/v1/classified/nodes".to_owned(), &[JSON], b"", 404, "not-found"),
        ("GET", "/v1/groups".to_owned(), &[], b"", 404, "not-found"),
        ("GET", "/classifier-api/v2/classified/nodes/x".to_owned(), &[], b"", 404, "not-found"),
        ("POST", node("a%2Fb"), &[JSON], b"", 400, "malformed-request"),
        ("POST", node("a%0Ab"), &[JSON], b"", 400, "malformed-request"),
        ("POST", node("a%00b"), &[JSON], b"", 400, "malformed-request"),
        ("POST", node("a%FFb"), &[JSON], b"", 400, "malformed-request"),
        ("POST", node("%2e%2e"), &[JSON], b"", 400, "malformed-request"),
        ("POST", node("conflict"), &[JSON], b"", 500, "classification-conflict"),
        ("POST", node("failing"), &[JSON], b"", 500, "application-error"),
        ("POST", node("panics"), &[JSON], b"", 500, "application-error"),
    ];
    let identity = server.enroll("tool.example.com");
    let open = || Connection::open(&server, Some(&identity));
    for (method, path, headers, body, status, kind) in cases {
        for mut client in [Client::Tls(Box::new(open())), Client::Plain(&server)] {
            let (got, problem) = client.send(method, &path, headers, body);
            assert_eq!((got, problem["kind"].as_str()), (status, Some(kind)), "{method} {path}: {problem}");
            assert!(kind == "classification-conflict" || problem["msg"].is_string(), "{problem}");
        }
    }
    let mut client = Client::Plain(&server);
    let malformed = client.send("POST", NODE, &[JSON], b"{\n  \"fact\": {,}}").1;
    assert!(malformed["details"]["error"].as_str().unwrap().ends_with("line 2, column 12"), "{malformed}");
    assert_eq!(malformed["details"]["body"], "{\n  \"fact\": {,}}");
    assert_eq!(client.send("GET", "/v1/groups", &[], b"").1["details"], "/v1/groups");
    let violation = client.send("POST", NODE, &[JSON], br#"{"fact": "x"}"#).1;
    assert_eq!(violation["details"]["submitted"], json!({"fact": "x"}));
    assert_eq!(violation["details"]["error"], json!({"fact": "'fact' must be an object"}));
    assert_eq!(open().send("GET", NODE, &[], b"").header("allow"), Some("POST"));
}

#[test]
fn large_bodies_are_refused() {
    let server = RunningServer::start_with(Limits { facts_bytes: 1 << 20, ..limits() }, Autosign::All);
    let body = format!("{{\"fact\": {{\"x\": \"{}\"}}}}", "x".repeat(50 << 20));
    let (status, problem) =
        plain(&server, &plain_request("POST", NODE, &[JSON], body.as_bytes())).unwrap_or_else(|| {
            // The response may be lost when the connection is closed while the client writes: then its head alone is sent.
            let head =
                format!("POST {NODE} HTTP/1.1\r\nHost: localhost\r\n{JSON}\r\nContent-Length: {}\r\n\r\n", body.len());
            plain(&server, head.as_bytes()).unwrap()
        });
    assert_eq!((status, problem["kind"].as_str()), (413, Some("request-too-large")));
    assert_eq!(problem["details"], json!({"limit": 1 << 20}));
    let mut client = Client::Plain(&server);
    assert_eq!(client.send("POST", NODE, &[JSON], b"{}").0, 200);
}

#[test]
fn only_named_clients_and_the_node_itself_may_ask() {
    let server = RunningServer::start();
    let enroll = |name: &str, role: &str| {
        let key = new_p256().unwrap();
        let request = certificate_request(name, &key, &[extension("1.3.6.1.4.1.34380.1.1.13", role)]);
        let mut stranger = server.stranger();
        let path = format!("/puppet-ca/v1/certificate_request/{name}");
        assert_eq!(stranger.send("PUT", &path, &[], request.as_bytes()).status, 200);
        let certificate = stranger.get(&format!("/puppet-ca/v1/certificate/{name}")).text();
        Some(Identity { certificate, key })
    };
    let clients: [(&str, Option<Identity>, u16, u16); 5] = [
        ("stranger", None, 403, 403),
        ("another node", Some(server.enroll("a.example.com")), 403, 200),
        ("an allowed certname", Some(server.enroll("tool.example.com")), 200, 200),
        ("an allowed extension", enroll("b.example.com", "classifier"), 200, 200),
        ("another extension", enroll("c.example.com", "web"), 403, 403),
    ];
    for (what, identity, about_others, about_a) in clients {
        for (name, expected) in [("other.example.com", about_others), ("a.example.com", about_a)] {
            for end in ["", "/explanation"] {
                let path = format!("/v1/classified/nodes/{name}{end}");
                let mut client = Connection::open(&server, identity.as_ref());
                let reply = client.send("POST", &path, &[JSON], br#"{"fact": {}}"#);
                assert_eq!(reply.status, expected, "{what}: {path}");
                if expected == 200 {
                    let asking = if about_others == 200 { Value::Null } else { json!("a.example.com") };
                    assert_eq!(reply.json()["asking"], asking, "{what}");
                }
                if expected == 403 {
                    assert_eq!(reply.json()["kind"], "permission-denied", "{what}");
                }
            }
        }
    }
}

#[test]
fn the_listener_without_tls_serves_only_the_classifier_of_this_machine() {
    let server = RunningServer::start();
    let mut client = Client::Plain(&server);
    for path in ["/status/v1/simple", "/puppet/v3/catalog/a.example.com?environment=production", "/"] {
        assert_eq!(client.send("GET", path, &[], b"").0, 404, "{path}");
    }
    for (host, expected) in [
        ("Host: 127.0.0.1:8150", 200),
        ("Host: [::1]:8150", 200),
        ("Host: [::1]", 200),
        ("Host: LOCALHOST", 200),
        ("Host: attacker.example.com", 403),
        ("Host: attacker.example.com:8150", 403),
        ("Host: 192.0.2.1", 403),
        ("Host:", 403),
    ] {
        assert_eq!(client.send("POST", NODE, &[JSON, host], b"{}").0, expected, "{host}");
    }
    // What is sent as TLS there is no request.
    let mut stream = TcpStream::connect(server.plain_address).unwrap();
    stream.write_all(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 400 Bad Request"), "{response}");
}
