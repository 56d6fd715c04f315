//! The result of a migration as JSON; `docs/migrate.md` describes its members.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use crate::human::relative;
use crate::migration::Finding;
use crate::migration::Migration;
use catwalk_compare as compare;

/// The result as a JSON document.
#[must_use]
pub fn json(migration: &Migration, roots: &[String]) -> Value {
    let mut document = compare::json(&migration.report, roots);
    for (member, levers) in [("groups", &migration.group_levers), ("failures", &migration.failure_levers)] {
        let entries = document.get_mut(member).and_then(Value::as_array_mut).into_iter().flatten();
        for (entry, lever) in entries.zip(levers) {
            if let Some(lever) = lever {
                entry["remedy"] = json!({ "kind": lever.as_str(), "cause": lever.cause(), "text": lever.remedy() });
            }
        }
    }
    let legacy: Vec<Value> = migration
        .legacy_facts
        .iter()
        .map(|fact| {
            let places: Vec<Value> =
                fact.places.iter().map(|(path, line)| json!({ "file": relative(path, roots), "line": line })).collect();
            json!({
                "name": fact.name, "structured": fact.structured, "same_value": fact.has_same_value,
                "nodes": names(&fact.nodes), "places": places,
            })
        })
        .collect();
    document["same"] = json!(migration.is_nothing());
    document["legacy_facts"] = json!(legacy);
    document["warnings"] = findings(&migration.warnings);
    document["checksum_contents"] = findings(&migration.checksum_contents);
    document
}

fn names(nodes: &[Arc<str>]) -> Vec<&str> {
    nodes.iter().map(AsRef::as_ref).collect()
}

fn findings(findings: &[Finding]) -> Value {
    findings.iter().map(|finding| json!({ "text": finding.text, "nodes": names(&finding.nodes) })).collect()
}
