//! PuppetDB's hashes of resources, catalogs and factsets (puppetlabs.puppetdb.scf.hash).
//!
//! A hash is the SHA-1 of JSON without spaces and with sorted keys. PuppetDB's hash of a catalog depends on the order of tags in a
//! Clojure set, which is not defined; here tags are sorted instead, so hashes of catalogs differ from PuppetDB's.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use sha1::Digest;
use sha1::Sha1;

use crate::document::CatalogDocument;
use crate::document::FactsDocument;
use crate::document::ResourceDocument;

/// The value with the keys of every object sorted.
pub(crate) fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
            entries.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
            Value::Object(
                entries.into_iter().map(|(key, value)| (key.clone(), sort_keys(value))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => items.iter().map(sort_keys).collect(),
        other => other.clone(),
    }
}

fn sha1(value: &Value) -> String {
    Sha1::digest(sort_keys(value).to_string().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn resource(resource: &ResourceDocument) -> String {
    sha1(&json!([resource.type_name, resource.title, resource.parameters]))
}

pub(crate) fn catalog(catalog: &CatalogDocument) -> String {
    let mut resources: Vec<&ResourceDocument> = catalog.resources.iter().collect();
    resources.sort_by(|a, b| (&a.title, &a.type_name).cmp(&(&b.title, &b.type_name)));
    let mut edges: Vec<_> = catalog.edges.iter().collect();
    edges.sort_by(|a, b| {
        (&a.source.1, &a.source.0, &a.target.1, &a.target.0, &a.relationship).cmp(&(
            &b.source.1,
            &b.source.0,
            &b.target.1,
            &b.target.0,
            &b.relationship,
        ))
    });
    let resources = resources.into_iter().map(|resource| {
        let mut tags = resource.tags.clone();
        tags.sort();
        json!({
            "type": resource.type_name, "title": resource.title, "parameters": resource.parameters,
            "exported": resource.exported, "file": resource.file, "line": resource.line, "tags": tags,
        })
    });
    let edges = edges.into_iter().map(|edge| {
        let end = |(type_name, title): &(String, String)| json!({"type": type_name, "title": title});
        json!({"source": end(&edge.source), "target": end(&edge.target), "relationship": edge.relationship})
    });
    let resources: Vec<Value> = resources.collect();
    let edges: Vec<Value> = edges.collect();
    sha1(&json!({"certname": catalog.certname, "resources": resources, "edges": edges}))
}

pub(crate) fn facts(facts: &FactsDocument) -> String {
    sha1(&json!({"certname": facts.certname, "environment": facts.environment, "values": facts.values}))
}
