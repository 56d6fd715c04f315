//! `catwalk watch`: prints the diff of an edit and keeps the last good catalog while a node does not compile.

use serde_json::Value;
use serde_json::json;

use crate::support::METADATA;
use crate::support::Site;
use crate::support::class;
use crate::support::running::PATIENCE;
use crate::support::running::Watching;

fn site() -> Site {
    Site::new(&[
        ("nodes/web1.example.com.json", "{}"),
        ("nodes/web2.example.com.json", "{}"),
        ("site.pp", "include web\nif $trusted['hostname'] == 'web2' { include extra }\n"),
        ("modules/web/manifests/init.pp", "class web { file { '/a': content => epp('web/a.epp'), } }\n"),
        ("modules/web/templates/a.epp", "one\ntwo\n"),
        ("modules/extra/manifests/init.pp", "class extra { notify { 'extra': } }\n"),
    ])
}

fn edits(args: &[&str]) {
    let site = site();
    let watching = Watching::start(&site, args);
    let first = watching.round();
    assert!(first.contains("web1.example.com: "), "{first}");

    site.write("modules/web/templates/a.epp", "one\n2\n");
    let text = watching.round();
    assert!(text.contains("~ File[/a]"), "{text}");
    assert!(text.contains("- two") && text.contains("+ 2"), "{text}");
    assert!(text.contains("web2.example.com: 0 added, 0 removed, 1 changed"), "{text}");

    // Only the node that read the file is recompiled.
    site.write("modules/extra/manifests/init.pp", "class extra { notify { 'more': } }\n");
    let text = watching.round();
    assert!(!text.contains("web1"), "{text}");
    assert!(text.contains("+ Notify[more]") && text.contains("- Notify[extra]"), "{text}");

    site.write("modules/web/manifests/init.pp", "class web { file { '/a' } }\n");
    let text = watching.round();
    let both = "web1.example.com, web2.example.com: does not compile; its last good catalog is kept";
    assert!(text.contains(both), "{text}");

    site.write(
        "modules/web/manifests/init.pp",
        "class web { file { '/a': content => epp('web/a.epp'), mode => '0600', } }\n",
    );
    let text = watching.round();
    assert!(text.contains("mode: (unset) => \"0600\""), "{text}");

    // A missing file that a compile looked for.
    site.write("site.pp", "include web\nif defined('late') { include late }\n");
    watching.round();
    site.write("modules/late/manifests/init.pp", "class late { notify { 'late': } }\n");
    let mut text = watching.round();
    while !text.contains("+ Notify[late]") {
        text = watching.round();
    }

    site.write("nodes/web3.example.com.json", "{}");
    let text = watching.round();
    assert!(text.contains("web3.example.com: "), "{text}");
    site.remove("nodes/web3.example.com.json");
    let text = watching.round();
    assert!(text.contains("web3.example.com: removed"), "{text}");
}

#[test]
fn an_edit_shows_what_it_changes() {
    edits(&["watch"]);
}

#[test]
fn polling_sees_the_same() {
    edits(&["watch", "--poll", "50"]);
}

/// Waits for a round that prints this string.
fn wait_for(watching: &Watching, expected: &str) -> String {
    loop {
        let text = watching.round();
        if text.contains(expected) {
            return text;
        }
    }
}

#[test]
fn files_written_in_place_and_emptied_files_are_shown() {
    for args in [&["watch"] as &[&str], &["watch", "--poll", "50"]] {
        let site = site();
        let watching = Watching::start(&site, args);
        watching.round();
        let template = "modules/web/templates/a.epp";
        site.write_in_place(template, "one\n2\n");
        wait_for(&watching, "+ 2");
        site.write_in_place(template, "");
        wait_for(&watching, "- one");
        std::fs::remove_file(site.path().join(template)).unwrap();
        wait_for(&watching, "does not compile");
        site.write_in_place(template, "one\n2\n");
        wait_for(&watching, "+ one");
    }
}

