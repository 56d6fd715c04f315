//! Output at the size of a fleet: one mistake in a role of 300 nodes is one message, whatever command compiles them.

use serde_json::Value;

use crate::support::Site;
use crate::support::running::Terminal;
use crate::support::running::Watching;

const NODES: usize = 300;

const ROLE: &str = "class role {\n  $x = $typo\n  file { '/etc/motd':\n    contnet => 'hello',\n  }\n}\n";
const FLEET: &str = "puppet = 7\nmodulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n";
const FIXED: &str = "class role {\n  $x = $typo\n  file { '/etc/motd':\n    content => 'hello',\n  }\n}\n";
const ERROR: &str = "no parameter named 'contnet'";

/// 300 nodes with one role, which is not right.
fn fleet() -> Site {
    let site = Site::new(&[("site.pp", "include role\n"), ("modules/role/manifests/init.pp", ROLE)]);
    // An unknown variable is a warning.
    site.write("catwalk.toml", FLEET);
    for number in 0..NODES {
        site.write(&format!("nodes/web{number:03}.example.com.json"), "{}");
    }
    site
}

/// How often a string occurs.
fn count(text: &str, expected: &str) -> usize {
    text.matches(expected).count()
}

#[test]
fn compile_prints_a_message_of_many_nodes_once() {
    let run = fleet().run(&["compile", "--output", "out/"]).expect(1, ERROR);
    assert_eq!(count(&run.stderr, ERROR), 1, "{}", run.stderr);
    assert_eq!(count(&run.stderr, "Unknown variable: 'typo'"), 1, "{}", run.stderr);
    let nodes =
        "= on 300 nodes: web000.example.com, web001.example.com, web002.example.com, web003.example.com and 296 more";
    assert_eq!(count(&run.stderr, nodes), 2, "{}", run.stderr);
    assert!(run.stderr.lines().count() < 20, "{}", run.stderr);
}

#[test]
fn messages_as_json_list_their_nodes() {
    let run = fleet().run(&["compile", "--log-format", "json", "--output", "out/"]).expect(1, ERROR);
    let lines: Vec<Value> = run.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shown: Vec<(&Value, &Value, usize)> =
        lines.iter().map(|line| (&line["level"], &line["line"], line["nodes"].as_array().unwrap().len())).collect();
    assert_eq!(shown, [(&"warning".into(), &2.into(), NODES), (&"err".into(), &3.into(), NODES)]);
}

#[test]
fn one_node_is_named_as_such() {
    let site = fleet();
    let run = site.run(&["compile", "web007.example.com"]).expect(1, "= node: web007.example.com");
    assert!(!run.stderr.contains("on 1 node"), "{}", run.stderr);
    let run = site.run(&["compile", "web007.example.com", "--log-format", "json"]).expect(1, "");
    let line: Value = serde_json::from_str(run.stderr.lines().next().unwrap()).unwrap();
    assert_eq!((&line["node"], &line["nodes"]), (&"web007.example.com".into(), &Value::Null));
}

#[test]
fn test_prints_an_error_of_many_nodes_once() {
    let site = fleet();
    let run = site.run(&["test", "--ci"]).expect(1, "");
    assert_eq!(count(&run.stdout, "web000.example.com"), 1, "{}", run.stdout);
    assert!(run.stdout.contains("new: 300 cases: web000.example.com, web001.example.com, "), "{}", run.stdout);
    assert!(run.stdout.lines().count() < 8, "{}", run.stdout);
    let run = site.run(&["test", "--ci", "--format", "json"]).expect(1, "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let problems = report["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0]["cases"].as_array().unwrap().len(), NODES);
    assert!(problems[0]["messages"][0].as_str().unwrap().contains(ERROR), "{}", problems[0]);
}

