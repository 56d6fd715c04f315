//! Tests on the real machine: processes, files, killed writes.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;
use std::time::Instant;

use super::Machine;
use crate::Command;
use crate::FileKind;
use crate::Ownership;
use crate::System;

fn command(argv: &[&str]) -> Command {
    Command { argv: argv.iter().map(|word| (*word).to_owned()).collect(), ..Command::default() }
}

fn shell(script: &str) -> Command {
    command(&["/bin/sh", "-c", script])
}

fn names(folder: &Path) -> Vec<String> {
    Machine::new().list(folder).unwrap()
}

#[test]
fn a_process_prints_and_ends() {
    let mut machine = Machine::new();
    let mut run = |command: &Command| {
        let output = machine.run(command).unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.code, text(&output.stdout), text(&output.stderr))
    };
    assert_eq!(run(&shell("echo out; echo err >&2; exit 3")), (3, "out\n".into(), "err\n".into()));
    let merged = Command { merge_output: true, ..shell("echo out; echo err >&2") };
    assert_eq!(run(&merged), (0, "out\nerr\n".into(), String::new()));
    assert_eq!(run(&shell("kill -9 $$")).0, 137);
    let input = Command { stdin: Some(vec![b'x'; 1 << 20]), ..command(&["wc", "-c"]) };
    assert_eq!(run(&input).1.trim(), "1048576");
    // A process that does not read its input, and a process without input.
    assert_eq!(run(&Command { stdin: Some(vec![b'x'; 1 << 20]), ..shell("exit 0") }).0, 0);
    assert_eq!(run(&command(&["cat"])), (0, String::new(), String::new()));
    let environment =
        vec![("A".to_owned(), Some("b c".to_owned())), ("PATH".to_owned(), Some("/bin:/usr/bin".to_owned()))];
    let changed =
        Command { environment, directory: Some(PathBuf::from("/")), ..command(&["sh", "-c", "echo $A $PWD"]) };
    assert_eq!(run(&changed).1, "b c /\n");
    // The process is the leader of its own session and has no terminal.
    assert_eq!(run(&shell("[ $(ps -o sid= $$) = $$ ] && ! true 2>/dev/null </dev/tty")).0, 0);
}

#[test]
fn a_program_that_is_no_program_is_an_error() {
    let mut machine = Machine::new();
    let dir = tempfile::TempDir::new().unwrap();
    let plain = dir.path().join("plain");
    std::fs::write(&plain, "text").unwrap();
    for (argv, message) in [
        (vec!["/nowhere/x"], "/nowhere/x: No such file or directory"),
        (vec!["no-such-program"], "no-such-program: command not found in PATH="),
        (vec!["./x"], "./x: the path must be absolute"),
        (vec![""], "the command is empty"),
        (vec![], "the command is empty"),
        (vec!["/bin/sh", "a\0b"], "/bin/sh: an argument contains a NUL byte"),
        (vec![plain.to_str().unwrap()], "Permission denied"),
    ] {
        let error = machine.run(&command(&argv)).unwrap_err();
        assert!(error.message.contains(message), "{argv:?}: {error}");
    }
    let nowhere = Command { directory: Some(PathBuf::from("/nowhere")), ..shell("exit 0") };
    assert!(machine.run(&nowhere).is_err());
    let odd = Command { user: Some("no-such-user".to_owned()), ..shell("exit 0") };
    assert_eq!(machine.run(&odd).unwrap_err().message, "could not find user no-such-user");
    let masked = Command { umask: Some(0o077), ..shell("exit 0") };
    assert!(machine.run(&masked).unwrap_err().message.ends_with("cannot be started here"));
}

