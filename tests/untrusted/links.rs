//! Links, files and revisions that lead out of the site.

use super::SECRET;
use super::UntrustedSite;
use super::git;
use super::harmless;
use crate::support::running::PATIENCE;
use crate::support::running::Watching;
use crate::support::running::lines;

/// A file that the command line names may be a link of an attacker: it is read only where it leads to a file beside it or in the site.
#[test]
fn commands_on_files_follow_no_link_out() {
    let fixture = UntrustedSite::new();
    fixture.write("catwalk.toml", "manifest = \"site.pp\"\n");
    let plain = fixture.dir.path().join("plain");
    std::fs::create_dir(&plain).unwrap();
    for (folder, name, to) in
        [(&fixture.site, "a.pp", "secret.txt"), (&plain, "a.pp", "secret.txt"), (&plain, "a.yaml", "data.yaml")]
    {
        std::os::unix::fs::symlink(fixture.out.join(to), folder.join(name)).unwrap();
    }
    std::fs::write(plain.join("b.pp"), "$x = 1\n").unwrap();
    std::os::unix::fs::symlink("b.pp", plain.join("c.pp")).unwrap();
    let plain = |name: &str| plain.join(name).to_string_lossy().into_owned();
    let bundle = fixture.dir.path().join("bundle.json").to_string_lossy().into_owned();
    for (args, code, said) in [
        (&["parse", "--untrusted", "a.pp"][..], 2, "may not read outside"),
        (&["parse", "--untrusted", &plain("a.pp")], 2, "may not read outside"),
        (&["check", "--untrusted", "a.pp"], 2, "may not read outside"),
        (&["check", "--untrusted", &plain("a.pp")], 2, "may not read outside"),
        (&["facts", "list", "--untrusted", &plain("a.yaml")], 2, "may not read outside"),
        (&["facts", "show", "x", "--untrusted", &plain("")], 2, "may not read outside"),
        (&["facts", "bundle", "--untrusted", &plain(""), "-o", &bundle], 2, "may not read outside"),
        (&["parse", "--untrusted", &plain("c.pp")], 0, "(var \"x\")"),
        (&["check", "--untrusted", &plain("c.pp")], 0, ""),
        (&["parse", &plain("a.pp")], 0, SECRET),
    ] {
        let run = fixture.run(args, &[]);
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(run.code == Some(code) && text.contains(said), "{args:?}: {run:#?}");
        assert!(code == 0 || !text.contains(SECRET), "{args:?}: {run:#?}");
    }
    // A rule cannot contain the path of a pipe that the user names.
    let walls = std::process::Command::new("sh")
        .args(["-c", "echo '$x = 1' | \"$0\" parse /dev/stdin", env!("CARGO_BIN_EXE_catwalk")])
        .env("CATWALK_UNTRUSTED", "explain")
        .output()
        .unwrap();
    let named = String::from_utf8_lossy(&walls.stderr).into_owned();
    let alone = fixture.run(&["parse", "-e", "1"], &[("CATWALK_UNTRUSTED", "explain")]).stderr;
    assert_eq!((named, walls.status.code()), (alone, Some(0)));
}

#[test]
fn revisions_are_untrusted_too_and_git_starts_nothing() {
    let fixture = UntrustedSite::new();
    harmless(&fixture, "");
    git(&fixture, &["init", "-q"]);
    git(&fixture, &["add", "-A"]);
    git(&fixture, &["commit", "-q", "-m", "one"]);
    let hook = fixture.dir.path().join("hook.sh");
    std::fs::write(&hook, fixture.expand("#!/bin/sh\ntouch MARKER\n")).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let hook = hook.to_string_lossy().into_owned();
    for name in ["core.fsmonitor", "diff.external", "core.pager", "core.sshCommand"] {
        git(&fixture, &["config", name, &hook]);
    }
    let diff = |args: &[&str]| fixture.run(&[&["diff", "--untrusted"], args].concat(), &[]);
    diff(&["HEAD", "--modules-from-worktree"]).expect(0, "");
    for (path, text) in [
        ("site.pp", fixture.expand("$x = generate('/usr/bin/touch', 'MARKER')\n")),
        ("site.pp", fixture.expand("notify { file('OUT/secret.txt'): }\n")),
    ] {
        fixture.write(path, &text);
        let run = diff(&["HEAD"]);
        assert!(
            run.stdout.contains("untrusted code may not") || run.stderr.contains("untrusted code may not"),
            "{run:#?}"
        );
    }
    fixture.write("site.pp", "notify { file('m/link2'): }\n");
    std::os::unix::fs::symlink(fixture.out.join("secret.txt"), fixture.site.join("modules/m/files/link2")).unwrap();
    git(&fixture, &["-c", "core.fsmonitor=false", "add", "-A"]);
    git(&fixture, &["-c", "core.fsmonitor=false", "commit", "-q", "-m", "two"]);
    let _ = std::fs::remove_file(fixture.marker());
    let run = diff(&["HEAD~1", "HEAD"]);
    assert!(
        run.stdout.contains("untrusted code may not read") || run.stderr.contains("untrusted code may not read"),
        "{run:#?}"
    );
    assert!(!run.stdout.contains(SECRET) && !fixture.marker().exists(), "{run:#?}");
}

/// An edit makes a link lead out while the site is watched.
#[test]
fn a_link_changed_to_lead_out_while_watching_is_an_error() {
    let fixture = UntrustedSite::new();
    harmless(&fixture, "");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
    command.args(["watch", "--untrusted", "--json"]).current_dir(&fixture.site).env_remove("CI");
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let lines = lines(child.stdout.take().unwrap());
    // Kills the process even if the test fails.
    let watching = Watching { child, lines };
    let mut seen = String::new();
    let mut until = |text: &str| {
        while !seen.contains(text) {
            seen.push_str(&watching.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{text}: {seen}")));
        }
        std::mem::take(&mut seen)
    };
    until("\"done\"");
    let (link, aside) = (fixture.site.join("modules/m/files/link"), fixture.dir.path().join("link"));
    std::os::unix::fs::symlink(fixture.out.join("secret.txt"), &aside).unwrap();
    std::fs::rename(&aside, &link).unwrap();
    let said = until("untrusted code may not read outside");
    assert!(!said.contains(SECRET), "{said}");
}
