//! The difference between two catalogs of a node.
//!
//! In: two native catalog documents without secrets. Out: a [`Diff`]: resources added, removed and changed, with parameters and line
//! diffs. Must not: depend on how catalogs are compiled. It compares documents, not [`catwalk_catalog::Catalog`]s, so that any
//! catalog file can be compared.

pub mod comparable;
mod edges;
pub mod groups;
pub mod rules;
mod text;

use indexmap::IndexMap;
use serde_json::Value;

use crate::diff::comparable::Form;
use catwalk_base::secrets::Redacted;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;

pub use crate::metaparameters::CONTAINS;
pub use edges::Edge;
pub use text::render;

/// The value of a parameter before and after. `None`: it is not set.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The parameter's name, or `(tags)` or `(exported)`.
    pub name: String,
    /// The value in the old catalog.
    pub old: Option<Value>,
    /// The value in the new catalog.
    pub new: Option<Value>,
}

/// A resource with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceDiff {
    /// `Type[title]`
    pub reference: String,
    /// Where it is declared: `file:line`.
    pub location: Option<String>,
    /// All parameters of an added or removed resource; the changed parameters of others.
    pub changes: Vec<Change>,
}

/// The difference of two catalogs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff {
    /// Resources only in the new catalog, in its order.
    pub added: Vec<ResourceDiff>,
    /// Resources only in the old catalog, in its order.
    pub removed: Vec<ResourceDiff>,
    /// Resources that differ, in the new catalog's order.
    pub changed: Vec<ResourceDiff>,
    /// Edges only in the new catalog whose ends are in both catalogs, sorted.
    pub edges_added: Vec<Edge>,
    /// Edges only in the old catalog whose ends are in both catalogs, sorted.
    pub edges_removed: Vec<Edge>,
}

impl Diff {
    /// Whether the catalogs are equal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && self.edges_added.is_empty()
            && self.edges_removed.is_empty()
    }

    /// Adds to edges how and where they were declared, if the catalogs contain this.
    pub fn add_origins(&mut self, old: Option<&Catalog>, new: Option<&Catalog>) {
        let secrets = match (old, new) {
            (Some(old), Some(new)) => old.secrets.union(&new.secrets, new.secrets.key()),
            (old, new) => old.or(new).map(|catalog| Secrets::clone(&catalog.secrets)).unwrap_or_default(),
        };
        for (edges, catalog) in [(&mut self.edges_removed, old), (&mut self.edges_added, new)] {
            if let Some(catalog) = catalog {
                edges::add_origins(edges, catalog, &secrets);
            }
        }
    }

    /// Sorts the edges.
    pub fn sort_edges(&mut self) {
        self.edges_added.sort_unstable();
        self.edges_removed.sort_unstable();
    }
}

type Resources<'a> = IndexMap<String, &'a Value>;

/// Compares two catalogs of the same form. The order of resources, files and lines are ignored. Relationships are edges in PuppetDB's
/// documents, and parameters in native ones.
#[must_use]
pub fn diff(old: &Redacted, new: &Redacted, form: Form) -> Diff {
    let (before, after) = (resources(old), resources(new));
    let mut result = Diff::default();
    for (reference, resource) in &after {
        match before.get(reference) {
            None => result.added.push(whole_resource(reference, resource, true)),
            Some(earlier) if is_same(earlier, resource) => {}
            Some(earlier) => {
                let changes = changes(&attributes(earlier), &attributes(resource));
                if form == Form::Native {
                    // Relationships with added and removed resources are not listed, since they follow from these resources.
                    let is_compared = |name: &str| before.contains_key(name) == after.contains_key(name);
                    result.edges_added.extend(edges::new_relationships(reference, (resource, earlier), is_compared));
                    result.edges_removed.extend(edges::new_relationships(reference, (earlier, resource), is_compared));
                }
                if !changes.is_empty() {
                    result.changed.push(ResourceDiff {
                        reference: reference.clone(),
                        location: location(resource),
                        changes,
                    });
                }
            }
        }
    }
    let removed = before.iter().filter(|(reference, _)| !after.contains_key(*reference));
    result.removed = removed.map(|(reference, resource)| whole_resource(reference, resource, false)).collect();
    result.edges_added.extend(edges::only_in((new, &after), (old, &before)));
    result.edges_removed.extend(edges::only_in((old, &before), (new, &after)));
    result.sort_edges();
    result
}