#[test]
fn an_edit_of_groups_classifies_again() {
    let toml =
        "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n[classifier]\ngroups = \"groups\"\n";
    let group = |port: u32| {
        "- {name: Web, rule: [\"~\", name, \"^web\"], classes: {web: {port: PORT}}}\n"
            .replace("PORT", &port.to_string())
    };
    let site = Site::new(&[
        ("catwalk.toml", toml),
        ("nodes/web1.json", "{}"),
        ("groups/a.yaml", &group(80)),
        ("site.pp", "class web($port) { notify { 'web': message => $port } }\nclass more { notify { 'more': } }\n"),
    ]);
    let watching = Watching::start(&site, &["watch", "--poll", "50"]);
    watching.round();
    site.write("groups/a.yaml", group(81));
    let text = watching.round();
    assert!(text.contains("80 => 81"), "{text}");
    // A new file in the directory.
    site.write("groups/b.rhai", "group(\"More\", #{ rule: |node| true, classes: #{ more: #{} } });\n");
    let text = watching.round();
    assert!(text.contains("+ Notify[more]"), "{text}");
    site.write("groups/b.rhai", "group(\"More\", #{ rule: [\"and\"] });\n");
    let text = watching.round();
    assert!(text.contains("web1: does not compile"), "{text}");
}

/// The events without times and without the path of the site, which differ in each run.
fn normalize(mut events: Vec<Value>, site: &Site) -> Value {
    for event in &mut events {
        let event = event.as_object_mut().unwrap();
        if let Some(time) = event.get_mut("milliseconds") {
            assert!(time.as_f64().unwrap() > 0.0);
            *time = "(time)".into();
        }
    }
    let root = site.path().canonicalize().unwrap().to_string_lossy().into_owned();
    serde_json::from_str(&Value::from(events).to_string().replace(&root, "SITE")).unwrap()
}

#[test]
fn differences_and_messages_are_printed_as_json_events() {
    let site = site();
    let watching = Watching::start(&site, &["watch", "--json"]);
    let first = normalize(watching.events("done"), &site);
    assert_eq!(
        first,
        json!([
            {"event": "node", "certname": "web1.example.com", "outcome": "first", "resources": 5},
            {"event": "node", "certname": "web2.example.com", "outcome": "first", "resources": 7},
            {"event": "done", "compiled": 2, "milliseconds": "(time)", "nodes": 2, "failing": 0},
        ])
    );

    site.write("modules/extra/manifests/init.pp", "class extra {\n  notify { 'more': }\n  warning('careful')\n}\n");
    assert_eq!(
        normalize(watching.events("done"), &site),
        json!([
            {
                "event": "node",
                "certname": "web2.example.com",
                "outcome": "changed",
                "diff": {
                    "added": [{
                        "resource": "Notify[more]",
                        "place": "modules/extra/manifests/init.pp:2",
                        "parameters": {},
                    }],
                    "removed": [{"resource": "Notify[extra]", "place": "modules/extra/manifests/init.pp:1", "parameters": {}}],
                    "changed": [],
                    "edges_added": [],
                    "edges_removed": [],
                },
                "logs": ["Scope(Class[Extra]): careful"],
            },
            {
                "event": "message", "severity": "warning", "message": "careful", "source": "Scope(Class[Extra])",
                "file": null, "line": null, "pos": null, "code": null, "node": "web2.example.com",
            },
            {"event": "done", "compiled": 1, "milliseconds": "(time)", "nodes": 2, "failing": 0},
        ])
    );

    site.write("modules/web/templates/a.epp", "one\n2\n");
    let changed = normalize(watching.events("done"), &site);
    let parameters = &changed[0]["diff"]["changed"][0]["parameters"];
    assert_eq!(*parameters, json!({"content": {"old": "one\ntwo\n", "new": "one\n2\n"}}), "{changed:#}");
    assert_eq!(changed[2]["compiled"], 2);
}