#[test]
fn a_late_process_is_killed_with_its_children() {
    let dir = tempfile::TempDir::new().unwrap();
    let pid = dir.path().join("pid");
    let script = format!("trap '' TERM; sleep 60 & echo $! > {}; wait; sleep 60", pid.display());
    let begin = Instant::now();
    let late = Command { timeout: Some(Duration::from_millis(200)), ..shell(&script) };
    let error = Machine::new().run(&late).unwrap_err();
    assert_eq!(error.message, "/bin/sh: it exceeded its timeout of 0.2 seconds");
    assert!(begin.elapsed() < Duration::from_secs(5));
    let child = std::fs::read_to_string(&pid).unwrap();
    // A killed process may remain visible for a moment.
    let status = || std::fs::read_to_string(format!("/proc/{}/status", child.trim())).unwrap_or_default();
    let is_gone = |status: String| status.is_empty() || status.contains("State:\tZ");
    while !is_gone(status()) {
        assert!(begin.elapsed() < Duration::from_secs(10), "{}", status());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_background_process_survives_and_is_not_waited_for() {
    let begin = Instant::now();
    let output = Machine::new().run(&shell("sleep 3 & echo $!")).unwrap();
    assert!(begin.elapsed() < Duration::from_secs(2));
    let pid = String::from_utf8(output.stdout).unwrap();
    assert!(Path::new("/proc").join(pid.trim()).exists());
    let _ = Machine::new().run(&command(&["kill", pid.trim()]));
}

#[test]
fn a_process_that_prints_without_end_is_an_error() {
    let error = Machine::new().run(&command(&["cat", "/dev/zero"])).unwrap_err();
    assert_eq!(error.message, "cat: it printed more than 64 MiB and was stopped");
}

#[test]
fn a_written_file_keeps_its_mode_owner_and_attributes() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("file");
    let mut machine = Machine::new();
    machine.write(&path, b"one", Ownership { mode: Some(0o640), ..Ownership::default() }).unwrap();
    assert_eq!(machine.stat(&path, false).unwrap().unwrap().mode, 0o640);
    let has_attributes = rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    std::fs::hard_link(&path, dir.path().join("other")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4711)).unwrap();
    machine.write(&path, b"two", Ownership::default()).unwrap();
    assert_eq!(machine.read(&path).unwrap(), b"two");
    assert_eq!(machine.stat(&path, false).unwrap().unwrap().mode, 0o4711);
    assert_eq!(machine.take_notes(), [format!("{}: 1 hard links keep the old contents", path.display())]);
    assert_eq!(std::fs::read(dir.path().join("other")).unwrap(), b"one");
    if has_attributes {
        let mut value = [0_u8; 16];
        let length = rustix::fs::getxattr(&path, "user.note", &mut value).unwrap();
        assert_eq!(&value[..length], b"kept");
    }
    if machine.own_user_id() == 0 {
        std::os::unix::fs::chown(&path, Some(65534), Some(65534)).unwrap();
        machine.write(&path, b"three", Ownership::default()).unwrap();
        let meta = std::fs::metadata(&path).unwrap();
        assert_eq!((meta.uid(), meta.gid(), meta.mode() & 0o7777), (65534, 65534, 0o711));
    }
    machine.copy(&path, &dir.path().join("copy"), Ownership::default()).unwrap();
    assert_eq!(names(dir.path()), ["copy", "file", "other"]);
    let new = std::fs::metadata(dir.path().join("copy")).unwrap().mode() & 0o777;
    std::fs::write(dir.path().join("plain"), "").unwrap();
    assert_eq!(new, std::fs::metadata(dir.path().join("plain")).unwrap().mode() & 0o777);
}

#[test]
fn links_are_replaced_and_odd_files_refused() {
    let dir = tempfile::TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    let mut machine = Machine::new();
    std::fs::write(at("real"), "real").unwrap();
    machine.link(&at("link"), Path::new("real"), Ownership::default()).unwrap();
    assert_eq!(machine.stat(&at("link"), false).unwrap().unwrap().target, Some(PathBuf::from("real")));
    assert_eq!(machine.read(&at("link")).unwrap(), b"real");
    machine.link(&at("link"), Path::new("elsewhere"), Ownership::default()).unwrap();
    machine.write(&at("link"), b"new", Ownership::default()).unwrap();
    assert_eq!(machine.stat(&at("link"), false).unwrap().unwrap().kind, FileKind::File);
    assert_eq!(std::fs::read(at("real")).unwrap(), b"real");
    std::fs::create_dir(at("folder")).unwrap();
    machine.run(&command(&["mkfifo", at("pipe").to_str().unwrap()])).unwrap();
    for name in ["folder", "pipe"] {
        assert!(machine.read(&at(name)).is_err(), "{name}");
        assert!(machine.write(&at(name), b"", Ownership::default()).is_err(), "{name}");
    }
    assert!(machine.link(&at("folder"), Path::new("real"), Ownership::default()).is_err());
    assert!(machine.read(Path::new("/dev/zero")).is_err());
    assert!(machine.read(Path::new("relative")).is_err());
    assert!(machine.delete_file(&at("folder")).is_err());
    machine.link(&at("to-folder"), Path::new("folder"), Ownership::default()).unwrap();
    assert!(machine.delete_directory(&at("to-folder"), true).is_err());
    machine.delete_file(&at("missing")).unwrap();
    assert_eq!(machine.stat(&at("real/below"), false).unwrap(), None);
    assert_eq!(names(dir.path()), ["folder", "link", "pipe", "real", "to-folder"]);
}

