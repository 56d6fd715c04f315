//! Decisions on a folder of snapshots.

#![allow(clippy::unwrap_used, reason = "tests")]

use catwalk_world::output::Place;
use serde_json::json;

use super::*;

/// A catalog with a file of this mode and owner, and more resources.
fn catalog(mode: &str, owner: &str, more: &[&str]) -> Snapshot {
    let mut resources = vec![json!({"type": "File", "title": "/a", "parameters": {"mode": mode, "owner": owner}})];
    resources.extend(more.iter().map(|title| json!({"type": "Notify", "title": title})));
    let document = json!({"name": "n", "resources": resources, "edges": []});
    Snapshot::new("site.pp", "Catalog", &catwalk_formats::wire::canonical::print(&document))
}

/// A folder with three nodes, of which two have the same changes, and a new one.
fn store(dir: &tempfile::TempDir) -> Store {
    let store = Store::new(Place::named(dir.path().join("snapshots")));
    for name in ["web1", "web2", "db1"] {
        store.accept(name, catalog("0644", "root", &["gone"])).unwrap();
    }
    store.propose("web1", &catalog("0600", "me", &["x"])).unwrap();
    store.propose("web2", &catalog("0600", "me", &["x"])).unwrap();
    store.propose("db1", &catalog("0600", "root", &["gone"])).unwrap();
    store.propose("ntp/new", &catalog("0600", "root", &[])).unwrap();
    store
}

fn waiting(store: &Store) -> String {
    let proposals = proposals(store).unwrap();
    let groups = groups(proposals.iter().map(|proposal| (proposal.name.as_str(), proposal.hunks.as_slice())));
    let line = |group: &Group| {
        let hunk = &group.hunk;
        format!("{} {}: {}\n", hunk.reference, hunk.parameters.join(","), group.names.join(" "))
    };
    groups.iter().map(line).collect()
}

fn decided(store: &Store, decision: Decision, pattern: &str) -> DecisionCounts {
    let pattern = Pattern::parse(pattern).unwrap();
    decide(store, decision, &|name, reference, parameter| pattern.fits(name, reference, parameter)).unwrap()
}

#[test]
fn equal_changes_form_one_group() {
    let dir = tempfile::TempDir::new().unwrap();
    insta::assert_snapshot!(waiting(&store(&dir)), @r"
    File[/a] mode,owner: web1 web2
    Notify[x] : web1 web2
    Notify[gone] : web1 web2
    File[/a] mode: db1
    (whole) : ntp/new
    ");
}

#[test]
fn a_pattern_decides_over_all_snapshots() {
    let dir = tempfile::TempDir::new().unwrap();
    let store = store(&dir);
    let done = decided(&store, Decision::Accept, "file[*]::mode");
    assert_eq!(done, DecisionCounts { parts: 3, snapshots: 3, waiting: 3 });
    assert_eq!(store.accepted("db1").unwrap().unwrap(), catalog("0600", "root", &["gone"]));
    assert_eq!(store.accepted("web1").unwrap().unwrap(), catalog("0600", "root", &["gone"]));
    insta::assert_snapshot!(waiting(&store), @r"
    File[/a] owner: web1 web2
    Notify[x] : web1 web2
    Notify[gone] : web1 web2
    (whole) : ntp/new
    ");
    decided(&store, Decision::Reject, "Notify[*]");
    assert_eq!(store.pending("web1").unwrap().unwrap(), catalog("0600", "me", &["gone"]));
    decided(&store, Decision::Accept, "web*");
    assert_eq!(store.accepted("web2").unwrap().unwrap(), catalog("0600", "me", &["gone"]));
    decided(&store, Decision::Reject, "ntp/*");
    assert_eq!(waiting(&store), "");
    assert!(store.accepted("ntp/new").unwrap().is_none());
    assert!(store.entries().unwrap().iter().all(|entry| !entry.pending));
}

#[test]
fn everything_is_accepted_or_rejected() {
    let dir = tempfile::TempDir::new().unwrap();
    let one = store(&dir);
    let done = decide(&one, Decision::Accept, &|_, _, _| true).unwrap();
    assert_eq!((done.snapshots, done.waiting), (4, 0));
    assert_eq!(one.accepted("web1").unwrap().unwrap(), catalog("0600", "me", &["x"]));
    assert!(one.accepted("ntp/new").unwrap().is_some());
    let dir = tempfile::TempDir::new().unwrap();
    let other = store(&dir);
    decide(&other, Decision::Reject, &|_, _, _| true).unwrap();
    assert_eq!(other.accepted("web1").unwrap().unwrap(), catalog("0644", "root", &["gone"]));
    assert_eq!(waiting(&other), "");
}

#[test]
fn patterns_select_resources_and_parameters() {
    for (text, reference, parameter, fits) in [
        ("Exec[echo [x]]", "Exec[echo [x]]", None, true),
        ("exec[echo*]", "Exec[echo [x]]", Some("path"), true),
        ("Exec[*]::path", "Exec[echo [x]]", None, false),
        ("Exec[*]::p*", "Exec[a]", Some("path"), true),
        ("(catalog)", CATALOG, Some("(tags)"), true),
        ("(catalog)", "Exec[a]", None, false),
        ("web?", "Exec[a]", None, true),
        ("web", "Exec[a]", None, false),
    ] {
        assert_eq!(Pattern::parse(text).unwrap().fits("web1", reference, parameter), fits, "{text}");
    }
    for wrong in ["File[a", "File[a]b", "File[a]::"] {
        assert!(Pattern::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn snapshot_files_are_compatible_with_insta() {
    let dir = tempfile::TempDir::new().unwrap();
    let store = store(&dir);
    let file = store.root().join("web1.snap.new");
    let read = insta::Snapshot::from_file(&file).unwrap();
    assert_eq!(read.metadata().description(), Some("Catalog"));
    assert_eq!(read.metadata().source(), Some("site.pp"));
    assert_eq!(read.contents().as_text().unwrap().to_string(), catalog("0600", "me", &["x"]).text);
}
