//! Completion of names of a site, as a shell asks for it: `COMPLETE=bash catwalk -- catwalk WORDS`.

use crate::support::Site;

/// The candidates for the last word.
fn complete(site: &Site, words: &[&str]) -> Vec<String> {
    let index = words.len().to_string();
    let args: Vec<&str> = ["--", "catwalk"].into_iter().chain(words.iter().copied()).collect();
    let mut command = site.command(&args);
    command.env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_COMPLETE_COMP_TYPE", "9");
    let output = command.env("_CLAP_IFS", "\n").env("_CLAP_COMPLETE_SPACE", "true").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// A site whose classifier and functions leave a mark when they run.
fn site() -> Site {
    let site = Site::new(&[
        (
            "catwalk.toml",
            "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nfacts = \"facts\"\nenc = \"enc\"\n",
        ),
        ("site.pp", "generate('/bin/sh', '-c', 'touch ran')\n"),
        ("enc", "#!/bin/sh\ntouch ran\n"),
        ("environment.conf", "config_version = ./enc\n"),
        ("nodes/web1.example.com.json", "{}"),
        ("nodes/web2.example.com.yaml", "{}"),
        ("nodes/db1.json", "{}"),
        ("nodes/README.md", ""),
        ("facts/box-1.json", "{\"os\": {}}"),
        ("facts/broken.json", "{"),
        (
            "tests/ntp.yaml",
            "cases:\n  plain: {code: 'notice(1)'}\n  on systems: {code: 'notice(1)', fact_sets: [debian-12, box-1]}\n",
        ),
        ("tests/broken.yaml", "cases: ["),
        ("environments/staging/site.pp", ""),
    ]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(site.path().join("enc"), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    site
}

/// Words, and the candidates for the last one; `…` at the end: among others.
const ROWS: &[(&[&str], &[&str])] = &[
    (&["compile", "web"], &["web1.example.com", "web2.example.com"]),
    (&["compile", "web1.example.com", "db"], &["db1"]),
    (&["show", "d"], &["db1"]),
    (&["watch", "d"], &["db1"]),
    (&["node", "show", "d"], &["db1"]),
    (&["classify", "d"], &["db1"]),
    (&["lookup", "key", "--node", "d"], &["db1"]),
    (&["eval", "--node", "d"], &["db1"]),
    (&["diff", "--nodes", "d"], &["db1"]),
    (&["diff", "--nodes", "db1,web1"], &["db1,web1.example.com"]),
    (&["test", "ntp/p"], &["ntp/plain"]),
    (&["test", "ntp/on"], &["ntp/on_systems@box-1", "ntp/on_systems@debian-12-x86_64"]),
    (&["test", "db"], &["db1"]),
    (&["snapshot", "accept", "db"], &["db1"]),
    (&["compile", "--facts", "box"], &["box-1"]),
    (&["compile", "--facts", "debian-12"], &["debian-12-x86_64", "…"]),
    (&["facts", "show", "box"], &["box-1"]),
    (&["compile", "--environment", "s"], &["staging"]),
    (&["compile", "--manifest", "site"], &["site.pp"]),
    (&["check", "enc"], &["enc"]),
    (&["comp"], &["compile", "completions"]),
    (&["compile", "--no-such", "nothing-like-it"], &[]),
];

#[test]
fn names_of_a_site_are_completed_and_nothing_runs() {
    let site = site();
    for (words, expected) in ROWS {
        let mut found = complete(&site, words);
        found.iter_mut().for_each(|word| *word = word.trim_end().to_owned());
        match expected.split_last() {
            Some((&"…", listed)) => {
                assert!(listed.iter().all(|name| found.iter().any(|found| found == name)), "{words:?}: {found:?}")
            }
            _ => assert_eq!(found, *expected, "{words:?}"),
        }
    }
    assert!(!site.path().join("ran").exists(), "completion runs no code");
}

#[test]
fn completion_is_silent_without_a_site_and_in_a_broken_one() {
    let empty = Site::empty();
    assert!(complete(&empty, &["compile", "w"]).is_empty());
    let broken = Site::new(&[("catwalk.toml", "nodes = 3\n"), ("site.pp", "")]);
    assert!(complete(&broken, &["compile", "w"]).is_empty());
    // The site of the command line.
    let site = site();
    let path = site.path().to_string_lossy().into_owned();
    assert_eq!(complete(&empty, &["compile", "--site", &path, "db"]), ["db1"]);
    // The variable has another purpose: the command runs.
    let output = empty.command(&["--version"]).env("COMPLETE", "1").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("catwalk "), "{output:?}");
}

#[test]
fn a_shell_is_registered_and_the_help_says_how() {
    let site = Site::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = site.command(&[]).env("COMPLETE", shell).output().unwrap();
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("catwalk"), "{output:?}");
        let help = site.run(&["completions", "--help"]).expect(0, "").stdout;
        assert!(
            help.contains(&format!("COMPLETE={shell} catwalk")) || help.contains(&format!("\"{shell}\"; catwalk")),
            "{shell}: {help}"
        );
    }
}