#[test]
fn what_a_killed_run_left_is_removed_and_nothing_else() {
    let dir = tempfile::TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in [".catwalk-tmp-abcdEF12", ".catwalk-tmp-held0000", ".catwalk-tmp-short", "catwalk-tmp-abcdEF12"] {
        std::fs::write(at(name), "half").unwrap();
    }
    let held = std::fs::File::open(at(".catwalk-tmp-held0000")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    Machine::new().write(&at("file"), b"", Ownership::default()).unwrap();
    assert_eq!(names(dir.path()), [".catwalk-tmp-held0000", ".catwalk-tmp-short", "catwalk-tmp-abcdEF12", "file"]);
}

#[test]
fn users_and_groups() {
    let mut machine = Machine::new();
    assert_eq!((machine.user_id("root"), machine.user_name(0)), (Some(0), Some("root".to_owned())));
    assert_eq!(
        (machine.user_id("12345"), machine.user_id("no-such-user"), machine.user_id("a\0b")),
        (Some(12345), None, None)
    );
    assert_eq!((machine.group_id("0"), machine.group_name(4_000_000_000)), (Some(0), None));
    assert_eq!((machine.user_id(""), machine.user_id("99999999999")), (None, None));
}

/// The directory in which [`writes_until_killed`] writes.
const WRITE_IN: &str = "CATWALK_TEST_WRITES_IN";
/// Long enough for several writes.
const SIZE: usize = 300_000;

/// Replaces a path by a directory with a file in it, a file, a directory, and a link.
fn replace_kinds(machine: &mut Machine, path: &Path) {
    let ownership = Ownership { replaces_other_kinds: true, ..Ownership::default() };
    for _ in 0..2 {
        if machine.stat(path, false).unwrap().is_none_or(|stat| stat.kind != FileKind::Directory) {
            machine.create_directory(path, ownership).unwrap();
        }
        machine.write(&path.join("inner"), b"inner", Ownership::default()).unwrap();
        machine.write(path, b"file", ownership).unwrap();
        machine.create_directory(path, ownership).unwrap();
        machine.write(&path.join("inner"), b"inner", Ownership::default()).unwrap();
        machine.link(path, Path::new("target"), ownership).unwrap();
    }
}

#[test]
fn files_links_and_directories_replace_each_other() {
    let dir = tempfile::TempDir::new().unwrap();
    let mut machine = Machine::new();
    replace_kinds(&mut machine, &dir.path().join("changing"));
    assert_eq!(names(dir.path()), ["changing"]);
    assert_eq!(std::fs::read_link(dir.path().join("changing")).unwrap(), Path::new("target"));
}

/// Not a test by itself: the next test runs it in a process and kills that.
#[test]
#[ignore = "runs until it is killed"]
fn writes_until_killed() {
    let Some(dir) = std::env::var_os(WRITE_IN).map(PathBuf::from) else { return };
    let mut machine = Machine::new();
    for turn in 0_u32.. {
        let (byte, mode) = if turn % 2 == 0 { (b'a', 0o600) } else { (b'b', 0o644) };
        let ownership = Ownership { mode: Some(mode), ..Ownership::default() };
        machine.write(&dir.join("file"), &vec![byte; SIZE], ownership).unwrap();
        let target = Path::new(if turn % 2 == 0 { "even" } else { "odd" });
        machine.link(&dir.join("link"), target, Ownership::default()).unwrap();
        replace_kinds(&mut machine, &dir.join("changing"));
    }
}

/// `KILLS=1000 cargo test -p catwalk-system killed_writes` sets the number of killed processes.
#[test]
fn killed_writes_leave_the_old_or_the_new_file() {
    let kills = std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(4);
    let dir = tempfile::TempDir::new().unwrap();
    let mut found = std::collections::BTreeSet::new();
    let mut is_started = false;
    for kill in 0..kills {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "machine::tests::writes_until_killed", "--ignored"])
            .env(WRITE_IN, dir.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(15_000 + kill * 7_919 % 20_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let Ok(contents) = std::fs::read(dir.path().join("file")) else { continue };
        assert!(!is_started || dir.path().join("changing").symlink_metadata().is_ok(), "a path is empty");
        is_started = dir.path().join("changing").symlink_metadata().is_ok();
        let mode = std::fs::metadata(dir.path().join("file")).unwrap().mode() & 0o777;
        assert_eq!(contents.len(), SIZE);
        let wanted = if contents[0] == b'a' { 0o600 } else { 0o644 };
        assert!(contents.iter().all(|byte| *byte == contents[0]), "a mixture");
        assert_eq!(mode, wanted);
        if let Ok(target) = std::fs::read_link(dir.path().join("link")) {
            assert!(["even", "odd"].contains(&target.to_str().unwrap()));
        }
        found.insert(names(dir.path()).len());
    }
    // The next run removes the remaining temporary files.
    Machine::new().write(&dir.path().join("file"), b"new", Ownership::default()).unwrap();
    let left = names(dir.path());
    assert!(left.iter().all(|name| ["changing", "file", "link"].contains(&&**name)), "{left:?} {found:?}");
}