#[test]
fn failures_new_and_removed_nodes_are_printed_as_json_events() {
    let site = site();
    let watching = Watching::start(&site, &["watch", "--json"]);
    watching.events("done");

    site.write("modules/extra/manifests/init.pp", "class extra {\n");
    let failed = watching.events("done");
    assert_eq!((&failed[0]["outcome"], &failed[1]["event"]), (&json!("failed"), &json!("message")), "{failed:#?}");
    assert_eq!(failed[2]["failing"], 1, "{failed:#?}");
    assert!(failed[0]["error"].as_str().unwrap().contains("Syntax error at end of input"), "{failed:#?}");

    site.write("modules/extra/manifests/init.pp", "class extra { notify { 'extra': } }\n");
    let again = watching.events("done");
    assert_eq!((&again[0]["outcome"], &again[0]["recovered"]), (&json!("same"), &json!(true)), "{again:#?}");

    site.write("nodes/web3.example.com.json", "{}");
    assert_eq!(watching.events("done")[0]["outcome"], "first");
    site.remove("nodes/web3.example.com.json");
    let removed = watching.events("done");
    assert_eq!((&removed[0]["outcome"], &removed[1]["nodes"]), (&json!("removed"), &json!(2)), "{removed:#?}");
    assert_eq!(removed[1]["compiled"], 0);

    site.write("catwalk.toml", "nodes = 7\n");
    let broken = watching.events("message").remove(0);
    assert_eq!((&broken["severity"], &broken["code"]), (&json!("error"), &json!("BAD_SITE")), "{broken:#}");
    assert!(broken["message"].as_str().unwrap().contains("catwalk.toml"), "{broken:#}");
}

#[test]
fn a_command_runs_after_each_change() {
    let site = site();
    let command = "echo \"nodes: $@\"; echo careful >&2; test $# -lt 2";
    let watching = Watching::start(&site, &["watch", "--json", "--exec", command]);
    // The first compile changes nothing, so the command does not run.
    watching.events("done");
    site.write("modules/extra/manifests/init.pp", "class extra { notify { 'more': } }\n");
    assert_eq!(
        watching.events("exec").pop().unwrap(),
        json!({"event": "exec", "status": 0, "stdout": "nodes: web2.example.com\n", "stderr": "careful\n"})
    );
    site.write("modules/web/templates/a.epp", "one\n2\n");
    let event = watching.events("exec").pop().unwrap();
    assert_eq!(event["stdout"], "nodes: web1.example.com web2.example.com\n");
    assert_eq!(event["status"], 1);
    // An edit that changes no catalog does not run the command; the next one does.
    site.write("modules/web/templates/a.epp", "one\n<%# nothing %>2\n");
    site.write("modules/extra/manifests/init.pp", "class extra { notify { 'most': } }\n");
    assert_eq!(watching.events("exec").pop().unwrap()["stdout"], "nodes: web2.example.com\n");
}

#[test]
fn the_command_prints_among_the_lines() {
    let site = site();
    let watching = Watching::start(&site, &["watch", "--exec", "echo \"-- $# changed\""]);
    watching.round();
    site.write("modules/web/templates/a.epp", "one\n2\n");
    assert!(watching.round().contains("~ File[/a]"));
    assert_eq!(watching.lines.recv_timeout(PATIENCE).unwrap(), "-- 2 changed");
}

#[test]
fn a_node_that_never_compiled_has_no_last_good_catalog() {
    let site = Site::new(&[("nodes/web1.example.com.json", "{}"), ("site.pp", "notify { 'a' }\n")]);
    let watching = Watching::start(&site, &["watch"]);
    let first = watching.round();
    assert!(first.contains("web1.example.com: does not compile\n"), "{first}");
    site.write("site.pp", "notify { 'a': }\n");
    watching.round();
    site.write("site.pp", "notify { 'a' }\n");
    let broken = watching.round();
    assert!(broken.contains("web1.example.com: does not compile; its last good catalog is kept"), "{broken}");
}

#[test]
fn an_error_that_stays_is_shown_once() {
    let site = Site::new(&[
        ("nodes/web1.example.com.json", "{}"),
        ("nodes/web2.example.com.json", "{}"),
        ("site.pp", "include a\n"),
        ("modules/a/manifests/init.pp", "class a {\n  notify { $facts['text']: }\n}\n"),
    ]);
    let watching = Watching::start(&site, &["watch"]);
    let first = watching.round();
    assert!(first.contains("web1.example.com, web2.example.com: does not compile\n"), "{first}");
    let init = "modules/a/manifests/init.pp";
    site.write(init, "class a {\n  notify { $facts['text']: }\n  notify { 'more': }\n}\n");
    let text = watching.round();
    assert_eq!(text, "web1.example.com, web2.example.com: still does not compile: the same error\n");
    // The same error at another position, then a different error.
    for (edited, message) in
        [("class a {\n\n  notify { $facts['text']: }\n}\n", "notify"), ("class a {\n\n  fail('no')\n}\n", "no")]
    {
        site.write(init, edited);
        let text = watching.round();
        let both = "web1.example.com, web2.example.com: does not compile\n";
        assert!(text.contains(both) && !text.contains("still"), "{message}: {text}");
    }
    site.write(init, "class a { }\n");
    assert!(watching.round().contains("web1.example.com: 4 resources\n"));
}

