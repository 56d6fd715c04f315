//! Kept catalogs: a request gets the catalog of an earlier one while nothing has changed that its compile used.

use std::time::Duration;

use catwalk_agent_site::Keeping;
use catwalk_server::CatalogDocument;
use catwalk_server::CatalogRequest;
use catwalk_server::ServedSite;
use serde_json::Value;
use serde_json::json;

use super::Serving;
use super::Start;
use super::request;
use super::titles;
use super::without_ids;
use crate::support::Site;

const FILES: &[(&str, &str)] = &[
    ("environment.conf", "manifest = site.pp\n"),
    ("hiera.yaml", "version: 5\nhierarchy:\n- {name: common, path: common.yaml}\n"),
    ("data/common.yaml", "m::text: one\nunused: 1\n"),
    ("site.pp", "include m\nwarning('said each time')\n"),
    ("modules/m/manifests/init.pp", "class m($text) { notify { \"${text} ${facts['used']}\": } }\n"),
    ("modules/other/manifests/init.pp", "class other { }\n"),
];

fn explaining(site: &Site) -> Serving {
    Serving::with(site, Start { keeping: Keeping { explains: true, ..Keeping::default() }, ..Start::default() })
}

/// Requests a catalog. Returns it, and the lines of the log.
fn ask(serving: &Serving, facts: &Value) -> (Value, Vec<String>) {
    serving.lines.0.lock().unwrap().clear();
    let catalog = serving.catalog("a.example.com", facts);
    let lines = serving.printed().lines().map(|line| line.split(" in 0.").next().unwrap().to_owned()).collect();
    (catalog, lines)
}

fn edit(site: &Site, path: &str, text: &str) {
    site.write(path, text);
    std::thread::sleep(Duration::from_millis(250));
}

const KEPT: &str = "Kept catalog for a.example.com in environment production";
const COMPILED: &str = "Compiled catalog for a.example.com in environment production";

#[test]
fn a_request_gets_the_kept_catalog_until_an_answer_changes() {
    let site = Site::new(FILES);
    let serving = explaining(&site);
    let check = |facts: Value, end: &str, why: Option<&str>| {
        let (catalog, lines) = ask(&serving, &facts);
        assert_eq!(lines.last().map(String::as_str), Some(end), "{lines:?}");
        let explanation = lines.iter().find_map(|line| line.strip_prefix("a.example.com is compiled: "));
        let root = format!("{}/", site.path().canonicalize().unwrap().display());
        assert_eq!(explanation.map(|line| line.replace(&root, "")).as_deref(), why);
        assert!(lines.iter().any(|line| line.contains("said each time")), "{lines:?}");
        catalog
    };
    let first = check(json!({"used": 1, "other": 1}), COMPILED, Some("there is no catalog of an earlier request"));
    let second = check(json!({"used": 1, "other": 2}), KEPT, None);
    assert_eq!(without_ids(first.clone()), without_ids(second.clone()));
    assert_ne!(first["catalog_uuid"], second["catalog_uuid"]);
    check(json!({"used": 2, "other": 2}), COMPILED, Some("the facts used have changed"));
    check(json!({"used": 2, "other": 3}), KEPT, None);
    // Files that the compile did not use, and keys that it did not look up.
    edit(&site, "modules/other/manifests/init.pp", "class other { notify { 'x': } }\n");
    edit(&site, "data/common.yaml", "m::text: one\nunused: 2\n");
    let third = check(json!({"used": 2}), KEPT, None);
    assert!(third["version"].as_u64() >= second["version"].as_u64());
    edit(&site, "data/common.yaml", "m::text: two\nunused: 2\n");
    let changed = check(json!({"used": 2}), COMPILED, Some("data/common.yaml has changed"));
    assert_eq!(titles(&changed, "Notify"), ["two 2"]);
    check(json!({"used": 2}), KEPT, None);
    edit(&site, "catwalk.toml", "strict = \"warning\"\n");
    check(json!({"used": 2}), COMPILED, Some("there is no catalog of an earlier request"));
}

/// The format is a part of what is kept; both forms of a kept document are the catalog.
#[test]
fn formats_are_kept_each_for_itself() {
    let site = Site::new(&[("site.pp", "notify { 'when': message => Timestamp(1) }\n")]);
    let serving = explaining(&site);
    let ask = |rich_data| {
        let request = CatalogRequest { rich_data, ..request("a.example.com", &json!({})) };
        let document = serving.site.catalog(&request).unwrap();
        let is_kept = matches!(document, CatalogDocument::Kept(..));
        (is_kept, String::from_utf8(document.into_bytes().unwrap()).unwrap().contains("__ptype"))
    };
    assert_eq!([true, false, true, false].map(ask), [(false, true), (false, false), (true, true), (true, false)]);
}

