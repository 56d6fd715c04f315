//! `catwalk data unused`: keys that no node uses.

use serde_json::Value;
use serde_json::json;

use crate::support::Site;

fn site() -> Site {
    Site::new(&[
        ("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\nmodulepath = [\"modules\"]\n"),
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n  - { name: node, path: \"node/%{facts.which}.yaml\" }\n  - { name: json, data_hash: json_data, globs: [\"*.json\"] }\n  - { name: all, path: all.yaml }\n",
        ),
        ("data/node/a.yaml", "web::port: 1\nshared: a\n"),
        ("data/node/b.yaml", "web::port: 2\n"),
        ("data/node/gone.yaml", "web::port: 3\n"),
        ("data/not-data.txt", "x: 1\n"),
        ("data/x.json", "{\n  \"from_json\": 1,\n  \"nobody\": 2\n}\n"),
        (
            "data/all.yaml",
            "lookup_options:\n  merged: { merge: hash }\nweb::port: 80\nweb::prot: 81\nweb::zzz: 1\nweb::label: 'by %{lookup(\"inner\")}'\ninner: x\n\"merged\": { a: 1 }\nold: 1\nother::thing: 1\nlater::size: 1\n",
        ),
        (
            "modules/web/manifests/init.pp",
            "class web(Integer $port, String $title_text = 'n', String $label) { lookup('merged') }\n",
        ),
        ("modules/later/manifests/init.pp", "class later($size) { }\n"),
        ("modules/web/hiera.yaml", "version: 5\n"),
        ("modules/web/data/common.yaml", "web::title_text: x\nweb::never: 1\n"),
        ("site.pp", "include web\nlookup('from_json')\nlookup('shared', { default_value => 1 })\n"),
        ("nodes/a.json", "{\"which\": \"a\"}"),
        ("nodes/b.json", "{\"which\": \"b\"}"),
    ])
}

#[test]
fn keys_that_no_node_uses_are_listed_with_their_positions() {
    let run = site().run(&["data", "unused"]).expect(1, "");
    let expected = "\
data/node/gone.yaml:1: web::port: every node that looks it up finds another value first
data/x.json:3: nobody: no node looks it up
data/all.yaml:3: web::port: every node that looks it up finds another value first
data/all.yaml:4: web::prot: no such parameter; did you mean 'web::port'?
data/all.yaml:5: web::zzz: class 'web' has no such parameter
data/all.yaml:9: old: no node looks it up
data/all.yaml:10: other::thing: no node looks it up
data/all.yaml:11: later::size: no node looks it up
8 of 15 keys in 5 files not used by 2 nodes
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn nodes_can_be_named_and_modules_added() {
    let run = site().run(&["data", "unused", "--nodes", "a", "--modules", "--format", "json"]).expect(1, "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let found = report["unused"].as_array().unwrap();
    let entry =
        |key: &str, file: &str| found.iter().find(|found| found["key"] == key && found["file"] == file).cloned();
    let b = json!({"kind": "overridden", "key": "web::port", "file": "data/node/b.yaml", "line": 1, "layer": "environment", "nearest": null});
    assert_eq!(entry("web::port", "data/node/b.yaml"), Some(b));
    assert!(entry("web::title_text", "modules/web/data/common.yaml").is_none(), "{report:#}");
    let never = entry("web::never", "modules/web/data/common.yaml").unwrap();
    assert_eq!((&never["kind"], &never["layer"], &never["line"]), (&json!("typo"), &json!("web"), &json!(2)));
    assert_eq!((&report["nodes"], &report["files"], &report["keys"]), (&json!(1), &json!(6), &json!(17)));
}

#[test]
fn keys_that_a_failing_node_looked_up_are_used() {
    let site = site();
    site.write("site.pp", "lookup('old')\nfail('stop')\n");
    let run = site.run(&["data", "unused", "--nodes", "a"]).expect(1, "stop");
    assert!(!run.stdout.contains("old:") && run.stdout.contains("1 failed"), "{run:#?}");
}

#[test]
fn no_unused_key_is_a_success() {
    let site = Site::new(&[
        ("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\nmodulepath = [\"modules\"]\n"),
        ("hiera.yaml", "version: 5\nhierarchy: [{ name: all, path: all.yaml }]\n"),
        ("data/all.yaml", "a: 1\n"),
        ("site.pp", "lookup('a')\n"),
        ("nodes/a.json", "{}"),
    ]);
    assert_eq!(site.run(&["data", "unused"]).expect(0, "").stdout, "0 of 1 key in 1 file not used by 1 node\n");
    site.write("data/all.yaml", "a: [\n");
    site.run(&["data", "unused"]).expect(1, "Unable to parse");
}
