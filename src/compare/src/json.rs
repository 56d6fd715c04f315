//! The report as JSON.

use serde_json::Value;
use serde_json::json;

use crate::human::relative_location;
use crate::report::Change;
use crate::report::Report;
use catwalk_formats::diff::ResourceDiff;

/// The report as a JSON document; `docs/diff.md` describes its members.
#[must_use]
pub fn json(report: &Report, roots: &[String]) -> Value {
    let names = |nodes: &[std::sync::Arc<str>]| Value::from(nodes.iter().map(AsRef::as_ref).collect::<Vec<&str>>());
    let groups: Vec<Value> = report
        .groups
        .iter()
        .map(|group| {
            let changes: Vec<Value> = group.changes.iter().map(|change| change_to_json(change, roots)).collect();
            json!({ "nodes": names(&group.nodes), "changes": changes })
        })
        .collect();
    let failures: Vec<Value> = report
        .failures
        .iter()
        .map(|failures| {
            json!({
                "which": failures.kind.as_str(),
                "old": failures.old,
                "new": failures.new,
                "nodes": names(&failures.nodes),
            })
        })
        .collect();
    let added: Vec<Value> = report
        .added
        .iter()
        .map(|(certname, resources)| json!({ "node": certname.as_ref(), "resources": resources }))
        .collect();
    json!({
        "old": report.old,
        "new": report.new,
        "same": report.is_same(),
        "summary": {
            "nodes": report.nodes,
            "differ": report.differing.len(),
            "same": report.same,
            "same_inputs": report.skipped,
            "failing": report.failing(),
            "added": report.added.len(),
            "removed": report.removed.len(),
        },
        "groups": groups,
        "failures": failures,
        "added": added,
        "removed": names(&report.removed),
        "notes": report.notes,
    })
}

fn change_to_json(change: &Change, roots: &[String]) -> Value {
    let whole_resource = |kind: &str, item: &ResourceDiff| {
        let value = |change: &catwalk_formats::diff::Change| {
            change.new.clone().or_else(|| change.old.clone()).unwrap_or_default()
        };
        let parameters = item.changes.iter().map(|change| (change.name.clone(), value(change)));
        let parameters: serde_json::Map<String, Value> = parameters.collect();
        json!({ "kind": kind, "resource": item.reference, "place": location(item, roots), "parameters": parameters })
    };
    match change {
        Change::Added(item) => whole_resource("added", item),
        Change::Removed(item) => whole_resource("removed", item),
        Change::Changed(item) => {
            let parameters: serde_json::Map<String, Value> = item
                .changes
                .iter()
                .map(|change| {
                    let mut sides = serde_json::Map::new();
                    for (name, value) in [("old", &change.old), ("new", &change.new)] {
                        // An unset parameter has no member, since null is also a value.
                        if let Some(value) = value {
                            sides.insert(name.to_owned(), value.clone());
                        }
                    }
                    (change.name.clone(), Value::Object(sides))
                })
                .collect();
            json!({
                "kind": "changed",
                "resource": item.reference,
                "place": location(item, roots),
                "parameters": parameters,
            })
        }
        Change::EdgeAdded(edge) => {
            json!({ "kind": "edge_added", "edge": edge.to_json(|location| relative_location(location, roots)) })
        }
        Change::EdgeRemoved(edge) => {
            json!({ "kind": "edge_removed", "edge": edge.to_json(|location| relative_location(location, roots)) })
        }
    }
}

fn location(item: &ResourceDiff, roots: &[String]) -> Option<String> {
    Some(relative_location(item.location.as_ref()?, roots).to_owned())
}
