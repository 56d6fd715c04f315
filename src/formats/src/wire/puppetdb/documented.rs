//! Converts resources and edges to the format in PuppetDB's documentation.
//!
//! In: resources and edges in the terminus' style. Out: resources with exactly the eight documented members, with numbers as strings and
//! without null; edges with their members in the documented order.

use std::collections::HashMap;

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

/// The deepest nesting of containers. In a catalog from a file, containers may form a cycle.
const MAX_DEPTH: usize = 1000;

/// A position: the file and the line of a declaration.
pub(super) type Position = (Json, Json);

pub(super) fn resources_and_edges(resources: Vec<Json>, edges: Vec<Json>) -> (Vec<Json>, Vec<Json>) {
    let positions = payload_positions(&resources, &edges);
    let resources =
        resources.iter().zip(&positions).map(|(entry, position)| resource(entry, position.as_ref())).collect();
    (resources, edges.iter().map(edge).collect())
}

/// An edge with its members in the documented order.
pub(super) fn edge(edge: &Json) -> Json {
    json!({ "source": edge["source"], "target": edge["target"], "relationship": edge["relationship"] })
}

/// Puts the members of an edge into the documented order.
pub(super) fn order_edge(members: &mut Map<String, Json>) {
    if let Some(relationship) = members.shift_remove("relationship") {
        members.insert("relationship".to_owned(), relationship);
    }
}

/// The position of each resource of a payload, completed by [`positions`].
pub(super) fn payload_positions(resources: &[Json], edges: &[Json]) -> Vec<Option<Position>> {
    let key = |end: &Json| Some((end["type"].as_str()?.to_owned(), end["title"].as_str()?.to_owned()));
    let indexes: HashMap<(String, String), usize> =
        resources.iter().enumerate().filter_map(|(at, resource)| Some((key(resource)?, at))).collect();
    let end = |edge: &Json, name: &str| indexes.get(&key(&edge[name])?).copied();
    let contains = edges.iter().filter(|edge| edge["relationship"] == "contains");
    let contains = contains.filter_map(|edge| Some((end(edge, "source")?, end(edge, "target")?)));
    let declared = resources.iter().map(|resource| match (&resource["file"], &resource["line"]) {
        (Json::String(file), Json::Number(_)) => Some((Json::from(&**file), resource["line"].clone())),
        _ => None,
    });
    positions(&declared.collect::<Vec<_>>(), contains)
}

/// The position of each resource. The format requires a position: classes and stages without one get that of their container.
/// `contains` has the indexes of containers and of the resources in them.
pub(super) fn positions(
    declared: &[Option<Position>],
    contains: impl Iterator<Item = (usize, usize)>,
) -> Vec<Option<Position>> {
    let mut containers = vec![None; declared.len()];
    for (container, contained) in contains {
        if let Some(entry) = containers.get_mut(contained) {
            *entry = Some(container);
        }
    }
    let find = |at: usize| {
        let mut at = at;
        for _ in 0..MAX_DEPTH {
            if let Some(position) = declared.get(at)? {
                return Some(position.clone());
            }
            at = (*containers.get(at)?)?;
        }
        None
    };
    (0..declared.len()).map(find).collect()
}

/// A resource with exactly the documented members.
pub(super) fn resource(resource: &Json, position: Option<&Position>) -> Json {
    // The class and the stage `main` have no position: use the beginning of a manifest of unknown name.
    let (file, line) = position.cloned().unwrap_or_else(|| (json!(""), json!(1)));
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
