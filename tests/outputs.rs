//! Files that the program writes: killed at any moment, or refused by the system, each is the old or the new one.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

use crate::support::Site;

const NODES: usize = 16;
const PENDING: &str = "snap.new";

/// A site whose catalogs are of some size; each node has its own text.
fn site(text: &str) -> Site {
    let site = Site::empty();
    site.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n");
    (0..NODES).for_each(|node| site.write(&format!("nodes/n{node}.json"), "{}"));
    code(&site, text);
    site
}

fn code(site: &Site, text: &str) {
    let code = "Integer[1, 60].each |$n| { notify { \"TEXT ${n} of ${trusted['certname']}\": } }\n$t = generate('/bin/echo', 'TEXT')\n";
    site.write("site.pp", code.replace("TEXT", text));
}

/// Runs through a shell that sets limits first.
fn limited(site: &Site, limits: &str, args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_catwalk")]).args(args);
    let output = command.current_dir(site.path()).env("NO_COLOR", "1").env_remove("CI").output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// All files below a folder, with their texts; the sources of the site are left out.
fn written(site: &Site) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect(site.path(), "", &mut found);
    found.retain(|name, _| !name.starts_with("nodes/") && !["catwalk.toml", "site.pp"].contains(&name.as_str()));
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => collect(&entry.path(), &format!("{name}/"), found),
            false => drop(found.insert(name, std::fs::read_to_string(entry.path()).unwrap())),
        }
    }
}

fn is_temporary(name: &str) -> bool {
    name.contains(".catwalk-tmp")
}

/// Each command that writes many files; what it is called with.
const COMMANDS: [&[&str]; 5] = [
    &["compile", "-o", "out/"],
    &["compile", "-o", "out/", "--record", "tape"],
    &["test", "--accept"],
    &["test", "--junit", "junit.xml", "--markdown", "report.md"],
    &["snapshot", "accept", "--all"],
];

/// A site with its files before and after a successful run.
fn states(args: &[&str]) -> (Site, BTreeMap<String, String>, BTreeMap<String, String>) {
    let site = site("old");
    site.run(&["compile", "-o", "out/", "--record", "tape"]).expect(0, "");
    site.run(&["test", "--accept", "--junit", "junit.xml", "--markdown", "report.md"]).expect(0, "");
    code(&site, "new");
    if args[0] == "snapshot" {
        site.run(&["test"]);
    }
    let old = written(&site);
    site.run(args);
    let new = written(&site);
    restore(&site, &old);
    (site, old, new)
}

/// The files as they were.
fn restore(site: &Site, old: &BTreeMap<String, String>) {
    for name in written(site).keys().filter(|name| !old.contains_key(*name)) {
        site.remove(name);
    }
    old.iter().for_each(|(name, text)| std::fs::write(site.path().join(name), text).unwrap());
}

/// Whether two files are equal, ignoring times and random numbers.
fn is_equal(name: &str, a: Option<&String>, b: Option<&String>) -> bool {
    let varies = |line: &&str| ["\"version\"", "\"catalog_uuid\""].iter().any(|key| line.contains(key));
    let form = |text: &String| match name.starts_with("out/") {
        true => text.lines().filter(|line| !varies(line)).collect::<Vec<_>>().join("\n"),
        // A tape may also hold what the system refused: it only must be whole.
        false if name.starts_with("tape/") && serde_json::from_str::<serde_json::Value>(text).is_ok() => String::new(),
        false if name.contains('/') => text.clone(),
        false => text.lines().count().to_string(),
    };
    a.map(form) == b.map(form)
}

/// Whether a file is complete and reports an operation that the system refused to the compile.
fn reports_a_failure(name: &str, text: &str) -> bool {
    let is_whole = match name.rsplit('.').next() {
        Some("xml") => text.ends_with("</testsuites>\n") || text.ends_with("</testsuites>"),
        Some("md") => text.ends_with('\n'),
        _ => name.starts_with("snapshots/") && text.ends_with('\n'),
    };
    is_whole && ["Too many open files", "error: ", "Failed to execute"].iter().any(|part| text.contains(part))
}

