//! A change of a catalog in parts that are decided one by one: a resource, or some of its parameters.
//!
//! In: the bodies of the accepted and the new snapshot. Out: [`Hunk`]s; the body with some of them applied. Must not: know files.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use indexmap::IndexSet;
use serde_json::Map;
use serde_json::Value as Json;

use catwalk_base::secrets::Secrets;
use catwalk_formats::diff;
use catwalk_formats::diff::Change;
use catwalk_formats::diff::Diff;
use catwalk_formats::diff::ResourceDiff;
use catwalk_formats::diff::groups;
use catwalk_formats::diff::groups::Identity;
use catwalk_formats::wire::canonical;

/// The reference of changes outside of resources and their edges: classes, tags, the order of resources.
pub const CATALOG: &str = "(catalog)";
/// The name of a change that replaces a whole snapshot: a new one, an error that became a catalog, or the reverse.
pub const WHOLE: &str = "(whole)";

/// How a resource changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// It was changed.
    Changed,
    /// The whole snapshot is new, or changed between catalog and error.
    Whole,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Added => "added",
            Kind::Removed => "removed",
            Kind::Changed => "changed",
            Kind::Whole => "whole",
        }
    }
}

/// A part of a change.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Hunk {
    /// The kind of the change.
    pub kind: Kind,
    /// `Type[title]`, [`CATALOG`] or [`WHOLE`].
    pub reference: String,
    /// The changed members: parameters, `(tags)`, `(file)`, `(edges)`; of a catalog, its own members.
    pub parameters: Vec<String>,
    /// The change as shown to people.
    pub text: String,
    /// The declaration of the resource in the new catalog, if it is known: `FILE:LINE`.
    pub location: Option<String>,
    /// Identifies equal changes of several snapshots; details of their display are ignored.
    pub identity: Identity,
}

impl Hunk {
    /// Adds the location of the resource's declaration after its reference.
    #[must_use]
    pub fn located(mut self, locations: &BTreeMap<String, String>) -> Hunk {
        if let Some(location) = locations.get(&self.reference)
            && matches!(self.kind, Kind::Added | Kind::Changed)
        {
            let end = self.text.find('\n').unwrap_or(self.text.len());
            let line = self.text.get(..end).unwrap_or_default();
            // The snapshot knows the file, but no line.
            let start = if line.ends_with(')') { line.rfind("  (").unwrap_or(end) } else { end };
            self.text.replace_range(start..end, &format!("  ({location})"));
            self.location = Some(location.clone());
        }
        self
    }

    /// Replaces the secrets in the strings of the hunk.
    #[must_use]
    pub fn redacted(mut self, secrets: &Secrets) -> Hunk {
        for text in [&mut self.reference, &mut self.text] {
            if let Some(replaced) = secrets.replace(text) {
                *text = replaced;
            }
        }
        self
    }
}

/// Parses the body of a snapshot that is a catalog; `None` for an error.
fn parse_catalog(text: &str) -> Option<Json> {
    if text.starts_with('{') { serde_json::from_str(text).ok() } else { None }
}

/// The parts of a change, in the order of the new catalog; none if the bodies are equal.
#[must_use]
pub fn hunks(old: Option<&str>, new: &str) -> Vec<Hunk> {
    if old == Some(new) {
        return Vec::new();
    }
    match (old.and_then(parse_catalog), parse_catalog(new)) {
        (Some(old), Some(new)) => catalog_hunks(&old, &new),
        (_, document) => vec![whole_hunk(old, new, document.as_ref())],
    }
}

fn whole_hunk(old: Option<&str>, new: &str, document: Option<&Json>) -> Hunk {
    let describe = |text: &str, document: Option<&Json>| match document {
        Some(document) => format!("a catalog of {} resources", resources(document).len()),
        None => text.lines().next().unwrap_or_default().to_owned(),
    };
    let mut text = String::new();
    if let Some(old) = old {
        text.push_str(&format!("- {}\n", describe(old, parse_catalog(old).as_ref())));
    }
    text.push_str(&format!("+ {}\n", describe(new, document)));
    let identity = groups::digest(&[WHOLE, &text]);
    Hunk { kind: Kind::Whole, reference: WHOLE.to_owned(), parameters: Vec::new(), text, location: None, identity }
}

type Resources<'a> = IndexMap<String, &'a Map<String, Json>>;

fn list<'a>(document: &'a Json, member: &str) -> &'a [Json] {
    document.get(member).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn reference(resource: &Map<String, Json>) -> String {
    let text = |key: &str| resource.get(key).and_then(Json::as_str).unwrap_or_default();
    format!("{}[{}]", text("type"), text("title"))
}

