//! The file bucket over HTTP.

use super::support::Connection;
use super::support::RunningServer;

const OLD: &str = "31aaa38ccb09e1edb99f24d90df8a2d6a1dd40ea9ca60c5d3c8d09e8ed0f9eb8";

fn target(rest: &str) -> String {
    format!("/puppet/v3/file_bucket_file/{rest}?environment=production")
}

#[test]
fn agents_keep_and_fetch_files() {
    let server = RunningServer::start();
    let (mut stranger, mut a, mut b) = (server.stranger(), server.node("a.example.com"), server.node("b.example.com"));
    let digest = sha256(b"old\n");
    let motd = target(&format!("sha256/{digest}/etc/motd"));
    let octets = ["Content-Type: application/octet-stream", "Accept: application/octet-stream"];
    assert_eq!(stranger.send("PUT", &motd, &octets, b"old\n").status, 403);
    assert_eq!(a.send("HEAD", &motd, &octets, b"").status, 404);
    let missing = a.send("GET", &motd, &octets, b"");
    assert_eq!(missing.status, 404);
    let text = format!("Not Found: Could not find file_bucket_file sha256/{digest}/etc/motd");
    assert_eq!(missing.json()["message"], text);
    let put = a.send("PUT", &motd, &octets, b"old\n");
    assert_eq!((put.status, put.body.len(), put.header("content-type")), (200, 0, Some("application/octet-stream")));
    assert_eq!(a.send("HEAD", &motd, &octets, b"").status, 200);
    let found = b.send("GET", &target(&format!("sha256/{digest}")), &octets, b"");
    assert_eq!((found.status, found.body.as_slice()), (200, &b"old\n"[..]));
    assert_eq!(b.send("HEAD", &target(&format!("sha256/{digest}/etc/other")), &octets, b"").status, 404);
}

#[test]
fn wrong_requests_are_refused() {
    let server = RunningServer::start();
    let identity = server.enroll("a.example.com");
    // A connection ends with a refused body.
    let connect = || Connection::open(&server, Some(&identity));
    let octets = ["Content-Type: application/octet-stream", "Accept: application/octet-stream"];
    let cases = [
        ("GET", target("md5/0123"), 500, "Unsupported checksum type \\\"md5\\\""),
        ("GET", target("sha256/0123"), 500, "Invalid checksum \\\"0123\\\""),
        ("GET", target(&format!("sha256/{OLD}/a%0Ab")), 500, "Invalid path"),
        ("PUT", target(&format!("sha256/{OLD}/a%00b")), 400, "The URL is not"),
        ("GET", target(""), 400, "No request key specified"),
        ("GET", target(&format!("sha256/{OLD}")).replace("production", "nosuch"), 404, "Could not find environment"),
        ("GET", target(&format!("sha256/{OLD}")) + "&list_all=true", 500, "Listing remote file buckets is not allowed"),
        ("GET", target(&format!("sha256/{OLD}")) + "&diff_with=x", 500, "not supported yet"),
        ("PUT", target(&format!("sha256/{OLD}/x")), 500, "the file bucket has no room"),
    ];
    for (method, target, status, text) in cases {
        let large = [b'x'; 2000];
        let body: &[u8] = if method == "PUT" { &large } else { b"" };
        let reply = connect().send(method, &target, &octets, body);
        assert_eq!(reply.status, status, "{target} {}", reply.text());
        assert!(reply.text().contains(text), "{target} {}", reply.text());
    }
    for path in ["sha256/..%2f..%2fetc/passwd", "../../../etc/passwd", "sha256/%2e%2e/x"] {
        let status = connect().send("GET", &target(path), &octets, b"").status;
        assert!((400..=500).contains(&status), "{path} {status}");
    }
    let typed = connect().send("PUT", &target(&format!("sha256/{OLD}")), &["Content-Type: text/plain"], b"x");
    assert_eq!(typed.status, 415);
}

fn sha256(contents: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(contents).iter().map(|byte| format!("{byte:02x}")).collect()
}
