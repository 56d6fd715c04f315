//! Which files are served.

use std::os::unix::fs::symlink;

use serde_json::Value;

use super::support::Connection;
use super::support::RunningServer;
use super::support::limits;
use crate::config::Limits;
use catwalk_authority::Autosign;

/// The cases: path below `file_content`, status. The links in `files/`: `out` leads to `manifests` in the module, `outside` to the
/// directory with the authority, `system` to `/etc`.
const CONTENTS: [(&str, u16); 27] = [
    ("modules/wire/a.txt", 200),
    ("modules/wire//a.txt", 200),
    ("modules/wire/b%20c.txt", 200),
    // The space ends the target, and `b.txt` is not an HTTP version.
    ("modules/wire/b c.txt", 400),
    ("modules/wire/tree/sub/two", 200),
    ("modules/wire/near", 200),
    ("plugins/facter/wirefact.rb", 200),
    ("pluginfacts/wireext.txt", 200),
    ("modules/wire/absent", 404),
    ("modules/absent/a.txt", 404),
    ("modules/wire/tree", 404),
    ("modules/wire/pipe", 404),
    ("modules/wire", 404),
    ("modules", 500),
    ("mo%20dules/wire/a.txt", 500),
    ("modules/wire/outside/ca_key.pem", 404),
    ("modules/wire/system/passwd", 404),
    ("modules/wire/key", 404),
    ("modules/wire/../manifests/init.pp", 400),
    ("modules/wire/%2e%2e/manifests/init.pp", 400),
    ("modules/wire/%2E./manifests/init.pp", 400),
    ("modules/wire/..%2fmanifests/init.pp", 400),
    ("modules/wire/%252e%252e/manifests/init.pp", 404),
    ("modules/wire/a.txt%00", 400),
    ("modules/wire/a%", 400),
    ("modules/wire/%ff", 400),
    ("modules/../../../../etc/passwd", 400),
];

/// The cases: client, path, status, content of a mount of `fileserver.conf`.
const MOUNTED: [(&str, &str, u16, &str); 9] = [
    ("a.example.com", "files/a.txt", 200, "mounted\n"),
    ("a.example.com", "files/sub/b.txt", 200, "below\n"),
    ("a.example.com", "own/secret.txt", 200, "of a\n"),
    ("b.example.com", "own/secret.txt", 200, "of b\n"),
    ("c.example.com", "own/secret.txt", 404, ""),
    ("a.example.com", "files/absent", 404, ""),
    ("a.example.com", "files", 404, ""),
    ("a.example.com", "files/out", 404, ""),
    ("a.example.com", "own/../b.example.com/secret.txt", 400, ""),
];

#[test]
fn mounts_of_fileserver_conf_serve_directories() {
    let server = RunningServer::start();
    let mounted = server.directory.path().join("mounted/all");
    symlink("../../ca/ca_key.pem", mounted.join("out")).unwrap();
    symlink("a.txt", mounted.join("near")).unwrap();
    let clients = ["a.example.com", "b.example.com", "c.example.com"].map(|name| (name, server.enroll(name)));
    for (client, path, status, content) in MOUNTED {
        let (_, identity) = clients.iter().find(|(name, _)| *name == client).unwrap();
        let mut node = Connection::open(&server, Some(identity));
        let reply = node.get(&format!("/puppet/v3/file_content/{path}?environment=production"));
        assert_eq!(reply.status, status, "{client} {path}: {reply:?}");
        assert!(status != 200 || reply.text() == content, "{client} {path}: {reply:?}");
    }
    let mut node = Connection::open(&server, Some(&clients[0].1));
    let metadata = node.get("/puppet/v3/file_metadata/files/a.txt?environment=production").json();
    let expected = mounted.canonicalize().unwrap().join("a.txt");
    assert_eq!((metadata["type"].as_str(), metadata["path"].as_str()), (Some("file"), expected.to_str()));
    let root = node.get("/puppet/v3/file_metadata/files?environment=production").json();
    assert_eq!(root["path"].as_str(), mounted.canonicalize().unwrap().to_str());
    let tree = node.get("/puppet/v3/file_metadatas/files?environment=production&recurse=true&links=manage").json();
    assert_eq!(names(&tree), [". directory", "a.txt file", "near link", "out link", "sub directory", "sub/b.txt file"]);
    let configuration = server.directory.path().join("fileserver.conf");
    std::fs::write(&configuration, format!("[moved]\npath {}\n", mounted.join("sub").display())).unwrap();
    server.handle.reload().unwrap();
    assert_eq!(node.get("/puppet/v3/file_content/moved/b.txt?environment=production").text(), "below\n");
    let gone = node.get("/puppet/v3/file_content/files/a.txt?environment=production");
    assert!(gone.text().contains("Not authorized to call find on /file_content/files/a.txt"), "{gone:?}");
    std::fs::write(&configuration, "[moved]\n").unwrap();
    let refused = server.handle.reload().unwrap_err().to_string();
    assert!(refused.ends_with("fileserver.conf: Mounts without paths are not usable"), "{refused}");
    assert_eq!(node.get("/puppet/v3/file_content/moved/b.txt?environment=production").status, 200);
}