fn resources(document: &Json) -> Resources<'_> {
    let resources = list(document, "resources").iter().filter_map(Json::as_object);
    resources.map(|resource| (reference(resource), resource)).collect()
}

/// Edges by their string form, each with its target.
fn edges(document: &Json) -> IndexMap<String, &str> {
    let text = |edge: &Json| canonical::print(edge);
    list(document, "edges").iter().map(|edge| (text(edge), target(edge))).collect()
}

fn target(edge: &Json) -> &str {
    edge.get("target").and_then(Json::as_str).unwrap_or_default()
}

/// Members of a resource that are not parameters, by their names in changes.
fn members(resource: &Map<String, Json>) -> IndexMap<String, &Json> {
    let other_members =
        resource.iter().filter(|(name, _)| *name != "parameters").map(|(name, value)| (format!("({name})"), value));
    let parameters = resource.get("parameters").and_then(Json::as_object).into_iter().flatten();
    other_members.chain(parameters.map(|(name, value)| (name.clone(), value))).collect()
}

fn changes(old: &Map<String, Json>, new: &Map<String, Json>) -> Vec<Change> {
    let (before, after) = (members(old), members(new));
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    let mut changes: Vec<Change> = after
        .keys()
        .chain(removed)
        .filter(|name| before.get(*name) != after.get(*name))
        .map(|name| Change {
            name: name.clone(),
            old: before.get(name).map(|value| (*value).clone()),
            new: after.get(name).map(|value| (*value).clone()),
        })
        .collect();
    if changes.is_empty() && !before.keys().eq(after.keys()) {
        let names = |members: &IndexMap<String, &Json>| Json::from(members.keys().cloned().collect::<Vec<_>>());
        changes.push(Change { name: "(order)".to_owned(), old: Some(names(&before)), new: Some(names(&after)) });
    }
    changes
}

fn item(reference: &str, resource: Option<&Map<String, Json>>, changes: Vec<Change>) -> ResourceDiff {
    let location = resource.and_then(|resource| Some(resource.get("file")?.as_str()?.to_owned()));
    ResourceDiff { reference: reference.to_owned(), location, changes }
}

fn hunk(kind: Kind, item: ResourceDiff) -> Hunk {
    let reference = item.reference.clone();
    let parameters = match kind {
        Kind::Changed => item.changes.iter().map(|change| change.name.clone()).collect(),
        _ => Vec::new(),
    };
    let identity = groups::identity(kind.word(), &item);
    let mut diff = Diff::default();
    match kind {
        Kind::Added => diff.added.push(item),
        Kind::Removed => diff.removed.push(item),
        Kind::Changed | Kind::Whole => diff.changed.push(item),
    }
    Hunk { kind, reference, parameters, text: diff::render(&diff, false), location: None, identity }
}

fn catalog_hunks(old: &Json, new: &Json) -> Vec<Hunk> {
    let (before, after) = (resources(old), resources(new));
    let (old_edges, new_edges) = (edges(old), edges(new));
    // An edge to a resource that exists in both catalogs is a change of that resource; other edges are added and removed with
    // theirs.
    let mut moved: IndexMap<&str, (Vec<Json>, Vec<Json>)> = IndexMap::new();
    let shared = |target: &&str| before.contains_key(*target) && after.contains_key(*target);
    let source = |edge: &Json| edge.get("source").cloned().unwrap_or_default();
    for edge in list(new, "edges").iter().filter(|edge| !old_edges.contains_key(&canonical::print(edge))) {
        if shared(&target(edge)) {
            moved.entry(target(edge)).or_default().1.push(source(edge));
        }
    }
    for edge in list(old, "edges").iter().filter(|edge| !new_edges.contains_key(&canonical::print(edge))) {
        if shared(&target(edge)) {
            moved.entry(target(edge)).or_default().0.push(source(edge));
        }
    }
    let mut hunks = Vec::new();
    for (name, resource) in &after {
        let Some(earlier) = before.get(name) else {
            let parameters = members(resource).into_iter().filter(|(name, _)| !name.starts_with('('));
            let added = parameters.map(|(name, value)| Change { name, old: None, new: Some(value.clone()) }).collect();
            hunks.push(hunk(Kind::Added, item(name, Some(resource), added)));
            continue;
        };
        let mut changes = changes(earlier, resource);
        if let Some((old, new)) = moved.get(name.as_str()) {
            let ends = |ends: &[Json]| Some(Json::from(ends.to_vec()));
            changes.push(Change { name: "(edges)".to_owned(), old: ends(old), new: ends(new) });
        }
        if !changes.is_empty() {
            hunks.push(hunk(Kind::Changed, item(name, Some(resource), changes)));
        }
    }
    let removed = before.iter().filter(|(name, _)| !after.contains_key(*name));
    hunks.extend(removed.map(|(name, _)| hunk(Kind::Removed, item(name, None, Vec::new()))));
    let catalog_changes = catalog_changes(old, new, (&before, &after), (&old_edges, &new_edges));
    if !catalog_changes.is_empty() {
        hunks.push(hunk(Kind::Changed, item(CATALOG, None, catalog_changes)));
    }
    hunks
}

