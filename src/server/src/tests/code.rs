//! Classes and modules of environments, catalogs of other nodes: the clients that may request them, statuses, `ETag`.

use serde_json::json;

use super::support::RunningServer;

const DEPLOYER: &str = "deployer.example.com";

/// The cases: target, status, type of the content, start of the body.
const REPLIES: [(&str, u16, &str, &str); 11] = [
    ("environment_classes?environment=production", 200, "application/json", r#"{"files":[],"name":"production""#),
    ("environment_classes/?environment=production", 200, "application/json", r#"{"files":[],"#),
    ("environment_classes", 400, "text/plain;charset=utf-8", "An environment parameter must be specified"),
    (
        "environment_classes?environment=a-b",
        400,
        "text/plain;charset=utf-8",
        "The environment must be purely alphanumeric, not 'a-b'",
    ),
    (
        "environment_classes?environment=",
        400,
        "text/plain;charset=utf-8",
        "The environment must be purely alphanumeric, not ''",
    ),
    (
        "environment_classes?environment=missing",
        404,
        "text/plain;charset=utf-8",
        "Could not find environment 'missing'",
    ),
    ("environment_classes?environment=wire2", 500, "text/plain;charset=utf-8", "Internal Server Error: no"),
    (
        "environment_modules?environment=production",
        200,
        "application/json; charset=utf-8",
        r#"{"modules":[],"name":"production"}"#,
    ),
    ("environment_modules", 200, "application/json; charset=utf-8", r#"{"modules":[],"name":null}"#),
    (
        "environment_modules?environment=missing",
        404,
        "text/plain;charset=utf-8",
        "Could not find environment 'missing'",
    ),
    ("environment_modules?environment=a-b", 400, "text/plain;charset=utf-8", "The environment must be purely"),
];

#[test]
fn deployers_see_classes_and_modules() {
    let server = RunningServer::start();
    let (mut deployer, mut node, mut stranger) =
        (server.node(DEPLOYER), server.node("a.example.com"), server.stranger());
    for (target, status, content_type, start) in REPLIES {
        let url = format!("/puppet/v3/{target}");
        let reply = deployer.get(&url);
        assert_eq!((reply.status, reply.header("content-type")), (status, Some(content_type)), "{target}");
        assert!(reply.text().starts_with(start), "{target}: {reply:?}");
        assert_eq!((node.get(&url).status, stranger.get(&url).status), (403, 403), "{target}");
    }
}

#[test]
fn an_unchanged_list_is_not_sent_again() {
    let server = RunningServer::start();
    let mut deployer = server.node(DEPLOYER);
    for target in ["environment_classes?environment=production", "environment_modules"] {
        let url = format!("/puppet/v3/{target}");
        let first = deployer.get(&url);
        let tag = first.header("etag").unwrap().to_owned();
        assert!(tag.len() == 64 && tag.bytes().all(|byte| byte.is_ascii_hexdigit()), "{tag}");
        let mut again = |tag: &str| deployer.send("GET", &url, &["Accept: */*", &format!("If-None-Match: {tag}")], b"");
        for known in [tag.clone(), format!("{tag}--gzip")] {
            let reply = again(&known);
            assert_eq!((reply.status, reply.header("etag"), reply.body.len()), (304, Some(&*tag), 0), "{target}");
        }
        for unknown in ["x", &format!("{tag}--gzip--gzip"), ""] {
            assert_eq!(again(unknown).status, 200, "{target} {unknown}");
        }
    }
    let gzip = ["Accept: */*", "Accept-Encoding: gzip"];
    let compressed = deployer.send("GET", "/puppet/v3/environment_classes?environment=production", &gzip, b"");
    assert_eq!((compressed.header("content-encoding"), compressed.header("etag").unwrap().len()), (Some("gzip"), 64));
}

#[test]
fn deployers_request_catalogs_of_other_nodes() {
    let server = RunningServer::start();
    let (mut deployer, mut node) = (server.node(DEPLOYER), server.node("a.example.com"));
    let body = json!({
        "certname": "a.example.com", "environment": "production", "persistence": { "facts": true, "catalog": false },
        "facts": { "values": { "x": "ä" } }, "trusted_facts": { "values": {} }, "transaction_uuid": "u",
    });
    let url = "/puppet/v4/catalog";
    let reply = deployer.send("POST", url, &["Content-Type: application/json"], body.to_string().as_bytes());
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    let found = reply.json();
    let parts = ["certname", "environment", "facts", "transaction"].map(|name| found[name].clone());
    assert_eq!(parts, [json!("a.example.com"), json!("production"), json!({ "x": "ä" }), json!("u")]);
    let with = |name: &str, value: serde_json::Value| {
        let mut body = body.clone();
        body[name] = value;
        body.to_string()
    };
    let wrong: [(String, u16, &str); 7] = [
        (String::new(), 400, "Error parsing JSON: "),
        ("{".to_owned(), 400, "Error parsing JSON: "),
        ("{}".to_owned(), 400, r#"Invalid input: {"certname" missing-required-key, "persistence""#),
        (with("certname", json!("../x")), 400, r#"Invalid input: {"certname" (not "#),
        (with("unknown", json!(1)), 400, r#"Invalid input: {"unknown" disallowed-key}"#),
        (with("environment", json!("failing")), 500, "Internal Server Error: Evaluation Error: no on node"),
        (with("environment", json!("panics")), 500, ""),
    ];
    for (body, status, start) in wrong {
        let reply = deployer.send("POST", url, &["Content-Type: application/json"], body.as_bytes());
        assert_eq!(reply.status, status, "{body}: {reply:?}");
        assert!(reply.text().starts_with(start), "{body}: {reply:?}");
    }
    let refused = node.send("POST", url, &["Content-Type: application/json"], body.to_string().as_bytes());
    assert_eq!(refused.status, 403);
}
