//! Parts of changes on small catalogs.

#![allow(clippy::unwrap_used, reason = "tests")]

use serde_json::json;

use super::*;

fn text(resources: Json, edges: Json) -> String {
    let document = json!({"tags": ["a"], "name": "n", "resources": resources, "edges": edges, "classes": ["a"]});
    canonical::print(&document).trim_end().to_owned()
}

fn old() -> String {
    text(
        json!([
            {"type": "Class", "title": "A", "tags": ["class"]},
            {"type": "File", "title": "/a", "tags": ["file"], "parameters": {"mode": "0644", "owner": "root"}},
            {"type": "File", "title": "/gone", "tags": ["file"]},
            {"type": "File", "title": "/z", "tags": ["file"]},
        ]),
        json!([
            {"source": "Class[A]", "target": "File[/a]"},
            {"source": "Class[A]", "target": "File[/gone]"},
            {"source": "Class[A]", "target": "File[/z]"},
        ]),
    )
}

fn new() -> String {
    text(
        json!([
            {"type": "Class", "title": "A", "tags": ["class"]},
            {"type": "Notify", "title": "x", "tags": ["notify"], "parameters": {"message": "m"}},
            {"type": "File", "title": "/a", "tags": ["file"], "parameters": {"mode": "0600", "owner": "me", "group": "g"}},
            {"type": "File", "title": "/z", "tags": ["file"]},
        ]),
        json!([
            {"source": "Class[A]", "target": "Notify[x]"},
            {"source": "Class[A]", "target": "File[/a]"},
            {"source": "Class[A]", "target": "File[/z]"},
        ]),
    )
}

fn names(hunks: &[Hunk]) -> Vec<String> {
    hunks.iter().map(|hunk| format!("{:?} {} {}", hunk.kind, hunk.reference, hunk.parameters.join(","))).collect()
}

#[test]
fn a_change_has_a_part_for_each_resource() {
    let hunks = hunks(Some(&old()), &new());
    assert_eq!(names(&hunks), ["Added Notify[x] ", "Changed File[/a] mode,owner,group", "Removed File[/gone] "]);
    insta::assert_snapshot!(hunks[1].text, @r#"
    ~ File[/a]
        mode: "0644" => "0600"
        owner: "root" => "me"
        group: (unset) => "g"
    "#);
    assert!(super::hunks(Some(&old()), &old()).is_empty());
}

/// For every set of parts: after taking them, the remaining hunks are the others, and taking those yields the new body.
#[test]
fn parts_are_taken_in_any_order() {
    let all: Vec<(&str, Option<&str>)> = vec![
        ("Notify[x]", None),
        ("File[/a]", Some("mode")),
        ("File[/a]", Some("owner")),
        ("File[/a]", Some("group")),
        ("File[/gone]", None),
    ];
    for set in 0_u32..1 << all.len() {
        let chosen = |reference: &str, parameter: Option<&str>| {
            all.iter().position(|part| *part == (reference, parameter)).is_some_and(|at| set & (1 << at) != 0)
        };
        let merged = merge(Some(&old()), &new(), &chosen).unwrap();
        let mut left = Vec::new();
        for hunk in hunks(Some(&merged), &new()) {
            match hunk.kind {
                Kind::Changed => {
                    left.extend(hunk.parameters.iter().map(|name| (hunk.reference.clone(), Some(name.clone()))))
                }
                _ => left.push((hunk.reference, None)),
            }
        }
        for (at, (reference, parameter)) in all.iter().enumerate() {
            let part = ((*reference).to_owned(), parameter.map(str::to_owned));
            assert_eq!(left.contains(&part), set & (1 << at) == 0, "{set:b} {part:?} {merged}");
        }
        assert_eq!(merge(Some(&merged), &new(), &|_, _| true).unwrap(), new());
    }
    assert_eq!(merge(Some(&old()), &new(), &|_, _| false).unwrap(), old());
}

#[test]
fn order_and_members_are_parts_of_the_catalog() {
    let mut document: Json = serde_json::from_str(&old()).unwrap();
    document["classes"] = json!(["a", "b"]);
    document["resources"].as_array_mut().unwrap().swap(1, 3);
    let new = canonical::print(&document).trim_end().to_owned();
    let hunks = hunks(Some(&old()), &new);
    assert_eq!(names(&hunks), ["Changed (catalog) (classes),(order of resources)"]);
    let merged = merge(Some(&old()), &new, &|_, name| name == Some("(classes)")).unwrap();
    assert_eq!(names(&super::hunks(Some(&merged), &new)), ["Changed (catalog) (order of resources)"]);
    assert_eq!(merge(Some(&merged), &new, &|_, _| true).unwrap(), new);
}

#[test]
fn snapshots_of_errors_are_decided_as_a_whole() {
    for (old, new) in [(None, new()), (Some("error: x".to_owned()), new()), (Some(old()), "error: y".to_owned())] {
        let hunks = hunks(old.as_deref(), &new);
        assert_eq!(hunks.len(), 1);
        assert_eq!(hunks[0].reference, WHOLE);
        assert_eq!(merge(old.as_deref(), &new, &|_, _| false), old);
        assert_eq!(merge(old.as_deref(), &new, &|_, _| true), Some(new));
    }
}
