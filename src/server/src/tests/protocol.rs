//! Access rules, recorded requests, catalogs, reports.

use std::io::Read;

use serde_json::Value;
use serde_json::json;

use super::support::RunningServer;

/// The cases: method, path, status without a certificate, status for `a.example.com`, status for `b.example.com`.
const RULES: [(&str, &str, [u16; 3]); 41] = [
    ("GET", "/puppet-ca/v1/certificate/ca", [200, 200, 200]),
    ("GET", "/puppet-ca/v1/certificate/a.example.com", [200, 200, 200]),
    ("GET", "/puppet-ca/v1/certificate/nobody", [404, 404, 404]),
    ("GET", "/puppet-ca/v1/certificate/%2e%2e%2fca_key", [400, 400, 400]),
    ("GET", "/puppet-ca/v1/certificate_revocation_list/ca", [200, 200, 200]),
    ("GET", "/puppet-ca/v1/certificate_request/a.example.com", [404, 404, 404]),
    ("DELETE", "/puppet-ca/v1/certificate_request/a.example.com", [403, 403, 403]),
    ("GET", "/puppet-ca/v1/certificate_status/a.example.com", [403, 403, 403]),
    ("GET", "/puppet-ca/v1/certificate_statuses/all", [403, 403, 403]),
    ("POST", "/puppet-ca/v1/certificate_renewal", [403, 200, 200]),
    ("PUT", "/puppet-ca/v1/clean", [403, 403, 403]),
    ("POST", "/puppet-ca/v1/sign/all", [403, 403, 403]),
    ("GET", "/puppet-ca/v1/expirations", [403, 200, 200]),
    ("PUT", "/puppet-ca/v1/certificate_revocation_list", [403, 403, 403]),
    ("GET", "/puppet/v3/node/a.example.com?environment=production", [403, 200, 403]),
    ("GET", "/puppet/v3/catalog/a.example.com?environment=production", [403, 200, 403]),
    ("POST", "/puppet/v3/catalog/a.example.com?environment=production", [403, 200, 403]),
    ("GET", "/puppet/v3/catalog/A.example.com?environment=production", [403, 403, 403]),
    ("GET", "/puppet/v3/catalog/a%2eexample.com?environment=production", [403, 200, 403]),
    ("GET", "/puppet/v3/catalog/a.example.com/x?environment=production", [404, 404, 404]),
    ("GET", "/puppet/v3/facts/a.example.com?environment=production", [404, 404, 404]),
    ("PUT", "/puppet/v3/facts/b.example.com?environment=production", [403, 403, 415]),
    ("PUT", "/puppet/v3/report/b.example.com?environment=production", [403, 403, 415]),
    ("GET", "/puppet/v3/file_metadata/modules/wire/a.txt?environment=production", [403, 200, 200]),
    ("GET", "/puppet/v3/file_metadatas/modules/wire/tree?environment=production", [403, 200, 200]),
    ("GET", "/puppet/v3/file_content/modules/wire/a.txt?environment=production", [403, 200, 200]),
    ("GET", "/puppet/v3/environments", [403, 200, 200]),
    ("GET", "/puppet/v3/environment_classes?environment=production", [403, 403, 403]),
    ("GET", "/puppet/v3/environment_modules", [403, 403, 403]),
    ("POST", "/puppet/v3/compile", [403, 403, 403]),
    ("POST", "/puppet/v4/catalog", [403, 403, 403]),
    ("GET", "/puppet/v4/catalog", [403, 403, 403]),
    ("GET", "/puppet/v3/environment_transports?environment=production", [403, 403, 403]),
    ("DELETE", "/puppet-admin-api/v1/environment-cache", [403, 403, 403]),
    ("GET", "/puppet/v3/nothing/x", [404, 404, 404]),
    ("GET", "/puppet/v3/static_file_content/modules/wire/files/a.txt", [404, 404, 404]),
    ("DELETE", "/puppet/v3/node/a.example.com", [404, 404, 404]),
    ("GET", "/", [404, 404, 404]),
    ("GET", "/status/v1/simple", [200, 200, 200]),
    ("GET", "/status/v1/simple/other", [404, 404, 404]),
    ("GET", "/status/v1/services/server", [200, 200, 200]),
];

