//! Queues in repositories and of other users.

use std::path::Path;
use std::path::PathBuf;

use crate::support::Site;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;

fn site(toml: &str) -> Site {
    let toml = format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n[puppetdb]\n{toml}");
    Site::new(&[("catwalk.toml", &toml), ("site.pp", ""), ("nodes/web1.json", "{}")])
}

fn commands(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    found.sort();
    found
}

/// A queue that another machine has filled, with the commands and marker in a directory of a site.
fn foreign_queue(into: &Site, folder: &str) {
    let other = site("queue = \"q\"\n");
    let args = ["compile", "--submit", "-o", "out/", "--retries", "0", "--puppetdb-url", "http://127.0.0.1:1"];
    other.run(&args).expect(1, "did not accept 2 commands");
    for entry in std::fs::read_dir(other.path().join("q")).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        into.write(&name, std::fs::read(entry.path()).unwrap());
    }
    assert_eq!(commands(&into.path().join(folder)).len(), 2);
}

/// Commands that a repository contains would be sent with the certificate of this machine.
#[test]
fn commands_of_a_repository_are_not_sent() {
    let server = FakePuppetDb::start(|_| Reply::accepted());
    let url = format!("url = \"{}\"\n", server.url);
    // Where earlier versions kept the queue.
    let site = site(&url);
    foreign_queue(&site, ".catwalk/queue");
    let run = site.run(&["store", "push"]).expect(0, "0 commands submitted");
    assert!(run.stderr.contains("2 commands in SITE/.catwalk/queue, where earlier versions"), "{run:#?}");
    site.run(&["compile", "--submit", "-o", "out/"]).expect(0, "2 commands submitted");
    assert_eq!(commands(&site.path().join(".catwalk/queue")).len(), 2);
    // In the directory of the key.
    site.write("catwalk.toml", format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n[puppetdb]\n{url}queue = \"q\"\n"));
    foreign_queue(&site, "q");
    let refused = "error[FOREIGN_DIRECTORY]";
    let run = site.run(&["compile", "--submit", "-o", "out/"]).expect(2, refused);
    assert!(run.stderr.contains("not created on this machine") && run.stderr.contains("--queue DIR"), "{run:#?}");
    site.run(&["store", "push"]).expect(2, refused);
    site.remove("q/.lock");
    site.run(&["store", "push"]).expect(2, refused);
    let before = server.requests().len();
    assert_eq!((before, commands(&site.path().join("q")).len()), (2, 2));
    // The user may send them.
    site.run(&["store", "push", "--queue", "q"]).expect(0, "2 commands submitted");
    assert_eq!(server.requests().len(), before + 2);
}

/// A queue of this machine in a site, and the default one, keep their commands until they are sent.
#[test]
fn own_queues_are_used_again() {
    let server = FakePuppetDb::start(|_| Reply::accepted());
    for toml in ["", "queue = \"deep/q\"\n"] {
        let site = site(&format!("url = \"{}\"\n{toml}", server.url));
        let down = ["--puppetdb-url", "http://127.0.0.1:1", "--retries", "0"];
        site.run(&[&["compile", "--submit", "-o", "out/"], &down[..]].concat()).expect(1, "did not accept 2 commands");
        let others = [("notes.json", "{}"), ("20260102T030401.000Z-a-replace_facts-0123456789abcdef.yaml", "x")];
        let queue = match toml {
            "" => std::fs::read_dir(site.state().join("catwalk/queue")).unwrap().next().unwrap().unwrap().path(),
            _ => site.path().join("deep/q"),
        };
        others.iter().for_each(|(name, text)| std::fs::write(queue.join(name), text).unwrap());
        let dry = site.run(&[&["store", "push", "--dry-run"], &down[..2]].concat()).expect(0, "").stdout;
        assert!(dry.ends_with("2 commands would be sent\n") && !dry.contains("notes"), "{dry}");
        site.run(&["store", "push", "--queue", &queue.to_string_lossy()]).expect(0, "2 commands submitted");
        for (name, text) in others {
            assert_eq!(std::fs::read_to_string(queue.join(name)).unwrap(), text, "{name}");
        }
        assert_eq!(commands(&queue), [queue.join("notes.json")]);
    }
}

/// A queue of an earlier version has no marker.
#[test]
fn a_queue_without_a_marker_is_recognised_by_its_names() {
    let server = FakePuppetDb::start(|_| Reply::accepted());
    let site = site(&format!("url = \"{}\"\n", server.url));
    foreign_queue(&site, "old");
    site.remove("old/.lock");
    let first = commands(&site.path().join("old")).remove(0);
    std::fs::write(&first, "{").unwrap();
    site.run(&["store", "push", "--queue", "old"]).expect(1, "old/damaged/");
    site.run(&["store", "push", "--queue", "old"]).expect(0, "0 commands submitted");
}

#[test]
fn directories_that_others_can_write_are_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let site = site("url = \"http://127.0.0.1:1\"\nqueue = \"q\"\n");
    std::fs::create_dir(site.path().join("q")).unwrap();
    let submit = ["compile", "--submit", "-o", "out/", "--retries", "0"];
    std::fs::set_permissions(site.path().join("q"), std::fs::Permissions::from_mode(0o777)).unwrap();
    site.run(&submit).expect(2, "everybody can write to it");
    std::fs::set_permissions(site.path().join("q"), std::fs::Permissions::from_mode(0o755)).unwrap();
    // Only root can give a directory away.
    if std::os::unix::fs::chown(site.path().join("q"), Some(4242), None).is_ok() {
        site.run(&submit).expect(2, "it belongs to another user");
        std::os::unix::fs::chown(site.path().join("q"), Some(0), None).unwrap();
    }
    site.run(&submit).expect(1, "did not accept 2 commands");
    let mode = std::fs::metadata(site.state().join("catwalk")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

/// Without a home directory, the state of root is in `/var/lib`; other users must name the queue.
#[test]
fn without_a_directory_for_state_the_queue_is_named() {
    let site = site("url = \"http://127.0.0.1:1\"\n");
    let mut command = site.command(&["store", "push", "--dry-run"]);
    let output = command.env_remove("HOME").env("XDG_STATE_HOME", "relative").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let is_named = text.contains("no queue of commands for PuppetDB is set") && text.contains("--queue DIR");
    assert!(output.status.success() || is_named, "{output:?}");
}