/// Checks that each file has its old or new contents and that no other file exists. Returns how many are new, and how many differ.
fn check(site: &Site, old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> (usize, usize) {
    let now = written(site);
    let mut names: Vec<&String> =
        old.keys().chain(new.keys()).chain(now.keys()).filter(|name| !is_temporary(name)).collect();
    names.sort();
    names.dedup();
    let (mut done, mut all) = (0, 0);
    for name in names {
        let (before, after, found) = (old.get(name), new.get(name), now.get(name));
        assert!(
            is_equal(name, found, before)
                || is_equal(name, found, after)
                || found.is_some_and(|text| reports_a_failure(name, text)),
            "{name} is neither old nor new: {:.300?}",
            found
        );
        if !is_equal(name, before, after) {
            all += 1;
            done += usize::from(is_equal(name, found, after));
        }
    }
    (done, all)
}

#[test]
fn killed_at_any_moment_each_file_is_old_or_new_and_the_next_run_sweeps() {
    let (mut partly, mut left) = (0, 0);
    for args in COMMANDS {
        let (site, old, new) = states(args);
        let started = Instant::now();
        site.run(args);
        let whole = started.elapsed();
        for round in 0..6u32 {
            restore(&site, &old);
            let mut child = site.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // The files are written in the second half.
            std::thread::sleep(whole / 2 + whole * round / 12);
            child.kill().unwrap();
            child.wait().unwrap();
            let (done, all) = check(&site, &old, &new);
            partly += usize::from(done > 0 && done < all);
            left += written(&site).keys().filter(|name| is_temporary(name)).count();
        }
        site.run(args);
        let (done, all) = check(&site, &old, &new);
        assert_eq!(done, all, "{args:?}: the next run completes");
        let remaining: Vec<String> = written(&site).into_keys().filter(|name| is_temporary(name)).collect();
        assert!(remaining.is_empty(), "{args:?} {remaining:?}");
    }
    eprintln!("{partly} runs were killed while they wrote, {left} temporary files were left");
}

#[test]
fn a_signal_leaves_no_temporary_file() {
    let site = site("old");
    // A reader that takes nothing: the process waits in the middle of its output.
    site.write("big.pp", "Integer[1, 3000].each |$n| { notify { \"${n}\": message => 'x'.rjust(500) } }\n");
    for (signal, code) in [("TERM", 15), ("INT", 2), ("HUP", 1)] {
        let mut command = site.command(&["compile", "-o", "out/"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap();
        let temporary = site.path().join("out/.catwalk-tmp");
        let started = Instant::now();
        while !temporary.exists() && child.try_wait().unwrap().is_none() && started.elapsed() < Duration::from_secs(60)
        {
            std::thread::yield_now();
        }
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).output().unwrap();
        let status = child.wait().unwrap();
        let ended = std::os::unix::process::ExitStatusExt::signal(&status);
        // It may have been quicker.
        assert!(ended == Some(code) || status.success(), "{status:?}");
        assert!(!temporary.exists(), "{signal}");
    }
}

#[test]
fn writes_refused_by_the_system_leave_old_or_new_files() {
    for args in COMMANDS {
        let (site, old, new) = states(args);
        // In turn: few open files, files of at most 512 bytes and of none.
        for limits in ["ulimit -n 12", "ulimit -n 16", "ulimit -n 24", "ulimit -f 1", "ulimit -f 0"] {
            let (code, stderr) = limited(&site, limits, args);
            assert!(code.is_some(), "{args:?} {limits}: killed");
            assert!(!stderr.contains("panicked"), "{stderr}");
            let (done, all) = check(&site, &old, &new);
            if done < all {
                assert_ne!(code, Some(0), "{args:?} {limits}: {done} of {all}\n{stderr}");
            }
            let remaining: Vec<String> = written(&site).into_keys().filter(|name| is_temporary(name)).collect();
            assert!(remaining.is_empty(), "{args:?} {limits} {remaining:?}");
            restore(&site, &old);
        }
    }
}

#[test]
fn a_run_that_fails_midway_reports_its_progress() {
    let site = site("old");
    site.run(&["test", "--accept"]).expect(0, "");
    code(&site, "new");
    site.run(&["test"]);
    // A directory in the place of a snapshot cannot be replaced, by root neither.
    let blocked = |name: &str| {
        site.remove(name);
        site.write(&format!("{name}/in"), "");
    };
    blocked("snapshots/n7.snap.new");
    site.run(&["snapshot", "reject", "--in", "n7"]);
    std::fs::remove_dir_all(site.path().join("snapshots/n7.snap.new")).unwrap();
    site.run(&["test"]);
    blocked("snapshots/n7.snap");
    let run = site.run(&["snapshot", "accept", "--all"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("snapshots/n7.snap"), "{run:#?}");
    std::fs::remove_dir_all(site.path().join("snapshots/n7.snap")).unwrap();

    // The folder of another snapshot is a file.
    site.write("tests/more.yaml", "- name: deep/a\n  code: \"notify { 'a': }\"\n");
    site.write("out/n3.json/in", "");
    let run = site.run(&["compile", "-o", "out/"]).expect(1, "cannot write out/n3.json: ");
    assert!(run.stdout.contains(&format!("{} of {NODES} catalogs written to out/", NODES - 1)), "{run:#?}");
    assert!(run.stdout.contains("n3   not written"), "{run:#?}");
}

#[test]
fn accepting_continues_after_a_file_that_cannot_be_written() {
    let site = site("old");
    site.run(&["test"]);
    assert_eq!(pending(&site), NODES);
    let (code, stderr) = limited(&site, "ulimit -f 1", &["snapshot", "accept", "--all"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("cannot write") && stderr.contains("File too large"), "{stderr}");
    assert!(stderr.contains(&format!("0 of {NODES} snapshots were accepted; the others still wait")), "{stderr}");
    assert_eq!(pending(&site), NODES);
    let run = site.run(&["snapshot", "accept", "--all"]).expect(0, "");
    assert!(run.stdout.contains(&format!("in {NODES} snapshots accepted")), "{run:#?}");
    assert_eq!(pending(&site), 0);
    self::code(&site, "new");
    let (code, stderr) = limited(&site, "ulimit -f 1", &["test", "--accept"]);
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains(&format!("0 of {NODES} cases were compared")), "{stderr}");
}

fn pending(site: &Site) -> usize {
    written(site).keys().filter(|name| name.ends_with(PENDING)).count()
}

#[test]
fn files_that_may_hold_secrets_are_readable_only_by_their_owner() {
    let site = site("x");
    let mode = |name: &str| std::fs::metadata(site.path().join(name)).unwrap().permissions().mode() & 0o777;
    let set = |name: &str, mode| {
        site.write(name, "old");
        std::fs::set_permissions(site.path().join(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set("out/n1.json", 0o644);
    set("out/n2.json", 0o640);
    set("tape/nodes/n1.json", 0o666);
    set("tape/nodes/n2.json", 0o640);
    set("junit.xml", 0o604);
    set("plain", 0o644);
    site.run(&["compile", "-o", "out/", "--record", "tape"]).expect(0, "");
    site.run(&["test", "--accept", "--junit", "junit.xml", "--markdown", "report.md"]);
    site.write("fresh", "");
    for (name, expected) in [
        ("out/n0.json", 0o600),
        ("out/n1.json", 0o600),
        ("out/n2.json", 0o640),
        ("tape/nodes/n0.json", 0o600),
        ("tape/nodes/n1.json", 0o600),
        ("tape/nodes/n2.json", 0o640),
        ("junit.xml", 0o604),
        ("report.md", mode("fresh")),
        ("snapshots/n0.snap", mode("fresh")),
    ] {
        assert_eq!(mode(name), expected, "{name}: {:o}", mode(name));
    }
}

#[test]
fn git_ignores_files_that_a_killed_run_leaves() {
    let site = site("x");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(site.path());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    let folder = site.path().join("snapshots/.catwalk-tmp");
    site.write("snapshots/.catwalk-tmp/.gitignore", "*\n");
    site.write("snapshots/.catwalk-tmp/0a1b2c3d-1-1", "half");
    let status = git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(!status.contains("catwalk-tmp"), "{status}");
    // It belongs to another system and is young: it stays. An hour later it goes.
    site.run(&["test"]);
    assert!(folder.join("0a1b2c3d-1-1").exists() && folder.join(".gitignore").exists());
    let file = std::fs::OpenOptions::new().write(true).open(folder.join("0a1b2c3d-1-1")).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(7200)).unwrap();
    site.run(&["test"]);
    assert!(!folder.exists());
}

#[test]
fn a_pipe_that_nothing_reads_is_an_error() {
    let site = site("x");
    for name in ["out.json", "snapshots/n0.snap.new"] {
        std::fs::create_dir_all(site.path().join(name).parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(site.path().join(name)).status().unwrap().success());
    }
    let started = Instant::now();
    site.run(&["compile", "n0", "-o", "out.json"]).expect(1, "cannot write out.json: nothing reads from this pipe");
    assert!(started.elapsed() < Duration::from_secs(60));
    site.run(&["compile", "n0", "-o", "/dev/full"]).expect(1, "cannot write /dev/full: No space left on device");
    site.run(&["compile", "n0", "-o", "/dev/null"]).expect(0, "");
    let run = site.run(&["compile", "n0", "-o", "/dev/stdout"]).expect(0, "");
    assert!(run.stdout.contains("x 60 of n0"), "{run:#?}");
}
