//! Reads two catalog documents without most of what is identical in both, to compare them faster.
//!
//! In: the bytes of two JSON documents. Out: both documents, in which identical resources have only their type and title, and common edges
//! are missing. Their diff is equal to that of the whole documents. Must not: decide which differences matter: anything that is not
//! identical, or that concerns secrets, is included.

mod borrowed;

use std::borrow::Cow;

use hashbrown::HashMap;
use hashbrown::HashSet;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use catwalk_base::secrets::Key;
use catwalk_base::secrets::Secrets;

use crate::wire::format;
use crate::wire::format::Format;
use borrowed::Json;

/// Reads two documents; each result is the document or its syntax error. `key` is the key of the digests that replace secrets.
pub fn read_without_unchanged(
    old: &[u8],
    new: &[u8],
    key: &Key,
) -> (Result<Value, serde_json::Error>, Result<Value, serde_json::Error>) {
    let read = |bytes| serde_json::from_slice::<Json<'_>>(bytes);
    let (old, new) = rayon::join(|| read(old), || read(new));
    let (old, new) = match (old, new) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => return (old.map(|old| old.to_value()), new.map(|new| new.to_value())),
    };
    let unchanged = Unchanged::find(&old, &new, key).unwrap_or_default();
    let (old, new) = rayon::join(
        || reduce(&old, &unchanged.old, &unchanged.edges),
        || reduce(&new, &unchanged.new, &unchanged.edges),
    );
    (Ok(old), Ok(new))
}

/// The type and the title of a resource.
type Id<'a> = (&'a str, &'a str);

/// An edge: source, target, relationship.
type Edge<'a> = (Id<'a>, Id<'a>, &'a str);

/// The indexes of resources by their types and titles.
type Positions<'a> = HashMap<Id<'a>, usize, FxBuildHasher>;

/// The resources and edges that are identical in both documents.
#[derive(Default)]
struct Unchanged<'a> {
    /// For each resource of the old document, whether it is unchanged.
    old: Vec<bool>,
    /// For each resource of the new document, whether it is unchanged.
    new: Vec<bool>,
    edges: HashSet<Edge<'a>, FxBuildHasher>,
}

impl<'a> Unchanged<'a> {
    /// `None`: the documents are not catalogs, or have different forms.
    fn find(old: &'a Json<'a>, new: &'a Json<'a>, key: &Key) -> Option<Unchanged<'a>> {
        let is_wire = |document| Some(matches!(format::detect(&format_members(document)?)?, Format::Wire(_)));
        if is_wire(old)? != is_wire(new)? {
            return None;
        }
        let (before, after) = (list(old, "resources")?, list(new, "resources")?);
        let (old_positions, new_positions) = rayon::join(|| positions(before), || positions(after));
        let (old_positions, new_positions) = (old_positions?, new_positions?);
        let secrets = secrets(before, after, key);
        let is_clean =
            |json: &Json<'_>| secrets.is_empty() || !json.any_string(&|text| secrets.replace(text).is_some());
        let unchanged_from = |resource: &Json<'_>| {
            let at = *old_positions.get(&id(resource)?)?;
            (is_same(before.get(at)?, resource) && !may_have_secrets(resource) && is_clean(resource)).then_some(at)
        };
        let pairs: Vec<Option<usize>> = after.par_iter().map(unchanged_from).collect();
        let mut unchanged = Unchanged {
            old: vec![false; before.len()],
            new: pairs.iter().map(Option::is_some).collect(),
            ..Self::default()
        };
        for at in pairs.into_iter().flatten() {
            if let Some(known) = unchanged.old.get_mut(at) {
                *known = true;
            }
        }
        if secrets.is_empty() {
            unchanged.edges = common_edges(old, new, &old_positions, &new_positions).unwrap_or_default();
        }
        Some(unchanged)
    }
}

/// A list of a document; empty if it is missing.
fn list<'a>(document: &'a Json<'a>, name: &str) -> Option<&'a [Json<'a>]> {
    document.get(name).map_or(Some(&[]), Json::as_array)
}

/// The members of a document from which its format can be detected.
fn format_members(document: &Json<'_>) -> Option<Value> {
    let Json::Object(members) = document else { return None };
    let members = members.iter().map(|(name, value)| {
        let value = match (&**name, value) {
            ("resources", _) => Value::Null,
            ("edges", Json::Array(edges)) => edges.iter().take(1).map(Json::to_value).collect(),
            (_, value) => value.to_value(),
        };
        (name.to_string(), value)
    });
    Some(Value::Object(members.collect()))
}

fn id<'a>(resource: &'a Json<'a>) -> Option<Id<'a>> {
    Some((resource.get("type")?.as_str()?, resource.get("title")?.as_str()?))
}