#[test]
fn rules_are_those_of_puppetserver() {
    let server = RunningServer::start();
    let mut clients = [server.node("a.example.com"), server.node("b.example.com")];
    let [a, b] = &mut clients;
    let mut stranger = server.stranger();
    for (method, path, expected) in RULES {
        let ask = |client: &mut super::support::Connection| client.send(method, path, &["Accept: */*"], b"");
        let replies = [ask(&mut stranger), ask(a), ask(b)];
        assert_eq!(replies.each_ref().map(|reply| reply.status), expected, "{method} {path}");
        for reply in replies {
            assert_eq!(reply.header("x-puppet-version"), Some("7.23.0"), "{method} {path}");
            if reply.status == 403 {
                let (path, method) = (path.split('?').next().unwrap(), method.to_lowercase());
                let expected =
                    format!("Forbidden request: {path} (method :{method}). Please see the server logs for details.");
                assert_eq!(reply.text(), expected);
            }
        }
    }
}

/// Replaces values that differ between machines.
fn without_variables(value: Value, root: &str) -> Value {
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| {
                let value = match name.as_str() {
                    "owner" | "group" => json!(0),
                    "value" if value.as_str().is_some_and(|value| value.starts_with("{ctime}")) => json!("{ctime}TIME"),
                    _ => without_variables(value, root),
                };
                (name, value)
            };
            Value::Object(fields.into_iter().map(field).collect())
        }
        Value::Array(values) => values.into_iter().map(|value| without_variables(value, root)).collect(),
        Value::String(text) => json!(text.replace(root, "ENVIRONMENTS/")),
        value => value,
    }
}

/// `recorded.json` contains requests of an agent 7.23 and the responses of puppetserver 7.9.5. Owners, groups and times are replaced.
#[test]
fn responses_equal_the_recorded_ones() {
    let server = RunningServer::start();
    let mut node = server.node("agent1.localdomain");
    let root = format!("{}/environments/", server.directory.path().canonicalize().unwrap().display());
    let recorded: Vec<Value> = serde_json::from_str(include_str!("recorded.json")).unwrap();
    assert_eq!(recorded.len(), 8);
    for entry in recorded {
        let text = |name: &str| entry[name].as_str().unwrap();
        let (method, target) = text("request").split_once(' ').unwrap();
        let reply = node.send(method, target, &[&format!("Accept: {}", text("accept"))], b"");
        assert_eq!(Some(u64::from(reply.status)), entry["status"].as_u64(), "{}", text("sample"));
        let content_type = reply.header("content-type").unwrap().to_owned();
        let body = match content_type.contains("json") {
            true => without_variables(reply.json(), &root),
            false => json!(reply.text()),
        };
        assert_eq!(
            serde_json::to_string(&body).unwrap(),
            serde_json::to_string(&entry["body"]).unwrap(),
            "{}",
            text("sample")
        );
        assert_eq!(content_type, text("content_type"), "{}", text("sample"));
    }
}

const FORM: &str = "Content-Type: application/x-www-form-urlencoded";
const JSON: &str = "Content-Type: application/json";
const RICH: &str = "Accept: application/vnd.puppet.rich+json, application/json, text/pson";
const FACTS: &str =
    r#"{"name":"a.example.com","values":{"x":"ä +%"},"timestamp":"2026-11-20T16:05:14.000000000+00:00"}"#;

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[test]
fn catalogs_are_requested_by_form_json_and_query() {
    let server = RunningServer::start();
    let mut node = server.node("a.example.com");
    let url = "/puppet/v3/catalog/a.example.com";
    let facts: Value = serde_json::from_str(FACTS).unwrap();
    let rest = "environment=e1&configured_environment=e2&check_environment=true&transaction_uuid=u&job_uuid=&static_catalog=true";
    let once = format!("facts_format=application%2Fjson&facts={}&{rest}", encoded(FACTS));
    let twice = format!("facts_format=application%2Fjson&facts={}&{rest}", encoded(&encoded(FACTS)));
    let object = json!({ "environment": "e1", "configured_environment": "e2", "check_environment": true, "transaction_uuid": "u",
        "facts_format": "application/json", "facts": facts });
    for (headers, body) in [([FORM, RICH], once), ([FORM, RICH], twice), ([JSON, RICH], object.to_string())] {
        let reply = node.send("POST", &format!("{url}?environment=e1"), &headers, body.as_bytes());
        let answer = reply.json();
        assert_eq!(reply.header("content-type"), Some("application/vnd.puppet.rich+json; charset=utf-8"));
        assert_eq!(answer["facts"], facts["values"], "{body}");
        let rest = ["environment", "configured", "check", "transaction", "rich"].map(|name| answer[name].clone());
        assert_eq!(rest, [json!("e1"), json!("e2"), json!(true), json!("u"), json!(true)]);
    }
    let none = b"facts_format=application%2Fjson&facts=null&environment=e1";
    assert_eq!(node.send("POST", url, &[FORM, RICH], none).json()["facts"], Value::Null);
    let plain = node.send("GET", &format!("{url}?environment=e1"), &["Accept: application/json"], b"");
    assert_eq!(plain.header("content-type"), Some("application/json;charset=utf-8"));
    let answer = plain.json();
    assert_eq!((&answer["facts"], &answer["rich"], &answer["check"]), (&Value::Null, &json!(false), &json!(false)));
}

