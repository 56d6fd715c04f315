//! Each command on an untrusted site: its system restrictions, its refusals, and its success with harmless code.

use super::SECRET;
use super::UntrustedSite;
use super::git;
use super::harmless;
use crate::support::running::PATIENCE;
use crate::support::running::Watching;
use crate::support::running::lines;

/// Restrictions of the system do not prevent what commands need.
#[test]
fn every_command_works_on_a_harmless_site() {
    let fixture = UntrustedSite::new();
    fixture.write("nodes/b.example.com.yaml", "{}");
    harmless(&fixture, "output = \"catalogs\"\n[scripts]\nisolation = \"process\"\n");
    fixture.write("modules/m/scripts/functions/s.rhai", "fn s() { \"from a script\" }\n");
    fixture.write("site.pp", "include m\nnotify { m::s(): }\n");
    fixture.write("scripts/tests/a.rhai", "fn test_a() { assert_eq(1, 1); }\n");
    let report = fixture.dir.path().join("reports/junit.xml").to_string_lossy().into_owned();
    std::fs::create_dir(fixture.dir.path().join("reports")).unwrap();
    for (args, code, said) in [
        (&["compile"][..], 0, "2 of 2 catalogs written"),
        (&["compile", "n.example.com", "-o", "new/catalog.json"], 0, ""),
        (&["eval", "--node", "n.example.com", "-e", "m::s()"], 0, "from a script"),
        (&["lookup", "k", "--node", "n.example.com"], 0, "value"),
        (&["test", "--accept"], 0, "2 accepted"),
        (&["test", "--junit", &report], 0, "2 passed"),
        (&["snapshot", "list"], 0, ""),
        (&["node", "show", "n.example.com"], 0, "production"),
        (&["docs", "functions", "m::f"], 0, "m::f"),
        (&["check"], 0, ""),
        (&["data", "unused"], 1, "not used by 2 nodes"),
        (&["script", "check"], 0, ""),
        (&["facts", "list"], 0, "debian-12"),
    ] {
        let command: Vec<&str> = args.to_vec();
        let run = fixture.run(&command, &[("CATWALK_UNTRUSTED", "explain")]);
        assert!(run.code == Some(code) && !run.stderr.contains("error"), "{args:?}: {run:#?}");
        assert!(run.stdout.contains(said) || run.stderr.contains(said), "{args:?}: {run:#?}");
    }
    assert!(std::fs::read_to_string(&report).unwrap().contains("<testsuite"));
}

/// Commands that run no code of a site and read none of its code.
const WITHOUT_CODE: &[&str] = &["help", "script definitions", "docs --builtin", "completions", "man", "store"];
/// Commands that change the machine, or serve it to others: they do nothing for untrusted code.
const REFUSED: &[&str] = &["apply", "resource", "serve"];

/// With `CATWALK_UNTRUSTED=explain`, each command prints its system restrictions: all that this kernel supports, for every command.
#[test]
fn every_command_sets_all_available_restrictions() {
    let fixture = UntrustedSite::new();
    harmless(&fixture, "");
    fixture.write("modules/m/scripts/functions/s.rhai", "fn s() { \"from a script\" }\n");
    fixture.write("scripts/tests/a_test.rhai", "fn test_a() { assert_eq(1, 1); }\n");
    fixture.write("spec/classes/m_spec.rb", "describe 'm' do\n  it { is_expected.to compile }\nend\n");
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "one"]] {
        git(&fixture, args);
    }
    let marker = fixture.marker().to_string_lossy().into_owned();
    let classifier = fixture.dir.path().join("enc.sh").to_string_lossy().into_owned();
    std::fs::write(&classifier, fixture.expand("#!/bin/sh\ntouch MARKER\necho 'parameters: { p: x }'\n")).unwrap();
    std::fs::set_permissions(&classifier, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let explained = |args: &[&str]| {
        let run = fixture.run(args, &[("CATWALK_UNTRUSTED", "explain")]);
        let restrictions = run.stderr.lines().find(|line| line.starts_with("untrusted: ")).map(str::to_owned);
        (restrictions.unwrap_or_else(|| panic!("{args:?}: no restrictions: {run:#?}")), run)
    };
    let (expected, _) = explained(&["eval", "--node", "n.example.com", "-e", "1"]);
    let node = ["--node", "n.example.com"];
    let commands = [
        (&["check"][..], &[][..], false),
        (&["check", "site.pp"], &[], false),
        (&["check", "-e", "$x = 1"], &[], false),
        (&["parse", "site.pp"], &[], false),
        (&["parse", "-e", "$x = 1"], &[], false),
        (&["compile"], &[], false),
        (&["compile", "--isolate-scripts"], &[], false),
        (&["compile", "n.example.com", "--enc", &classifier], &[], true),
        (&["classify", "n.example.com"], &[], false),
        (&["eval", "--isolate-scripts", "-e", "m::s()"], &node, false),
        (&["lookup", "k", "--explain"], &node, false),
        (&["node", "show", "n.example.com", "--enc", &classifier], &[], true),
        (&["catalog", "graph", "n.example.com"], &[], false),
        (&["data", "unused"], &[], false),
        (&["diff"], &[], false),
        (&["diff", "HEAD", "HEAD"], &[], false),
        (&["docs", "functions", "m::f"], &[], false),
        (&["node", "show", "n.example.com"], &[], false),
        (&["show", "n.example.com"], &[], false),
        (&["test"], &[], false),
        (&["snapshot", "list"], &[], false),
        (&["facts", "list"], &[], false),
        (&["facts", "show", "debian-12-x86_64"], &[], false),
        (&["facts", "bundle", "nodes"], &[], false),
        (&["script", "check"], &[], false),
        (&["script", "test"], &[], false),
        (&["convert", "rspec", "spec"], &[], false),
        (&["new", "module", "fresh"], &[], false),
        (&["init"], &[], false),
        (&["watch", "--once"], &[], false),
    ];
    for (args, more, runs) in commands.iter().filter(|(args, ..)| args[0] != "watch") {
        let (restrictions, run) = explained(&[args, *more].concat());
        assert_eq!(restrictions, expected, "{args:?}: {run:#?}");
        assert!(
            !run.stderr.contains("UNTRUSTED") && (run.code < Some(2) || args[0] == "classify"),
            "{args:?}: {run:#?}"
        );
        // The program that the user named runs without restrictions: it can write outside of the site.
        assert_eq!(std::fs::remove_file(&marker).is_ok(), *runs, "{args:?}: {run:#?}");
    }
    let tried: Vec<&str> = commands.iter().map(|(args, ..)| args[0]).collect();
    assert_all_commands_are_tried(&fixture, &tried);
}