/// The index of each resource. `None`: an item is not a resource, or a resource occurs twice.
fn positions<'a>(resources: &'a [Json<'a>]) -> Option<Positions<'a>> {
    let mut positions = Positions::with_capacity_and_hasher(resources.len(), FxBuildHasher);
    for (at, resource) in resources.iter().enumerate() {
        if positions.insert(id(resource)?, at).is_some() {
            return None;
        }
    }
    Some(positions)
}

/// Whether all members except file and line are equal, in the same order.
fn is_same(old: &Json<'_>, new: &Json<'_>) -> bool {
    let (Json::Object(old), Json::Object(new)) = (old, new) else { return false };
    let is_position = |name: &str| matches!(name, "file" | "line");
    let count = |members: &'_ [(Cow<'_, str>, Json<'_>)]| members.iter().filter(|(name, _)| !is_position(name)).count();
    count(old) == count(new)
        && old
            .iter()
            .filter(|(name, _)| !is_position(name))
            .zip(new.iter().filter(|(name, _)| !is_position(name)))
            .all(|(old, new)| old == new)
}

/// Whether a resource names sensitive parameters or contains a Sensitive value or the token of a secret.
fn may_have_secrets(resource: &Json<'_>) -> bool {
    let names = resource.get("sensitive_parameters");
    names.is_some_and(|names| names.as_array().is_none_or(|names| !names.is_empty()))
        || resource.any_string(&|text| text == "__ptype" || text.contains("<Sensitive"))
}

/// The secrets that the documents name.
fn secrets(before: &[Json<'_>], after: &[Json<'_>], key: &Key) -> Secrets {
    let read = |resources: &[Json<'_>]| {
        let suspects = resources.par_iter().filter(|resource| may_have_secrets(resource)).map(Json::to_value);
        Secrets::from_document(&json!({ "resources": suspects.collect::<Vec<_>>() }), key)
    };
    read(before).union(&read(after), key)
}

/// The edges that both documents have, if all lead to resources. The first edge of each document is left out, since its format is
/// detected from it.
fn common_edges<'a>(
    old: &'a Json<'a>,
    new: &'a Json<'a>,
    old_positions: &Positions<'_>,
    new_positions: &Positions<'_>,
) -> Option<HashSet<Edge<'a>, FxBuildHasher>> {
    let valid_edges = |document: &'a Json<'a>, positions: &Positions<'_>| -> Option<HashSet<Edge<'a>, FxBuildHasher>> {
        let edges = list(document, "edges")?.iter().map(edge);
        let exists = |id: &Id<'_>| positions.contains_key(id);
        edges.map(|edge| edge.filter(|(source, target, _)| exists(source) && exists(target))).collect()
    };
    let (before, mut both) = rayon::join(|| valid_edges(old, old_positions), || valid_edges(new, new_positions));
    let (before, both) = (before?, both.as_mut()?);
    both.retain(|edge| before.contains(edge));
    for document in [old, new] {
        if let Some(first) = list(document, "edges")?.first().and_then(edge) {
            both.remove(&first);
        }
    }
    Some(std::mem::take(both))
}

fn edge<'a>(edge: &'a Json<'a>) -> Option<Edge<'a>> {
    let end = |name: &str| match edge.get(name)? {
        Json::String(reference) => reference.strip_suffix(']')?.split_once('['),
        end => id(end),
    };
    let relationship = edge.get("relationship").map_or(Some("contains"), Json::as_str)?;
    Some((end("source")?, end("target")?, relationship))
}

fn reduce(document: &Json<'_>, unchanged: &[bool], common: &HashSet<Edge<'_>, FxBuildHasher>) -> Value {
    let Json::Object(members) = document else { return document.to_value() };
    let members = members.iter().map(|(name, value)| {
        let value = match (&**name, value) {
            ("resources", Json::Array(resources)) => {
                let resources = resources.iter().enumerate();
                resources
                    .map(
                        |(at, resource)| {
                            if unchanged.get(at) == Some(&true) { stub(resource) } else { resource.to_value() }
                        },
                    )
                    .collect()
            }
            ("edges", Json::Array(edges)) if !common.is_empty() => {
                let is_common = |document: &&Json<'_>| edge(document).is_some_and(|edge| common.contains(&edge));
                edges.iter().filter(|edge| !is_common(edge)).map(Json::to_value).collect()
            }
            (_, value) => value.to_value(),
        };
        (name.to_string(), value)
    });
    Value::Object(members.collect())
}

/// A resource with only its type and title.
fn stub(resource: &Json<'_>) -> Value {
    let mut members = Map::with_capacity(2);
    for name in ["type", "title"] {
        members.insert(name.to_owned(), resource.get(name).map(Json::to_value).unwrap_or_default());
    }
    Value::Object(members)
}
