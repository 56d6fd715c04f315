//! `auth.conf` in place of the built-in rules.

use tempfile::TempDir;

use super::support::RunningServer;
use super::support::authority;
use super::support::limits;
use crate::config::CertificateSource;
use catwalk_authority::Autosign;

fn start(text: &str) -> RunningServer {
    let directory = TempDir::new().unwrap();
    std::fs::write(directory.path().join("auth.conf"), text).unwrap();
    let certificates = CertificateSource::Authority(authority(&directory.path().join("ca"), Autosign::All));
    RunningServer::start_in(directory, limits(), certificates)
}

/// The cases with puppetserver's packaged file: method, path, status without a certificate, status for `a.example.com`, status for
/// `b.example.com`.
const PACKAGED: [(&str, &str, [u16; 3]); 19] = [
    ("GET", "/puppet-ca/v1/certificate/ca", [200, 200, 200]),
    ("GET", "/puppet-ca/v1/certificate_revocation_list/ca", [200, 200, 200]),
    ("GET", "/puppet-ca/v1/certificate_request/x.example.com", [404, 404, 404]),
    ("GET", "/puppet/v3/node/a.example.com?environment=production", [403, 200, 403]),
    ("GET", "/puppet/v3/catalog/a.example.com?environment=production", [403, 200, 403]),
    ("GET", "/puppet/v3/c%61talog/a.example.com?environment=production", [403, 200, 403]),
    ("GET", "/puppet//v3/catalog/a.example.com?environment=production", [403, 200, 403]),
    ("GET", "/puppet/v3/catalog/*?environment=production", [403, 403, 403]),
    ("PUT", "/puppet/v3/report/b.example.com?environment=production", [403, 403, 415]),
    ("GET", "/puppet/v3/file_metadata/modules/wire/a.txt?environment=production", [403, 200, 200]),
    ("GET", "/puppet/v3/file_content/modules/wire/a.txt?environment=production", [403, 200, 200]),
    ("GET", "/puppet/v3/environments", [403, 200, 200]),
    ("GET", "/puppet/v3/environment_classes?environment=production", [403, 403, 403]),
    ("POST", "/puppet/v4/catalog", [403, 403, 403]),
    ("DELETE", "/puppet-admin-api/v1/environment-cache", [403, 403, 403]),
    ("GET", "/metrics", [403, 403, 403]),
    ("GET", "/puppet/v3/nothing/x", [404, 404, 404]),
    ("GET", "/status/v1/simple", [200, 200, 200]),
    ("GET", "/status/v1/services", [200, 200, 200]),
];

#[test]
fn the_packaged_rules_are_the_built_in_ones() {
    let server = start(include_str!("auth.conf"));
    let (mut stranger, mut a, mut b) = (server.stranger(), server.node("a.example.com"), server.node("b.example.com"));
    for (method, path, expected) in PACKAGED {
        let found =
            [&mut stranger, &mut a, &mut b].map(|client| client.send(method, path, &["Accept: */*"], b"").status);
        assert_eq!(found, expected, "{method} {path}");
    }
}

const OWN: &str = r#"authorization: { version: 1, rules: [
    { match-request: { path: "/puppet-ca/v1", type: path, method: [get, put] }, allow-unauthenticated: true, sort-order: 1, name: ca },
    { match-request: { path: "/puppet/v3/environment_classes", type: path, query-params: { environment: [production, wire] } },
      allow: "tool.example.com", sort-order: 2, name: classes },
    { match-request: { path: "^/puppet/v3/(catalog|node)/", type: regex }, allow: "*", sort-order: 3, name: all },
    { match-request: { path: "/", type: path }, deny: "*", sort-order: 900, name: rest } ] }"#;

#[test]
fn own_rules_decide_and_are_read_again() {
    let server = start(OWN);
    let (mut tool, mut node) = (server.node("tool.example.com"), server.node("a.example.com"));
    let classes = "/puppet/v3/environment_classes?environment=production";
    assert_eq!((tool.get(classes).status, node.get(classes).status), (200, 403));
    assert_eq!(tool.get("/puppet/v3/environment_classes?environment=empty").status, 403);
    assert_eq!(node.get("/puppet/v3/environments").status, 403);
    // A catalog of the client is never sent under the name of another node.
    let catalog = |name: &str| format!("/puppet/v3/catalog/{name}?environment=production");
    assert_eq!(node.get(&catalog("a.example.com")).status, 200);
    assert_eq!(node.get(&catalog("tool.example.com")).status, 403);
    let log = format!("{:?}", server.events.lock());
    assert!(
        log.contains("a.example.com: access to /puppet/v3/environments (method get) is denied by rule 'rest'"),
        "{log}"
    );
    let path = server.directory.path().join("auth.conf");
    std::fs::write(&path, OWN.replace("tool.example.com", "a.example.com")).unwrap();
    server.handle.reload().unwrap();
    assert_eq!((tool.get(classes).status, node.get(classes).status), (403, 200));
    std::fs::write(&path, "authorization: { version: 2 }").unwrap();
    let refused = server.handle.reload().unwrap_err().to_string();
    assert!(refused.starts_with("the rules of auth.conf in use are kept: "), "{refused}");
    assert!(refused.contains("Unsupported or missing version in configuration file"), "{refused}");
    assert_eq!(node.get(classes).status, 200);
    // One broken file keeps no other one from being read.
    std::fs::write(&path, OWN).unwrap();
    std::fs::remove_file(server.directory.path().join("ca/private/localhost.pem")).unwrap();
    let refused = server.handle.reload().unwrap_err().to_string();
    assert!(refused.starts_with("the certificates in use are kept: ") && !refused.contains("auth.conf"), "{refused}");
    assert_eq!((tool.get(classes).status, node.get(classes).status), (200, 403));
}