#[test]
fn watch_prints_an_error_of_many_nodes_once_and_only_new_warnings() {
    let site = fleet();
    let watching = Watching::start(&site, &["watch", "--json"]);
    let messages = |events: &[Value]| -> Vec<(String, usize)> {
        let messages = events.iter().filter(|event| event["event"] == "message");
        let one =
            |event: &Value| (event["severity"].as_str().unwrap().to_owned(), event["nodes"].as_array().unwrap().len());
        messages.map(one).collect()
    };
    let events = watching.events("done");
    assert_eq!(messages(&events), [("warning".to_owned(), NODES), ("error".to_owned(), NODES)]);
    site.write("modules/role/manifests/init.pp", FIXED);
    assert_eq!(messages(&watching.events("done")), []);
    // The warning moves to another line: it is the same.
    site.write("modules/role/manifests/init.pp", format!("# A role.\n{FIXED}").replace("hello", "bye"));
    assert_eq!(messages(&watching.events("done")), []);
    let another = FIXED.replace("$x = $typo", "$x = $typo\n  $y = $other");
    site.write("modules/role/manifests/init.pp", another.replace("hello", "bye"));
    assert_eq!(messages(&watching.events("done")), [("warning".to_owned(), NODES)]);
}

#[test]
fn the_full_screen_wraps_errors() {
    let site = fleet();
    let terminal = Terminal::start(&site, &["watch"], (40, 30));
    // The end of a line that is wider than the screen.
    let screen = terminal.wait_for_text("on File[/etc/motd]");
    assert!(screen.contains("and 299 more"), "{screen}");
    site.write("modules/role/manifests/init.pp", FIXED.replace("hello", "bye"));
    terminal.wait_for_text("1 warning as before");
    terminal.type_keys("q");
    assert_eq!(terminal.wait_for_exit(), Some(0));
}

#[test]
fn a_terminal_gets_a_table_and_everything_else_catalogs() {
    let site = Site::new(&[("site.pp", "notify { 'hello': }\n"), ("nodes/web1.json", "{}"), ("nodes/web2.json", "{}")]);
    for (args, expected, unexpected) in [
        (&["compile"] as &[&str], "2 of 2 catalogs compiled", "\"resources\""),
        (&["compile", "web1"], "1 of 1 catalogs compiled", "\"resources\""),
        (&["compile", "web1", "--format", "native"], "\"catalog_format\": 2", "catalogs compiled"),
        (&["compile", "web1", "--output", "-"], "\"catalog_format\": 2", "catalogs compiled"),
    ] {
        let terminal = Terminal::start(&site, args, (100, 200));
        let screen = terminal.wait_for_text(expected);
        assert!(!screen.contains(unexpected), "{args:?}: {screen}");
        assert_eq!(terminal.wait_for_exit(), Some(0), "{args:?}");
    }
    let piped = site.run(&["compile", "web1"]).expect(0, "");
    assert!(serde_json::from_str::<Value>(&piped.stdout).is_ok(), "{}", piped.stdout);
}

#[test]
fn errors_are_not_accepted_in_place_of_catalogs() {
    let tests = "cases:\n  breaks: { code: \"fail('no')\" }\n  may: { code: \"fail('wanted')\", expect: { fails: wanted }, snapshot: true }\n";
    let site = Site::new(&[
        ("site.pp", "include role\n"),
        ("modules/role/manifests/init.pp", "class role { notify { 'x': } }\n"),
        ("nodes/web1.json", "{}"),
        ("nodes/web2.json", "{}"),
        ("tests/t.yaml", tests),
    ]);
    let accepted = |name: &str| std::fs::read_to_string(site.path().join(format!("snapshots/{name}.snap")));
    site.run(&["test", "--accept"]).expect(1, "");
    assert!(accepted("web1").unwrap().contains("Notify[x]"));
    assert!(accepted("t/may").unwrap().contains("error: "), "the case says `fails`");
    assert!(accepted("t/breaks").is_err());
    let run = site
        .run(&["snapshot", "accept", "--all"])
        .expect(1, "1 error in place of a catalog was not accepted: t/breaks");
    assert!(run.stdout.contains("0 changes in 0 snapshots accepted"), "{run:#?}");

    site.write("modules/role/manifests/init.pp", "class role { fail('not today') }\n");
    site.run(&["test", "--accept"]).expect(1, "");
    let run = site.run(&["snapshot", "accept", "web*"]);
    let run =
        run.expect(1, "2 errors in place of catalogs were not accepted: web1, web2; `catwalk test` shows the error");
    assert!(run.stdout.contains("3 snapshots still to be decided"), "{run:#?}");
    assert!(accepted("web1").unwrap().contains("Notify[x]"));

    let run = site.run(&["snapshot", "accept", "--all", "--errors"]).expect(0, "");
    assert!(run.stdout.contains("in 3 snapshots accepted"), "{run:#?}");
    assert!(accepted("web1").unwrap().contains("not today"));
}