/// Changes outside of resources: members of the catalog, and the order of resources that both have.
fn catalog_changes(
    old: &Json,
    new: &Json,
    (before, after): (&Resources<'_>, &Resources<'_>),
    (old_edges, new_edges): (&IndexMap<String, &str>, &IndexMap<String, &str>),
) -> Vec<Change> {
    let member = |document: &Json| -> IndexMap<String, Json> {
        let members = document.as_object().into_iter().flatten();
        let members = members.filter(|(name, _)| *name != "resources" && *name != "edges");
        members.map(|(name, value)| (format!("({name})"), value.clone())).collect()
    };
    let (old_members, new_members) = (member(old), member(new));
    let names: IndexSet<&String> = new_members.keys().chain(old_members.keys()).collect();
    let mut changes: Vec<Change> = names
        .into_iter()
        .filter(|name| old_members.get(*name) != new_members.get(*name))
        .map(|name| Change {
            name: name.clone(),
            old: old_members.get(name).cloned(),
            new: new_members.get(name).cloned(),
        })
        .collect();
    let shared_old: Vec<&String> = before.keys().filter(|name| after.contains_key(*name)).collect();
    let shared_new: Vec<&String> = after.keys().filter(|name| before.contains_key(*name)).collect();
    if let Some((a, b)) = shared_old.iter().zip(&shared_new).find(|(a, b)| a != b) {
        let from = |name: &str| Some(Json::from(format!("from {name} on")));
        changes.push(Change { name: "(order of resources)".to_owned(), old: from(a), new: from(b) });
    }
    let shared_old = old_edges.keys().filter(|edge| new_edges.contains_key(*edge));
    let shared_new = new_edges.keys().filter(|edge| old_edges.contains_key(*edge));
    if !shared_old.eq(shared_new) {
        let text = |text: &str| Some(Json::from(text));
        changes.push(Change { name: "(order of edges)".to_owned(), old: text("as before"), new: text("different") });
    }
    changes
}

/// Selects parts of a change: resources, and single parameters of changed ones.
pub type TakenParts<'a> = dyn Fn(&str, Option<&str>) -> bool + 'a;

/// The accepted body with the parts of the new body that `take` selects.
#[must_use]
pub fn merge(old: Option<&str>, new: &str, take: &TakenParts<'_>) -> Option<String> {
    let parts = hunks(old, new);
    let taken = |hunk: &Hunk| match hunk.kind {
        Kind::Changed => hunk.parameters.iter().all(|name| take(&hunk.reference, Some(name))),
        _ => take(&hunk.reference, None),
    };
    if parts.iter().all(taken) {
        return Some(new.to_owned());
    }
    match (old.and_then(parse_catalog), parse_catalog(new)) {
        (Some(before), Some(after)) => {
            Some(canonical::print(&merge_catalogs(&before, &after, take)).trim_end().to_owned())
        }
        _ => old.map(str::to_owned),
    }
}

fn merge_catalogs(old: &Json, new: &Json, take: &TakenParts<'_>) -> Json {
    let (before, after) = (resources(old), resources(new));
    let mut result: IndexMap<String, Json> = IndexMap::new();
    for (name, resource) in &before {
        match after.get(name) {
            None if take(name, None) => {}
            None => drop(result.insert(name.clone(), Json::Object((*resource).clone()))),
            Some(later) => drop(result.insert(name.clone(), merge_resource(name, resource, later, take))),
        }
    }
    for (name, resource) in &after {
        if !before.contains_key(name) && take(name, None) {
            result.insert(name.clone(), Json::Object((*resource).clone()));
        }
    }
    let new_order = take(CATALOG, Some("(order of resources)"));
    let (first, second): (Vec<&String>, Vec<&String>) = if new_order {
        (after.keys().collect(), before.keys().collect())
    } else {
        (before.keys().collect(), after.keys().collect())
    };
    let order = interleave(&first, &second, &|name| result.contains_key(*name));
    let resources: Vec<Json> = order.into_iter().filter_map(|name| result.get(name).cloned()).collect();
    let mut document = Map::new();
    let names: IndexSet<&String> = [new, old].into_iter().filter_map(Json::as_object).flat_map(Map::keys).collect();
    for name in names {
        let value = match name.as_str() {
            "resources" => Some(Json::from(resources.clone())),
            "edges" => Some(Json::from(merge_edges(old, new, &result, take))),
            member if take(CATALOG, Some(&format!("({member})"))) => new.get(member).cloned(),
            member => old.get(member).cloned(),
        };
        if let Some(value) = value {
            document.insert(name.clone(), value);
        }
    }
    Json::Object(document)
}