/// The cases: method, target, headers, body, status, start of the message.
type Refused = (&'static str, &'static str, &'static [&'static str], &'static str, u16, &'static str);

const REFUSED: [Refused; 27] = [
    ("GET", "catalog/a.example.com", &[RICH], "", 400, "The environment must be purely alphanumeric, not 'null'"),
    (
        "GET",
        "catalog/a.example.com?environment=a-b",
        &[RICH],
        "",
        400,
        "The environment must be purely alphanumeric, not 'a-b'",
    ),
    (
        "GET",
        "catalog/a.example.com?environment=%2e%2e",
        &[RICH],
        "",
        400,
        "The environment must be purely alphanumeric, not '..'",
    ),
    ("GET", "catalog/a.example.com?environment=%ff", &[RICH], "", 400, "The URL is not percent-encoded UTF-8"),
    (
        "GET",
        "catalog/a.example.com?environment=e",
        &["Accept: text/html"],
        "",
        406,
        r#"{"message":"Not Acceptable: No supported formats are acceptable (Accept: text/html)","issue_kind":"UNSUPPORTED_FORMAT"}"#,
    ),
    (
        "GET",
        "catalog/a.example.com?environment=e",
        &[],
        "",
        400,
        r#"{"message":"Bad Request: Missing required Accept header","issue_kind":"MISSING_HEADER_FIELD"}"#,
    ),
    (
        "GET",
        "catalog/a.example.com?environment=failing",
        &[RICH],
        "",
        500,
        r#"{"message":"Server Error: Evaluation Error: no on node a.example.com","issue_kind":"RUNTIME_ERROR"}"#,
    ),
    (
        "GET",
        "catalog/a.example.com?environment=missing",
        &[RICH],
        "",
        404,
        r#"{"message":"Not Found: Could not find environment 'missing'","issue_kind":"RUNTIME_ERROR"}"#,
    ),
    ("GET", "catalog/a.example.com?environment=wrong", &[RICH], "", 400, r#"{"message":"Bad Request: no""#),
    ("GET", "catalog/a.example.com?environment=panics", &[RICH], "", 500, r#"{"message":"Server Error: The request"#),
    ("POST", "catalog/a.example.com?environment=e", &[RICH, FORM], "facts=%zz", 400, r#"{"message":"Bad Request: "#),
    ("POST", "catalog/a.example.com?environment=e", &[RICH, JSON], "[1]", 400, r#"{"message":"Bad Request: "#),
    (
        "POST",
        "catalog/a.example.com?environment=e",
        &[RICH, "Content-Type: text/yaml"],
        "a",
        415,
        r#"{"message":"Unsupported"#,
    ),
    (
        "POST",
        "catalog/a.example.com?environment=e",
        &[RICH, FORM],
        "facts_format=yaml&facts=x",
        500,
        r#"{"message":"Server Error: Unsupported facts format""#,
    ),
    (
        "POST",
        "catalog/a.example.com?environment=e",
        &[RICH, FORM],
        "facts_format=pson&facts=%7B%22name",
        500,
        r#"{"message":"Server Error: Could not intern from json: "#,
    ),
    (
        "POST",
        "catalog/a.example.com?environment=e",
        &[RICH, FORM],
        "facts_format=pson&facts=%7B%22name%22%3A%22b%22%7D",
        500,
        r#"{"message":"Server Error: Catalog for \"a.example.com\" was requested with fact definition for the wrong node (\"b\")."#,
    ),
    (
        "POST",
        "catalog/a.example.com?environment=e",
        &[RICH, JSON],
        r#"{"facts":{"name":"b","values":{}}}"#,
        500,
        r#"{"message":"Server Error: Catalog for \"a.example.com\" was requested with fact definition for the wrong node (\"b\")."#,
    ),
    (
        "POST",
        "catalog/a.example.com?environment=e",
        &[RICH, JSON],
        r#"{"facts":{"name":"a.example.com"}}"#,
        400,
        r#"{"message":"Bad Request: the facts have no values""#,
    ),
    (
        "POST",
        "catalog/a.example.com?environment=e",
        &[RICH, JSON],
        r#"{"facts":[1]}"#,
        500,
        r#"{"message":"Server Error: Facts but no fact format provided for a.example.com""#,
    ),
    (
        "PUT",
        "facts/a.example.com?environment=production",
        &[JSON],
        r#"{"name":"b","values":{}}"#,
        500,
        r#"{"message":"Server Error: Instance name \"b\" does not match requested key \"a.example.com\""#,
    ),
    (
        "PUT",
        "facts/a.example.com?environment=production",
        &[JSON],
        r#"{"name":"a.example.com","values":1}"#,
        400,
        r#"{"message":"Bad Request: The request body is invalid: the facts have no values""#,
    ),
    (
        "PUT",
        "facts/a.example.com?environment=production",
        &[JSON],
        "{",
        400,
        r#"{"message":"Bad Request: The request body is"#,
    ),
    (
        "PUT",
        "report/a.example.com?environment=production",
        &[JSON],
        r#"{"host":"b"}"#,
        500,
        r#"{"message":"Server Error: Instance name \"b\" does not match requested key \"a.example.com\""#,
    ),
    (
        "PUT",
        "report/a.example.com?environment=nosuch",
        &[JSON],
        r#"{"host":"a.example.com"}"#,
        404,
        r#"{"message":"Not Found: "#,
    ),
    (
        "GET",
        "node/a.example.com?environment=nosuch",
        &[RICH],
        "",
        404,
        r#"{"message":"Not Found: Could not find environment"#,
    ),
    (
        "GET",
        "file_metadata/nosuch/x?environment=production",
        &[RICH],
        "",
        500,
        r#"{"message":"Server Error: Not authorized to call find on /file_metadata/nosuch/x"#,
    ),
    (
        "GET",
        "file_content/?environment=production",
        &["Accept: */*"],
        "",
        400,
        r#"{"message":"Bad Request: No request key"#,
    ),
];

#[test]
fn errors_are_those_of_puppet() {
    let server = RunningServer::start();
    let mut node = server.node("a.example.com");
    for (method, target, headers, body, status, message) in REFUSED {
        let reply = node.send(method, &format!("/puppet/v3/{target}"), headers, body.as_bytes());
        assert!(reply.text().starts_with(message), "{method} {target} {body}: {reply:?}");
        assert_eq!(reply.status, status, "{method} {target} {body}");
    }
}

#[test]
fn facts_and_reports_reach_the_site() {
    let server = RunningServer::start();
    let mut node = server.node("a.example.com");
    let report = br#"{"host":"a.example.com","logs":[]}"#;
    let reply = node.send("PUT", "/puppet/v3/report/a.example.com?environment=production", &[JSON], report);
    assert_eq!((reply.status, reply.text()), (200, r#"["store","production","34"]"#.to_owned()));
    let reply = node.send("PUT", "/puppet/v3/facts/a.example.com?environment=production", &[JSON], FACTS.as_bytes());
    assert_eq!((reply.status, reply.text()), (200, "0".to_owned()));
    let listed = node.get("/puppet/v3/environments").json();
    assert_eq!(listed["environments"]["wire"]["settings"]["config_version"], "");
    assert_eq!(
        listed["environments"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["empty", "production", "wire", "wire2"]
    );
}

#[test]
fn large_responses_are_compressed_for_clients_that_accept_gzip() {
    let server = RunningServer::start();
    let mut node = server.node("a.example.com");
    let url = "/puppet/v3/catalog/a.example.com?environment=e";
    let reply = node.send("GET", url, &[RICH, "Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3"], b"");
    assert_eq!(
        (reply.header("content-encoding"), reply.header("vary")),
        (Some("gzip"), Some("Accept-Encoding, User-Agent"))
    );
    let mut text = String::new();
    flate2::read::GzDecoder::new(reply.body.as_slice()).read_to_string(&mut text).unwrap();
    assert!(text.contains("a.example.com"));
    assert_eq!(node.send("GET", url, &[RICH], b"").header("content-encoding"), None);
    let small = node.send("GET", "/status/v1/simple", &["Accept-Encoding: gzip"], b"");
    assert_eq!((small.header("content-encoding"), small.text()), (None, "running".to_owned()));
}
