//! Resources and edges as PuppetDB's documentation of the format describes them.
//!
//! In: those that the terminus sends. Out: resources with exactly the eight documented members, `aliases` among them, numbers as strings,
//! without null; edges with their members in the documented order.

use std::collections::HashMap;

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

/// Containers within each other that are followed; a catalog from a file may contain itself.
const MAX_DEPTH: usize = 1000;

/// A position: the file and the line of a declaration.
type Position = (Json, Json);

/// The type and the title of a resource.
type Key = (String, String);

pub(super) fn resources_and_edges(resources: Vec<Json>, edges: Vec<Json>) -> (Vec<Json>, Vec<Json>) {
    let positions = positions(&resources, &edges);
    let resources = resources.iter().map(|resource| documented(resource, &positions)).collect();
    (resources, edges.iter().map(edge).collect())
}

fn edge(edge: &Json) -> Json {
    json!({ "source": edge["source"], "target": edge["target"], "relationship": edge["relationship"] })
}

fn key(resource: &Json) -> Key {
    let string = |name: &str| resource[name].as_str().unwrap_or_default().to_owned();
    (string("type"), string("title"))
}

fn position(resource: &Json) -> Option<Position> {
    match (&resource["file"], &resource["line"]) {
        (Json::String(_), Json::Number(_)) => Some((resource["file"].clone(), resource["line"].clone())),
        _ => None,
    }
}

/// The position of each resource. The format requires one of every resource: classes and stages without a position of their own have that
/// of what contains them.
fn positions(resources: &[Json], edges: &[Json]) -> HashMap<Key, Position> {
    let own: HashMap<Key, Option<Position>> =
        resources.iter().map(|resource| (key(resource), position(resource))).collect();
    let contains = edges.iter().filter(|edge| edge["relationship"] == "contains");
    let containers: HashMap<Key, Key> = contains.map(|edge| (key(&edge["target"]), key(&edge["source"]))).collect();
    let find = |key: &Key| {
        let mut at = key;
        for _ in 0..MAX_DEPTH {
            if let Some(Some(position)) = own.get(at) {
                return Some(position.clone());
            }
            at = containers.get(at)?;
        }
        None
    };
    own.keys().filter_map(|key| Some((key.clone(), find(key)?))).collect()
}

fn documented(resource: &Json, positions: &HashMap<Key, Position>) -> Json {
    // Of main classes and stages nothing has a position: the beginning of the manifest, whose name is not known.
    let (file, line) = positions.get(&key(resource)).cloned().unwrap_or_else(|| (json!(""), json!(1)));
    let aliases = match &resource["parameters"]["alias"] {
        Json::Array(aliases) => aliases.iter().map(plain).collect(),
        Json::Null => Vec::new(),
        alias => vec![plain(alias)],
    };
    json!({
        "type": resource["type"],
        "title": resource["title"],
        "aliases": aliases,
        "exported": resource["exported"].as_bool().unwrap_or(false),
        "file": file,
        "line": line,
        "tags": resource["tags"],
        "parameters": plain(&resource["parameters"]),
    })
}

/// A value with numbers as strings and without null.
fn plain(value: &Json) -> Json {
    match value {
        Json::Number(number) => Json::from(number.to_string()),
        Json::Array(items) => items.iter().filter(|item| !item.is_null()).map(plain).collect(),
        Json::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            Json::Object(members.map(|(name, value)| (name.clone(), plain(value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}