#[test]
fn once_ends_after_an_edit_that_compiles() {
    for (text, code, message) in [
        ("class extra { notify { 'more': } }\n", 0, "+ Notify[more]"),
        ("class extra {\n", 1, "web2.example.com: does not compile; its last good catalog is kept"),
    ] {
        let site = site();
        let mut watching = Watching::start(&site, &["watch", "--once"]);
        watching.round();
        // An edit that affects no node does not end the run.
        site.write("modules/web/README.md", "text");
        site.write("modules/extra/manifests/init.pp", text);
        let shown = watching.round();
        assert!(shown.contains(message), "{shown}");
        assert_eq!(watching.child.wait().unwrap().code(), Some(code), "{shown}");
    }
}

const EXPECTED: &str = "class: m\nfact_sets: debian-12-x86_64\nexpect:\n  contains:\n    File[/m]: {mode: '0644'}\n";

#[test]
fn expectations_of_test_files_are_evaluated() {
    let site = Site::new(&[
        ("nodes/web1.example.com.json", "{}"),
        ("site.pp", "notify { 'node': }\n"),
        ("modules/m/manifests/init.pp", &class("0644")),
        ("tests/m.yaml", EXPECTED),
    ]);
    site.write("modules/m/manifests/init.pp", class("0640"));
    let watching = Watching::start(&site, &["watch", "--exec", "echo \"-- $@ changed\""]);
    let fails = |mode: &str| format!("FAIL m/debian-12-x86_64\n  File[/m]: mode is \"{mode}\", expected \"0644\"\n");
    assert_eq!(watching.round(), format!("web1.example.com: 4 resources\n{}", fails("0640")));
    site.write("modules/m/manifests/init.pp", class("0600"));
    assert_eq!(watching.round(), fails("0600"));
    assert_eq!(watching.lines.recv_timeout(PATIENCE).unwrap(), "-- m/debian-12-x86_64 changed");
    site.write("tests/m.yaml", EXPECTED.replace("0644", "0600"));
    assert_eq!(watching.round(), "m/debian-12-x86_64: as expected again\n");
    drop(watching);

    site.write("tests/m.yaml", EXPECTED.replace("0644", "0640"));
    for (mode, code) in [("0644", 1), ("0640", 0)] {
        site.write("modules/m/manifests/init.pp", class("0600"));
        let mut watching = Watching::start(&site, &["watch", "--json", "--once"]);
        watching.events("done");
        site.write("modules/m/manifests/init.pp", class(mode));
        let failures: &[&str] = if code == 0 { &[] } else { &["File[/m]: mode is \"0644\", expected \"0640\""] };
        let event = json!({"event": "case", "case": "m/debian-12-x86_64", "failures": failures});
        assert_eq!(watching.events("case"), [event]);
        assert_eq!(watching.child.wait().unwrap().code(), Some(code));
    }
}

#[test]
fn the_cases_of_a_module_are_followed() {
    let module = Site::empty();
    module.write("metadata.json", METADATA);
    module.write("manifests/init.pp", class("0644"));
    module.write("tests/m.yaml", EXPECTED);
    let watching = Watching::start(&module, &["watch"]);
    assert_eq!(watching.round(), "m/debian-12-x86_64: 5 resources\n");
    module.write("manifests/init.pp", class("0600"));
    let text = watching.round();
    assert!(text.contains("FAIL m/debian-12-x86_64\n  File[/m]: mode is \"0600\", expected \"0644\"\n"), "{text}");
    assert!(
        text.contains("m/debian-12-x86_64: 0 added, 0 removed, 1 changed\n  ~ File[/m]  (manifests/init.pp:2)"),
        "{text}"
    );
    // A comment recompiles nothing; a new case is compiled.
    module.write("manifests/init.pp", format!("# About.\n{}", class("0600")));
    module.write("tests/n.yaml", "code: \"notify { 'n': }\"\n");
    assert_eq!(watching.round(), "n/default: 4 resources\n");
    module.run(&["watch", "web1"]).expect(2, "a module has no nodes");
}