/// What asks for the time is compiled for each request; without memory for them, no catalogs are kept.
#[test]
fn some_catalogs_are_never_kept() {
    let site = Site::new(&[("site.pp", "notify { Timestamp.new().strftime('%s%N'): }\n")]);
    let serving = explaining(&site);
    ask(&serving, &json!({}));
    let (_, lines) = ask(&serving, &json!({}));
    assert_eq!(lines, ["a.example.com is compiled: the compile asked for the time", COMPILED]);
    let site = Site::new(&[("site.pp", "notify { 'a': }\n")]);
    for (bytes, expected) in [(0, COMPILED), (100, COMPILED), (1 << 20, KEPT)] {
        let serving = Serving::with(&site, Start { keeping: Keeping { bytes, explains: false }, ..Start::default() });
        ask(&serving, &json!({}));
        assert_eq!(ask(&serving, &json!({})).1, [expected], "{bytes}");
    }
}

/// A kept catalog of a store is recorded as a new compile of the same catalog; a store without it gets a compiled one.
#[test]
fn kept_catalogs_are_recorded() {
    let site = Site::new(&[("site.pp", "notify { 'a': }\n"), ("stores/readme", "")]);
    let store = site.path().join("stores/nodes.db");
    let serving = Serving::with(&site, Start { store: Some(store.clone()), ..Start::default() });
    ask(&serving, &json!({"x": 1}));
    let (catalog, lines) = ask(&serving, &json!({"x": 2}));
    assert_eq!(lines, [KEPT]);
    let stored = catwalk_store::Store::open_existing(&store).unwrap().node("a.example.com").unwrap().unwrap();
    let stored = stored.catalog.unwrap();
    assert_eq!(stored.catalog_uuid.as_deref(), catalog["catalog_uuid"].as_str());
    assert_eq!(stored.transaction_uuid.as_deref(), Some("5e5be4f2-0e2e-4a1c-8a0a-000000000001"));
}

/// Which resources other nodes export is not known: what collects them from a store is compiled for each request.
#[test]
fn catalogs_with_exported_resources_are_compiled() {
    let site = Site::new(&[("site.pp", "@@notify { 'a': }\nNotify <<| |>>\n"), ("stores/readme", "")]);
    let keeping = Keeping { explains: true, ..Keeping::default() };
    let start = Start { store: Some(site.path().join("stores/nodes.db")), keeping, ..Start::default() };
    let serving = Serving::with(&site, start);
    ask(&serving, &json!({}));
    let (_, lines) = ask(&serving, &json!({}));
    assert_eq!(lines, ["a.example.com is compiled: the compile collected exported resources", COMPILED]);
}

/// A fact with a reserved name fails a compile, also where a catalog without it is kept; an agent's own facts are compared as the compile
/// completes them.
#[test]
fn reserved_and_completed_facts_count() {
    let site = Site::new(&[
        ("catwalk.toml", "puppet = \"8\"\n"),
        ("environment.conf", "manifest = site.pp\n"),
        ("site.pp", "notify { \"is ${facts['implementation']}\": }\n"),
    ]);
    let serving = explaining(&site);
    let implementation = |facts: Value| titles(&serving.catalog("a.example.com", &facts), "Notify");
    assert_eq!(implementation(json!({})), ["is openvox"]);
    assert_eq!(implementation(json!({"clientversion": "8.10.0"})), ["is "]);
    let reserved = serving.failure("a.example.com", &json!({"clientversion": "8.10.0", "facts": 1}));
    assert!(reserved.contains("Attempt to assign to a reserved variable name: 'facts'"), "{reserved}");
}

/// The version is the present one also after a command that failed; the messages of the classification are those of the request.
#[test]
fn versions_and_messages_of_the_classification_are_new() {
    let site = Site::new(&[
        ("environment.conf", "config_version = /bin/cat version\nmanifest = site.pp\n"),
        ("catwalk.toml", "enc = \"enc.rhai\"\n"),
        ("enc.rhai", "fn classify(node) { print(`up ${node.facts.up}`); classification() }\n"),
        ("site.pp", "notify { lookup('text'): }\n"),
        ("hiera.yaml", FILES[1].1),
        ("data/common.yaml", "text: a\nunused: 1\n"),
    ]);
    let version = format!("config_version = /bin/cat {}\nmanifest = site.pp\n", site.path().join("version").display());
    site.write("environment.conf", &version);
    let serving = explaining(&site);
    let (catalog, lines) = ask(&serving, &json!({"up": 1}));
    assert!(catalog["version"].is_u64() && lines.iter().any(|line| line.contains("up 1")), "{lines:?}");
    site.write("version", "v1");
    edit(&site, "data/common.yaml", "text: a\nunused: 2\n");
    let (catalog, lines) = ask(&serving, &json!({"up": 2}));
    assert_eq!(catalog["version"], "v1", "{lines:?}");
    let (catalog, lines) = ask(&serving, &json!({"up": 3}));
    assert_eq!(catalog["version"], "v1");
    assert_eq!(lines.last().map(String::as_str), Some(KEPT), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("up 3")), "{lines:?}");
    site.write("version", "v2");
    edit(&site, "data/common.yaml", "text: a\nunused: 3\n");
    let (catalog, lines) = ask(&serving, &json!({"up": 3}));
    assert_eq!((&catalog["version"], lines.last().map(String::as_str)), (&json!("v2"), Some(KEPT)), "{lines:?}");
}