/// Fails if `--help` lists a command that is neither among these nor in [`WITHOUT_CODE`] or [`REFUSED`].
fn assert_all_commands_are_tried(fixture: &UntrustedSite, tried: &[&str]) {
    let help = fixture.run(&["--help"], &[]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for name in listed.filter_map(|line| line.split_whitespace().next()) {
        let is_tried = [tried, WITHOUT_CODE, REFUSED].concat().contains(&name);
        assert!(name.len() < 3 || is_tried || line_is_text(name), "no line of the table tries `{name}`");
    }
}

/// Commands that change the machine are refused before the site is compiled, wherever its code is set to be untrusted or isolated.
#[test]
fn nothing_untrusted_or_isolated_is_applied() {
    const TRUST: &str = "untrusted code is not applied";
    const ISOLATION: &str = "isolated scripts are not applied";
    let process = "[scripts]\nisolation = \"process\"\n";
    for (config, variable, option, said) in [
        ("", None, Some("--untrusted"), TRUST),
        ("", Some("1"), None, TRUST),
        ("", Some("explain"), None, TRUST),
        ("untrusted = true\n", None, None, TRUST),
        (process, Some("1"), None, TRUST),
        (process, None, None, ISOLATION),
        ("", None, Some("--isolate-scripts"), ISOLATION),
    ] {
        let fixture = UntrustedSite::new();
        fixture.write("catwalk.toml", config);
        // The compile, which would fail, does not begin.
        fixture.write("site.pp", "file { '/marker': content => fail('compiled') }\n");
        fixture.write("scripts/types/thing.rhai", "throw \"loaded\";\n");
        let marker = fixture.marker().to_string_lossy().into_owned();
        let manifest = format!("file {{ '{marker}': ensure => file }}");
        let commands = [
            &["apply", "site.pp"][..],
            &["apply", "-e", &manifest],
            &["apply", "--noop", "-e", &manifest],
            &["apply", "--catalog", "none.json"],
            &["resource", "thing"],
            &["resource", "file", &marker, "ensure=file"],
        ];
        for args in commands {
            let command: Vec<&str> = args.iter().copied().chain(option).collect();
            let variables: Vec<(&str, &str)> = variable.iter().map(|value| ("CATWALK_UNTRUSTED", *value)).collect();
            let run = fixture.run(&command, &variables);
            assert_eq!(
                (run.code, run.stdout.as_str(), fixture.marker().exists()),
                (Some(1), "", false),
                "{command:?}: {run:#?}"
            );
            assert!(run.stderr.starts_with(&format!("error[APPLY_UNTRUSTED]: {said}")), "{command:?}: {run:#?}");
            assert!(run.stderr.contains("= help: apply "), "{command:?}: {run:#?}");
        }
    }
}

/// Whether the first word of a line in the list of commands is part of a description.
fn line_is_text(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// The command of `--exec` is the user's: it runs without the restrictions of the site's code.
#[test]
fn the_command_of_watch_runs_without_restrictions() {
    let fixture = UntrustedSite::new();
    harmless(&fixture, "");
    let exec = format!("cat '{}' > '{}'", fixture.out.join("secret.txt").display(), fixture.marker().display());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"));
    command.args(["watch", "--untrusted", "--json", "--once", "--exec", &exec]).current_dir(&fixture.site);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    let mut child = child.env_remove("CI").spawn().unwrap();
    let lines = lines(child.stdout.take().unwrap());
    let mut watching = Watching { child, lines };
    while !watching.lines.recv_timeout(PATIENCE).unwrap().contains("\"done\"") {}
    fixture.write("site.pp", "include m\nnotify { 'new': }\n");
    assert!(watching.child.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(fixture.marker()).unwrap(), SECRET);
}