/// Starts `catwalk watch` with stderr in stdout.
fn start_with_stderr(site: &Site) -> Watching {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "exec \"$0\" watch --plain 2>&1", env!("CARGO_BIN_EXE_catwalk")]).current_dir(site.path());
    command.env("NO_COLOR", "1").env_remove("CI").stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = crate::support::running::lines(child.stdout.take().unwrap());
    Watching { child, lines }
}

/// A mistake that stops all nodes hides the errors of some; when it is taken back, these are not printed again, but named.
#[test]
fn an_error_that_another_one_interrupted_is_not_printed_again() {
    let good = "if $trusted['certname'] =~ /^bad/ { fail('the old error') }\nnotify { 'a': }\n";
    let broken = format!("{good}notify {{ 'b'\n");
    let site = Site::new(&[
        ("nodes/bad1.json", "{}"),
        ("nodes/bad2.json", "{}"),
        ("nodes/good.json", "{}"),
        ("site.pp", good),
    ]);
    let watching = start_with_stderr(&site);
    let first = watching.round();
    assert!(first.contains("the old error") && first.contains("bad1, bad2: does not compile"), "{first}");
    for _ in 0..2 {
        site.write("site.pp", &broken);
        let text = watching.round();
        // The mistake is printed each time it is made.
        assert!(text.contains("Syntax error") && !text.contains("the old error"), "{text}");
        site.write("site.pp", good);
        let text = watching.round();
        assert!(!text.contains("the old error") && !text.contains("Syntax error"), "{text}");
        assert!(text.contains("bad1, bad2: does not compile: the earlier error again"), "{text}");
        assert!(text.contains("good: compiles again, catalog unchanged"), "{text}");
    }
    // A different error, and the first one after a success, are printed.
    site.write("site.pp", good.replace("the old", "another"));
    assert!(watching.round().contains("another error"));
    site.write("site.pp", "notify { 'a': }\n");
    watching.round();
    site.write("site.pp", good);
    assert!(watching.round().contains("the old error"));
}

#[test]
fn a_repaired_configuration_is_reported() {
    let toml = "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n";
    let site = Site::new(&[("catwalk.toml", toml), ("nodes/web1.json", "{}"), ("site.pp", "notify { 'a': }\n")]);
    let watching = start_with_stderr(&site);
    watching.round();
    site.write("catwalk.toml", format!("{toml}nope = 1\n"));
    let mut text = String::new();
    while !text.contains("nope") {
        text = watching.lines.recv_timeout(PATIENCE).unwrap();
    }
    site.write("catwalk.toml", toml);
    while !text.contains("the site can be read again") {
        text = watching.lines.recv_timeout(PATIENCE).unwrap();
    }
    let events = Watching::start(&site, &["watch", "--json"]);
    events.events("done");
    site.write("catwalk.toml", "nodes = 3\n");
    let broken = events.events("message").pop().unwrap();
    assert_eq!(broken["severity"], "error");
    site.write("catwalk.toml", toml);
    let repaired = events.events("message").pop().unwrap();
    assert_eq!(
        (repaired["severity"].as_str(), repaired["message"].as_str()),
        (Some("notice"), Some("the site can be read again"))
    );
}

#[test]
fn the_first_compiles_of_many_nodes_are_one_line() {
    let site = Site::new(&[("site.pp", "if $trusted['certname'] == 'n07' { notify { 'a': } }\n")]);
    (0..60).for_each(|at| site.write(&format!("nodes/n{at:02}.json"), "{}"));
    let watching = Watching::start(&site, &["watch"]);
    let text = watching.round();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.contains("n00") && text.contains("more") && text.contains(" to ") && text.ends_with(" resources\n"),
        "{text}"
    );
    // A few new ones are listed one by one.
    site.write("nodes/x1.json", "{}");
    assert!(watching.round().contains("x1: "));
}
