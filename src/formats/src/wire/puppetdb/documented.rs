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
pub(super) type Position = (Json, Json);

pub(super) fn resources_and_edges(resources: Vec<Json>, edges: Vec<Json>) -> (Vec<Json>, Vec<Json>) {
    let positions = positions_of(&resources, &edges);
    let resources = resources.iter().zip(&positions).map(|(one, position)| resource(one, position.as_ref())).collect();
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

/// The position of each resource of a payload, as [`positions`] completes it.
pub(super) fn positions_of(resources: &[Json], edges: &[Json]) -> Vec<Option<Position>> {
    let key = |end: &Json| Some((end["type"].as_str()?.to_owned(), end["title"].as_str()?.to_owned()));
    let known: HashMap<(String, String), usize> =
        resources.iter().enumerate().filter_map(|(at, resource)| Some((key(resource)?, at))).collect();
    let end = |edge: &Json, name: &str| known.get(&key(&edge[name])?).copied();
    let contains = edges.iter().filter(|edge| edge["relationship"] == "contains");
    let contains = contains.filter_map(|edge| Some((end(edge, "source")?, end(edge, "target")?)));
    let own = resources.iter().map(|resource| match (&resource["file"], &resource["line"]) {
        (Json::String(file), Json::Number(_)) => Some((Json::from(&**file), resource["line"].clone())),
        _ => None,
    });
    positions(&own.collect::<Vec<_>>(), contains)
}

/// The position of each resource. The format requires one of every resource: classes and stages without a position of their own have that
/// of what contains them. `contains` are the positions of containers and of what is in them in the list of resources.
pub(super) fn positions(
    own: &[Option<Position>],
    contains: impl Iterator<Item = (usize, usize)>,
) -> Vec<Option<Position>> {
    let mut containers = vec![None; own.len()];
    for (container, contained) in contains {
        if let Some(place) = containers.get_mut(contained) {
            *place = Some(container);
        }
    }
    let find = |at: usize| {
        let mut at = at;
        for _ in 0..MAX_DEPTH {
            if let Some(position) = own.get(at)? {
                return Some(position.clone());
            }
            at = (*containers.get(at)?)?;
        }
        None
    };
    (0..own.len()).map(find).collect()
}

/// A resource with exactly the documented members.
pub(super) fn resource(resource: &Json, position: Option<&Position>) -> Json {
    // Of main classes and stages nothing has a position: the beginning of the manifest, whose name is not known.
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
