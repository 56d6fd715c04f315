//! `catwalk watch` in a pseudo terminal: what it draws, what keys do, and that the terminal is as before when it ends.

use std::time::Duration;

use crate::support::METADATA;
use crate::support::Site;
use crate::support::class;
use crate::support::running::Terminal;

fn site() -> Site {
    Site::new(&[
        ("nodes/web1.json", "{}"),
        ("nodes/web2.json", "{}"),
        ("site.pp", "file { '/a': mode => '0644' }\nif $trusted['certname'] == 'web2' { notify { 'two': } }\n"),
    ])
}

#[test]
fn edits_are_reviewed_and_accepted_at_the_terminal() {
    let site = site();
    let terminal = Terminal::start(&site, &["watch"], (90, 20));
    let first = terminal.wait_for_text("2 compiled in");
    assert!(first.contains("2 nodes") && first.contains("no errors") && first.contains("q quit"), "{first}");
    assert!(terminal.parser.lock().unwrap().screen().alternate_screen());

    // The first snapshots.
    terminal.type_keys("a");
    terminal.wait_for_text("save 2 catalogs as the first ones? y/n");
    terminal.type_keys("y");
    terminal.wait_for_text("2 snapshots accepted");
    assert!(site.path().join("snapshots/web1.snap").exists());

    // An edit changes catalogs, which then differ from their snapshots.
    site.write("site.pp", "file { '/a': mode => '0600' }\nif $trusted['certname'] == 'web2' { notify { 'two': } }\n");
    let text = terminal.wait_for_text("2 snapshots differ");
    assert!(text.contains("web1, web2: 0 added, 0 removed, 1 changed"), "{text}");
    assert!(text.contains("mode: \"0644\" => \"0600\""), "{text}");
    assert!(!site.path().join("snapshots/web1.snap.new").exists(), "nothing is written before it is decided");

    // Only one node is accepted.
    terminal.type_keys("fweb1\r");
    terminal.wait_for_text("filter: web1");
    terminal.type_keys("ay");
    terminal.wait_for_text("1 snapshot differs");
    let snapshot = |name: &str| std::fs::read_to_string(site.path().join(format!("snapshots/{name}.snap"))).unwrap();
    assert!(snapshot("web1").contains("0600") && snapshot("web2").contains("0644"));

    // The other one is reviewed.
    // Escape is a separate key only if no bytes follow immediately.
    terminal.type_keys("\u{1b}");
    terminal.wait_until("the filter is still set", || !terminal.contents().contains("filter: web1"));
    terminal.type_keys("r");
    terminal.wait_for_text("1 change: 0 accepted");
    // A review without a decision leaves no file.
    let proposal = site.path().join("snapshots/web2.snap.new");
    terminal.wait_until("the proposal is missing", || proposal.exists());
    terminal.type_keys("q");
    terminal.wait_until("the proposal still exists", || !proposal.exists());
    assert!(snapshot("web2").contains("0644"));
    terminal.type_keys("r");
    terminal.wait_for_text("1 change: 0 accepted");
    terminal.type_keys("aw");
    terminal.wait_for_text("1 accepted, 0 rejected");
    assert!(snapshot("web2").contains("0600"));

    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

#[test]
fn the_graph_of_a_changed_resource_is_drawn_in_any_size() {
    let site = site();
    let terminal = Terminal::start(&site, &["watch"], (90, 20));
    terminal.wait_for_text("2 compiled in");
    site.write("site.pp", "file { '/a': mode => '0600' }\nif $trusted['certname'] == 'web2' { notify { 'two': } }\n");
    terminal.wait_for_text("mode: \"0644\" => \"0600\"");
    terminal.type_keys("g");
    terminal.wait_for_text("Containment");
    terminal.resize((40, 8));
    terminal.wait_for_text("web1: File[/a]");
    terminal.resize((90, 20));
    terminal.wait_for_text("tab next node  g close");
    terminal.type_keys("/notify\r");
    terminal.wait_for_text("has 'notify' in its name");
    terminal.type_keys("\t");
    terminal.wait_for_text("web2:");
    terminal.type_keys("gq");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

/// Cases of test files have snapshots, too: edits show which of them differ, and they are accepted or rejected like those of nodes.
#[test]
fn cases_of_test_files_are_reviewed_like_nodes() {
    let site = Site::new(&[
        ("nodes/web1.json", "{}"),
        ("site.pp", "notify { 'node': }\n"),
        ("modules/m/manifests/init.pp", "class m ($mode = '0644') {\n  file { '/m': mode => $mode }\n}\n"),
        ("modules/n/manifests/init.pp", "class n {\n  notify { 'n': }\n}\n"),
        ("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n"),
        ("tests/m.yaml", "cases:\n  plain: { class: m }\n  none: { code: \"notify { 'x': }\" }\n"),
    ]);
    let snapshot = |name: &str| std::fs::read_to_string(site.path().join(format!("snapshots/{name}.snap")));
    let terminal = Terminal::start(&site, &["watch"], (90, 20));
    terminal.wait_for_text("1 compiled in");
    // Without snapshots none of them is compiled; with the first ones the cases have none.
    terminal.type_keys("ay");
    terminal.wait_for_text("1 snapshot accepted");
    terminal.wait_for_text("2 without a snapshot");
    terminal.type_keys("ay");
    terminal.wait_for_text("2 snapshots accepted");
    let settled = || !terminal.contents().contains("differ") && !terminal.contents().contains("without a snapshot");
    terminal.wait_until("all is accepted", settled);
    assert!(snapshot("m/plain").unwrap().contains("0644"));
    assert!(snapshot("m/none").unwrap().contains("\"x\""));

    // An edit that reaches no node, but a case; the files it depends on are watched.
    site.write("modules/m/manifests/init.pp", "class m ($mode = '0600') {\n  file { '/m': mode => $mode }\n}\n");
    terminal.wait_for_text("1 snapshot differs");
    assert!(snapshot("m/plain").unwrap().contains("0644"));
    terminal.type_keys("r");
    let review = terminal.wait_for_text("2 changes: 0 accepted");
    assert!(review.contains("m/plain"), "{review}");
    terminal.type_keys("aaw");
    terminal.wait_for_text("2 accepted, 0 rejected");
    terminal.wait_until("all is accepted", || !terminal.contents().contains("differs"));
    assert!(snapshot("m/plain").unwrap().contains("0600"));

    // Another case, and one that uses another class now; an error is not accepted unseen.
    site.write(
        "tests/m.yaml",
        "cases:\n  plain: { class: n }\n  none: { code: \"fail('no')\" }\n  more: { class: n }\n",
    );
    terminal.wait_for_text("2 snapshots differ · 1 without a snapshot");
    terminal.type_keys("ay");
    terminal.wait_for_text("2 snapshots accepted, 1 left");
    terminal.wait_for_text("1 snapshot differs");
    assert!(snapshot("m/plain").unwrap().contains("\"n\"") && snapshot("m/more").is_ok());
    assert!(snapshot("m/none").unwrap().contains("\"x\""));

    // An invalid test file.
    site.write("tests/m.yaml", "cases:\n  plain: { clas: n }\n");
    terminal.wait_for_text("a case has no key `clas`");
    site.write("tests/m.yaml", "cases:\n  plain: { class: n }\n");
    terminal.wait_until("nothing differs", || !terminal.contents().contains("differ"));
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

#[test]
fn expectations_are_evaluated_after_each_edit() {
    let site = Site::new(&[
        ("nodes/web1.json", "{}"),
        ("site.pp", "notify { 'node': }\n"),
        ("modules/m/manifests/init.pp", &class("0644")),
        ("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n"),
        ("tests/m.yaml", "class: m\nsnapshot: false\nexpect:\n  contains:\n    File[/m]: {mode: '0644'}\n"),
    ]);
    let terminal = Terminal::start(&site, &["watch"], (90, 20));
    terminal.wait_for_text("no errors");
    site.write("modules/m/manifests/init.pp", class("0600"));
    terminal.wait_for_text("1 case is not as expected");
    terminal.wait_for_text("File[/m]: mode is \"0600\", expected \"0644\"");
    terminal.type_keys("e");
    terminal.wait_for_text("m/default: not as expected");
    site.write("modules/m/manifests/init.pp", "class m {\n  fail('broken')\n}\n");
    terminal.wait_for_text("does not compile: error: Evaluation Error");
    site.write("modules/m/manifests/init.pp", class("0644"));
    terminal.wait_for_text("every node compiles");
    terminal.type_keys("e");
    terminal.wait_for_text("m/default: as expected again");
    site.write("tests/m.yaml", "class: m\nsnapshot: false\nexpect: {fails: true}\n");
    terminal.wait_for_text("compiles, but must fail");
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

#[test]
fn the_cases_of_a_module_are_reviewed() {
    let module = Site::empty();
    module.write("metadata.json", METADATA);
    module.write("manifests/init.pp", class("0644"));
    module.write("tests/m.yaml", "class: m\nfact_sets: [debian-12-x86_64, debian-13-x86_64]\n");
    let snapshot = |name: &str| std::fs::read_to_string(module.path().join(format!("snapshots/m/{name}.snap")));
    let terminal = Terminal::start(&module, &["watch"], (90, 20));
    terminal.wait_for_text("2 cases");
    terminal.wait_for_text("2 without a snapshot");
    terminal.type_keys("ay");
    terminal.wait_for_text("2 snapshots accepted");
    let settled = || !terminal.contents().contains("differ") && !terminal.contents().contains("without a snapshot");
    terminal.wait_until("all is accepted", settled);
    module.write("manifests/init.pp", class("0600"));
    terminal.wait_for_text("mode: \"0644\" => \"0600\"");
    terminal.wait_for_text("2 snapshots differ");
    terminal.type_keys("g");
    terminal.wait_for_text("m/debian-12-x86_64: File[/m]");
    terminal.type_keys("g");
    terminal.type_keys("r");
    terminal.wait_for_text("1 change: 0 accepted");
    terminal.type_keys("aw");
    terminal.wait_for_text("2 accepted, 0 rejected");
    assert!(snapshot("debian-12-x86_64").unwrap().contains("0600"));
    module.write("manifests/init.pp", "class m {\n");
    terminal.wait_for_text("2 cases are not as expected");
    module.write("manifests/init.pp", class("0600"));
    terminal.wait_for_text("no errors");
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

#[test]
fn an_error_disappears_when_it_is_fixed() {
    let site = site();
    let terminal = Terminal::start(&site, &["watch"], (100, 24));
    terminal.wait_for_text("2 compiled in");
    site.write("site.pp", "file { '/a'\n");
    let text = terminal.wait_for_text("2 nodes do not compile");
    assert!(text.contains("Syntax error"), "{text}");
    terminal.type_keys("e");
    terminal.wait_for_text("site.pp:");
    site.write("catwalk.toml", "nodes = 3\n");
    terminal.wait_for_text("the site cannot be read");
    site.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n");
    site.write("site.pp", "file { '/a': mode => '0644' }\n");
    terminal.wait_for_text("every node compiles");
    // Ctrl-C.
    terminal.type_keys("\u{3}");
    assert_eq!(terminal.wait_for_exit(), Some(130));
}

#[test]
fn a_tiny_terminal_is_drawn_and_a_signal_ends_watch() {
    let site = site();
    let terminal = Terminal::start(&site, &["watch"], (12, 2));
    terminal.wait_for_text("2n");
    let written = || terminal.written.lock().unwrap().len();
    let before = written();
    terminal.resize((1, 1));
    terminal.wait_until("the size is not noticed", || written() > before);
    terminal.resize((60, 5));
    terminal.wait_for_text("2 compiled in");
    // Nothing is written while nothing happens; what is still on its way comes first.
    terminal.wait_until("something is written all the time", || {
        let before = written();
        std::thread::sleep(Duration::from_millis(400));
        written() == before
    });
    let id = terminal.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(terminal.wait_for_exit(), Some(143));
}

#[test]
fn keys_work_while_a_command_runs() {
    use std::os::unix::fs::PermissionsExt;
    let site = site();
    site.write(
        "catwalk.toml",
        "manifest = \"site.pp\"\nnodes = \"nodes\"\n[classifier]\nexec = \"enc\"\ntimeout = 120\n",
    );
    site.write("enc", "#!/bin/sh\nwhile [ ! -e go ]; do sleep 0.02; done\necho 'classes: {}'\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(site.path().join("enc"), mode).unwrap();
    site.write("go", "");
    let command = "while [ ! -e on ]; do sleep 0.02; done; echo it ended";
    let terminal = Terminal::start(&site, &["watch", "--exec", command], (90, 20));
    terminal.wait_for_text("2 compiled in");
    terminal.type_keys("a");
    terminal.wait_for_text("save 2 catalogs as the first ones? y/n");
    terminal.type_keys("y");
    terminal.wait_for_text("2 snapshots accepted");
    // The compile waits for its classifier.
    site.remove("go");
    site.write("site.pp", "file { '/a': mode => '0600' }\n");
    terminal.wait_for_text("compiling …");
    terminal.type_keys("g/file\r");
    terminal.wait_for_text("Containment");
    assert!(terminal.contents().contains("compiling …"), "{}", terminal.contents());
    terminal.type_keys("g");
    site.write("go", "");
    // And now the command waits.
    terminal.wait_for_text("2 snapshots differ");
    terminal.type_keys("r");
    terminal.wait_for_text("0 accepted");
    assert!(!terminal.contents().contains("it ended"), "{}", terminal.contents());
    terminal.type_keys("q");
    terminal.wait_for_text("0 added, 0 removed, 1 changed");
    site.write("on", "");
    terminal.wait_for_text("it ended");
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

#[test]
fn lines_are_printed_on_request() {
    let site = site();
    let terminal = Terminal::start(&site, &["watch", "--plain"], (80, 24));
    terminal.wait_for_text("-- 2 compiled in");
    assert!(!terminal.parser.lock().unwrap().screen().alternate_screen());
}

/// The first compile of many nodes: the number of nodes is there from the start, and how many are done.
#[test]
fn the_start_shows_the_number_of_nodes_and_its_progress() {
    let site = Site::new(&[("site.pp", "generate('/bin/sh', '-c', 'sleep 0.4')\n")]);
    (0..12).for_each(|at| site.write(&format!("nodes/n{at:02}.json"), "{}"));
    let terminal = Terminal::start(&site, &["watch"], (90, 20));
    let text = terminal.wait_for_text("compiling");
    assert!(text.contains("12 nodes"), "{text}");
    terminal.wait_for_text(" of 12 …");
    terminal.wait_for_text("12 compiled in");
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

/// Only some nodes have snapshots: the others do not differ from any.
#[test]
fn nodes_without_a_snapshot_do_not_differ() {
    let site = site();
    site.write("nodes/web3.json", "{}");
    site.run(&["test", "web1", "--accept"]).expect(0, "");
    let terminal = Terminal::start(&site, &["watch"], (100, 20));
    let text = terminal.wait_for_text("2 without a snapshot");
    assert!(!text.contains("differ"), "{text}");
    site.write("site.pp", "file { '/a': mode => '0600' }\n");
    let text = terminal.wait_for_text("1 snapshot differs");
    assert!(text.contains("2 without a snapshot"), "{text}");
    // All of them are accepted together.
    terminal.type_keys("ay");
    terminal.wait_for_text("3 snapshots accepted");
    terminal.wait_until("all is accepted", || !terminal.contents().contains("without a snapshot"));
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

/// A line with the names of many nodes has room for what is said about them.
#[test]
fn the_verdict_follows_the_names_of_nodes_on_any_screen() {
    let site = Site::new(&[("site.pp", "notify { 'a': }\n")]);
    let name = |at: usize| format!("a-long-name-of-a-node-{at:02}.datacenter.example.com");
    (0..20).for_each(|at| site.write(&format!("nodes/{}.json", name(at)), "{}"));
    for width in [50, 80, 160] {
        site.write("site.pp", "notify { 'a': }\n");
        let terminal = Terminal::start(&site, &["watch"], (width, 24));
        terminal.wait_for_text("20 compiled in");
        assert!(terminal.contents().contains(" resources"), "{}", terminal.contents());
        site.write("site.pp", "notify { 'b': }\n");
        terminal.wait_for_text("1 added, 1 removed, 0 changed");
        site.write("site.pp", "notify { 'b'\n");
        terminal.wait_for_text("does not compile;");
        site.write("site.pp", "notify { 'b': }\n");
        terminal.wait_for_text("compiles again, catalog unchanged");
        terminal.type_keys("q");
        assert_eq!(terminal.wait_for_exit(), Some(0));
    }
}

#[test]
fn a_repaired_configuration_is_shown() {
    let site = site();
    let toml = std::fs::read_to_string(site.path().join("catwalk.toml")).unwrap();
    let terminal = Terminal::start(&site, &["watch"], (90, 20));
    terminal.wait_for_text("2 compiled in");
    site.write("catwalk.toml", "nodes = 3\n");
    terminal.wait_for_text("the site cannot be read");
    site.write("catwalk.toml", toml);
    terminal.wait_for_text("the site can be read again");
    terminal.wait_until("the error is still there", || !terminal.contents().contains("cannot be read"));
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}