/// A resource with the selected parameters.
fn merge_resource(name: &str, old: &Map<String, Json>, new: &Map<String, Json>, take: &TakenParts<'_>) -> Json {
    let differences: Vec<Change> = changes(old, new);
    if differences.iter().all(|change| take(name, Some(&change.name))) {
        return Json::Object(new.clone());
    }
    let (before, after) = (members(old), members(new));
    let taken = |member: &String| match differences.iter().any(|change| change.name == *member) {
        true if take(name, Some(member)) => after.get(member).copied(),
        _ => before.get(member).copied(),
    };
    let (first, second): (Vec<&String>, Vec<&String>) = (before.keys().collect(), after.keys().collect());
    let order = interleave(&first, &second, &|member| taken(member).is_some());
    let mut parameters = Map::new();
    let mut resource = Map::new();
    for member in order {
        let Some(value) = taken(member) else { continue };
        match member.strip_prefix('(').and_then(|name| name.strip_suffix(')')) {
            Some("sensitive_parameters") => {}
            Some(name) => drop(resource.insert(name.to_owned(), value.clone())),
            None => drop(parameters.insert(member.clone(), value.clone())),
        }
    }
    if !parameters.is_empty() {
        resource.insert("parameters".to_owned(), Json::Object(parameters));
    }
    if let Some(names) = taken(&"(sensitive_parameters)".to_owned()) {
        resource.insert("sensitive_parameters".to_owned(), names.clone());
    }
    Json::Object(resource)
}

fn merge_edges(old: &Json, new: &Json, result: &IndexMap<String, Json>, take: &TakenParts<'_>) -> Vec<Json> {
    let (before, after) = (resources(old), resources(new));
    let (old_edges, new_edges) = (edges(old), edges(new));
    let edges_by_string = |document: &'_ Json| -> IndexMap<String, Json> {
        list(document, "edges").iter().map(|edge| (canonical::print(edge), edge.clone())).collect()
    };
    let (old_documents, new_documents) = (edges_by_string(old), edges_by_string(new));
    let is_taken = |target: &str| {
        let shared = before.contains_key(target) && after.contains_key(target);
        take(target, shared.then_some("(edges)"))
    };
    let has_end = |edge: &Json, end: &str| {
        edge.get(end).and_then(Json::as_str).is_some_and(|reference| result.contains_key(reference))
    };
    let is_kept = |edge: &String| {
        let (Some(target), Some(document)) =
            (new_edges.get(edge).or(old_edges.get(edge)), new_documents.get(edge).or(old_documents.get(edge)))
        else {
            return false;
        };
        let is_selected = match (old_edges.contains_key(edge), new_edges.contains_key(edge)) {
            (true, true) => true,
            (true, false) => !is_taken(target),
            _ => is_taken(target),
        };
        is_selected && has_end(document, "source") && has_end(document, "target")
    };
    let (first, second): (Vec<&String>, Vec<&String>) = if take(CATALOG, Some("(order of edges)")) {
        (new_documents.keys().collect(), old_documents.keys().collect())
    } else {
        (old_documents.keys().collect(), new_documents.keys().collect())
    };
    let order = interleave(&first, &second, &|edge| is_kept(edge));
    order.into_iter().filter_map(|edge| new_documents.get(edge).or(old_documents.get(edge)).cloned()).collect()
}

/// The names of `base` that are kept, in its order, and those only in `added`, each after its predecessor there.
fn interleave<'a>(base: &[&'a String], added: &[&'a String], keep: &dyn Fn(&&'a String) -> bool) -> Vec<&'a String> {
    let base_names: IndexSet<&String> = base.iter().copied().collect();
    let mut following: IndexMap<Option<&String>, Vec<&'a String>> = IndexMap::new();
    let mut last = None;
    for name in added {
        if base_names.contains(name) {
            last = keep(name).then_some(*name).or(last);
        } else if keep(name) {
            following.entry(last).or_default().push(name);
        }
    }
    let mut order: Vec<&'a String> = following.get(&None).cloned().unwrap_or_default();
    for name in base.iter().filter(|name| keep(name)) {
        order.push(name);
        order.extend(following.get(&Some(*name)).into_iter().flatten());
    }
    order
}

#[cfg(test)]
mod tests;