fn with_links(server: &RunningServer) {
    let files = server.site().module("production").join("files");
    symlink("a.txt", files.join("near")).unwrap();
    symlink("../../../../../ca", files.join("outside")).unwrap();
    symlink("../../../../../ca/ca_key.pem", files.join("key")).unwrap();
    symlink("/etc", files.join("system")).unwrap();
    symlink("nothing", files.join("dangling")).unwrap();
    symlink(".", files.join("tree/round")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, files.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
}

#[test]
fn no_path_leads_outside_of_a_module() {
    let server = RunningServer::start();
    with_links(&server);
    assert!(server.directory.path().join("ca/ca_key.pem").exists());
    let identity = server.enroll("a.example.com");
    for (path, expected) in CONTENTS {
        let mut node = Connection::open(&server, Some(&identity));
        let reply = node.get(&format!("/puppet/v3/file_content/{path}?environment=production"));
        assert_eq!(reply.status, expected, "{path}: {reply:?}");
    }
}

fn names(answer: &Value) -> Vec<String> {
    let name =
        |entry: &Value| format!("{} {}", entry["relative_path"].as_str().unwrap(), entry["type"].as_str().unwrap());
    answer.as_array().unwrap().iter().map(name).collect()
}

/// The cases: parameters of a search, `relative_path type` of each entry.
const SEARCHES: [(&str, &str, &[&str]); 8] = [
    ("modules/wire/tree", "recurse=false", &[". directory"]),
    (
        "modules/wire/tree",
        "recurse=true&links=manage",
        &[". directory", "one file", "round link", "sub directory", "sub/two file"],
    ),
    (
        "modules/wire/tree",
        "recurse=true&links=follow",
        &[". directory", "one file", "round directory", "sub directory", "sub/two file"],
    ),
    ("modules/wire/tree", "recurse=true&recurselimit=1&ignore=r*", &[". directory", "one file", "sub directory"]),
    ("modules/wire/ignored", "recurse=true&ignore=.git", &[". directory", "kept file"]),
    ("modules/wire/a.txt", "recurse=true", &[". file"]),
    (
        "plugins",
        "recurse=true&max_files=-1",
        &[". directory", "facter directory", "facter/wirefact.rb file", "facter/other.rb file"],
    ),
    ("locales", "recurse=true", &[". directory"]),
];

#[test]
fn searches_list_what_puppet_lists() {
    let server = RunningServer::start();
    with_links(&server);
    let mut node = server.node("a.example.com");
    for (path, parameters, expected) in SEARCHES {
        let reply = node.get(&format!("/puppet/v3/file_metadatas/{path}?environment=production&{parameters}"));
        assert_eq!(reply.status, 200, "{path} {parameters}: {reply:?}");
        assert_eq!(names(&reply.json()), expected, "{path} {parameters}");
    }
    let followed = node.get("/puppet/v3/file_metadatas/modules/wire?environment=production&recurse=true&links=follow");
    let found = names(&followed.json());
    let absent = |name: &str| found.iter().all(|entry| !entry.starts_with(name));
    assert!(["outside", "system", "key", "dangling", "pipe"].into_iter().all(absent), "{found:?}");
    let empty = node.get("/puppet/v3/file_metadatas/plugins?environment=empty&recurse=true").json();
    assert!(empty[0]["path"].as_str().unwrap().ends_with("/empty/modules"), "{empty}");
}

/// The cases: parameters of a search that fails, start of the message.
const FAILURES: [(&str, &str); 5] = [
    ("recurse=true&max_files=2", "Server Error: The directory '"),
    ("recurse=1", "Server Error: Fileset recurse parameter must not be a number anymore, please use recurselimit"),
    ("links=x", "Server Error: Invalid :links value 'x'"),
    ("checksum_type=x", "Server Error: Unsupported checksum type x"),
    ("source_permissions=x", "Server Error: Unsupported source_permission x"),
];

#[test]
fn wrong_parameters_are_errors() {
    let server = RunningServer::start();
    let mut node = server.node("a.example.com");
    for (parameters, message) in FAILURES {
        let reply =
            node.get(&format!("/puppet/v3/file_metadatas/modules/wire/tree?environment=production&{parameters}"));
        assert_eq!(reply.status, 500, "{parameters}");
        assert!(reply.json()["message"].as_str().unwrap().starts_with(message), "{parameters}: {reply:?}");
    }
}

#[test]
fn checksums_follow_changes() {
    let server = RunningServer::start();
    let mut node = server.node("a.example.com");
    let path = server.site().module("production").join("files/a.txt");
    let mut checksum = |kind: &str| {
        let target = format!("/puppet/v3/file_metadata/modules/wire/a.txt?environment=production&checksum_type={kind}");
        node.get(&target).json()["checksum"]["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(checksum("md5"), "{md5}b1946ac92492d2347c6235b4d2611184");
    assert_eq!(checksum("sha1lite"), "{sha1lite}f572d396fae9206628714fb2ce00f72e94f2258f");
    assert_eq!(checksum("etag"), "{etag}b1946ac92492d2347c6235b4d2611184");
    assert_eq!(checksum("none"), "{none}");
    assert!(checksum("mtime").starts_with("{mtime}20"));
    std::fs::write(path, "jello\n").unwrap();
    assert_ne!(checksum("md5"), "{md5}b1946ac92492d2347c6235b4d2611184");
}

#[test]
fn files_that_are_too_large_to_be_served_have_no_checksum() {
    let small = Limits { file_bytes: 1000, ..limits() };
    let server = RunningServer::start_with(small, Autosign::All);
    let mut node = server.node("a.example.com");
    let path = server.site().module("production").join("files/a.txt");
    let find =
        |kind: &str| format!("/puppet/v3/file_metadata/modules/wire/a.txt?environment=production&checksum_type={kind}");
    let search = "/puppet/v3/file_metadatas/modules/wire?environment=production&recurse=true&checksum_type=sha256";
    assert_eq!((node.get(&find("md5")).status, node.get(search).status), (200, 200));
    std::fs::write(path, "x".repeat(1001)).unwrap();
    for target in [&*find("md5"), search] {
        let refused = node.get(target);
        assert_eq!(refused.status, 500, "{target}");
        assert!(refused.text().contains("a.txt has 1001 bytes, more than are served"), "{}", refused.text());
    }
    assert_eq!((node.get(&find("mtime")).status, node.get(&find("md5lite")).status), (200, 200));
}

#[test]
fn large_files_are_sent_in_chunks() {
    let server = RunningServer::start();
    let content: Vec<u8> = (0..3_000_001_u32).map(|at| u8::try_from(at % 251).unwrap()).collect();
    std::fs::write(server.site().module("production").join("files/large"), &content).unwrap();
    let mut node = server.node("a.example.com");
    let target = "/puppet/v3/file_content/modules/wire/large?environment=production";
    let reply = node.send("GET", target, &["Accept: application/octet-stream", "Accept-Encoding: gzip"], b"");
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/octet-stream")));
    assert!(reply.body == content);
    assert_eq!(node.get("/status/v1/simple").text(), "running");
}