/// Whether two resources have equal parameters, flags, and tags in the same order. Detects the common case without copying.
fn is_same(earlier: &Value, resource: &Value) -> bool {
    let has_parameters = |resource: &Value| {
        let all = resource.get("parameters").and_then(Value::as_object);
        all.is_some_and(|all| !all.is_empty())
    };
    let is_exported = |resource: &Value| resource.get("exported").and_then(Value::as_bool) == Some(true);
    let is_equal = |name: &str| earlier.get(name) == resource.get(name);
    is_equal("tags")
        && is_exported(earlier) == is_exported(resource)
        && (is_equal("parameters") || (!has_parameters(earlier) && !has_parameters(resource)))
}

/// An added or removed resource with all its parameters.
fn whole_resource(reference: &str, resource: &Value, added: bool) -> ResourceDiff {
    let changes = attributes(resource)
        .into_iter()
        .filter(|(name, _)| name != "(tags)")
        .map(|(name, value)| {
            let (old, new) = if added { (None, Some(value)) } else { (Some(value), None) };
            Change { name, old, new }
        })
        .collect();
    ResourceDiff { reference: reference.to_owned(), location: location(resource), changes }
}

fn changes(old: &IndexMap<String, Value>, new: &IndexMap<String, Value>) -> Vec<Change> {
    let mut names: Vec<&String> = new.keys().chain(old.keys().filter(|name| !new.contains_key(*name))).collect();
    names.sort();
    names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| Change { name: name.clone(), old: old.get(name).cloned(), new: new.get(name).cloned() })
        .collect()
}

fn resources(catalog: &Value) -> Resources<'_> {
    let list = catalog.get("resources").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter()
        .map(|resource| {
            let string = |key: &str| resource.get(key).and_then(Value::as_str).unwrap_or_default();
            (format!("{}[{}]", string("type"), string("title")), resource)
        })
        .collect()
}

/// The parts of a resource that are compared: parameters, sorted tags, flags.
fn attributes(resource: &Value) -> IndexMap<String, Value> {
    let mut attributes: IndexMap<String, Value> = IndexMap::new();
    if let Some(parameters) = resource.get("parameters").and_then(Value::as_object) {
        for (name, value) in parameters {
            attributes.insert(name.clone(), value.clone());
        }
    }
    if let Some(tags) = resource.get("tags").and_then(Value::as_array) {
        let mut tags: Vec<&str> = tags.iter().filter_map(Value::as_str).collect();
        tags.sort_unstable();
        attributes.insert("(tags)".to_owned(), Value::from(tags));
    }
    if resource.get("exported").and_then(Value::as_bool) == Some(true) {
        attributes.insert("(exported)".to_owned(), Value::Bool(true));
    }
    attributes
}

/// The declaration of a resource: `file:line`.
fn location(resource: &Value) -> Option<String> {
    let file = resource.get("file")?.as_str()?;
    Some(format!("{file}:{}", resource.get("line")?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;
    use catwalk_base::secrets::Key;

    fn catalog(resources: Value) -> Redacted {
        Redacted::from_document(json!({"resources": resources, "edges": []}), &Key::from_bytes(&[1; 32]))
    }

    #[test]
    fn added_removed_and_changed_resources_are_listed() {
        let old = catalog(json!([
            {"type": "File", "title": "/a", "tags": ["file"], "parameters": {"mode": "0644", "content": "one\ntwo\n"}},
            {"type": "File", "title": "/gone", "tags": ["file"]},
        ]));
        let new = catalog(json!([
            {"type": "File", "title": "/a", "tags": ["file"], "line": 7, "parameters": {"mode": "0644", "content": "one\n2\n"}},
            {"type": "Notify", "title": "hello", "tags": ["notify"], "file": "/site.pp", "line": 3},
        ]));
        let diff = diff(&old, &new, Form::Native);
        insta::assert_snapshot!(render(&diff, false), @r"
        + Notify[hello]  (/site.pp:3)
        - File[/gone]
        ~ File[/a]
            content:
                one
              - two
              + 2
        ");
    }

    #[test]
    fn position_and_order_are_ignored() {
        let old = catalog(json!([{"type": "A", "title": "1", "line": 1}, {"type": "A", "title": "2"}]));
        let new = catalog(json!([{"type": "A", "title": "2"}, {"type": "A", "title": "1", "line": 9}]));
        assert!(diff(&old, &new, Form::Native).is_empty());
    }

    #[test]
    fn a_secret_is_compared_but_not_shown() {
        let with = |secret: &str| {
            catalog(json!([{"type": "U", "title": "x", "parameters": {"password": secret},
                "sensitive_parameters": ["password"]}]))
        };
        let text = render(&diff(&with("hunter2"), &with("hunter3"), Form::Native), false);
        assert!(!text.contains("hunter"), "{text}");
        assert!(text.contains("password"), "{text}");
    }
}
