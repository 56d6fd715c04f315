//! Edges that only one of two catalogs has: containment, and relationships with how they were declared.
//!
//! In: the edges of two documents, relationship parameters of resources that differ, the origins of relationships in a catalog. Out:
//! [`Edge`]s. Must not: compare resources.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::collections::HashSet;

use serde_json::Value;
use serde_json::json;

use crate::diff::Resources;
use crate::diff::location;
use crate::graph::Reasons;
use crate::graph::position;
use crate::metaparameters::CONTAINS;
use crate::metaparameters::RELATIONSHIPS;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_catalog::Order;
use catwalk_catalog::Origin;
use catwalk_catalog::is_forward;
use catwalk_catalog::split_reference;

/// An edge that only one of two catalogs has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The container, or the resource that is applied first: `Type[title]`.
    pub source: String,
    /// The contained resource, or the resource that is applied later.
    pub target: String,
    /// `contains`, or the metaparameter: `before`, `notify`, `require` or `subscribe`.
    pub relationship: String,
    /// How the relationship was declared. `None`: containment, or a catalog from a file, in which arrows are parameters too.
    pub origin: Option<Origin>,
    /// Where it was declared: `file:line`. For containment or if unknown: where the contained resource, or the resource that has the
    /// parameter, is declared.
    pub location: Option<String>,
}

impl Edge {
    /// Creates an edge. `locate` returns the location of a resource's declaration. PuppetDB's names of relationships are converted to
    /// metaparameters.
    #[must_use]
    pub fn new(source: &str, relationship: &str, target: &str, locate: impl Fn(&str) -> Option<String>) -> Edge {
        let parameter = RELATIONSHIPS.iter().find(|(_, edge)| *edge == relationship).map(|(name, _)| *name);
        let relationship = parameter.unwrap_or(relationship);
        let owner = if is_forward(relationship) { source } else { target };
        Edge {
            source: source.to_owned(),
            target: target.to_owned(),
            relationship: relationship.to_owned(),
            origin: None,
            location: locate(owner),
        }
    }

    /// `Class[A] contains File[/a]`, `File[/a] before File[/b]: 'require' of File[/b]`.
    #[must_use]
    pub fn description(&self) -> String {
        let Edge { source, target, relationship, .. } = self;
        let verb = match &**relationship {
            "require" => "before",
            "notify" | "subscribe" => "notifies",
            other => other,
        };
        let owner = if is_forward(relationship) { source } else { target };
        match RELATIONSHIPS.iter().any(|(name, _)| name == relationship) {
            true => {
                let how = self.origin.unwrap_or(Origin::Parameter).describe(relationship, owner);
                format!("{source} {verb} {target}: {how}")
            }
            false => format!("{source} {verb} {target}"),
        }
    }

    /// The edge as JSON, with its location shortened by `shorten`.
    #[must_use]
    pub fn to_json<'a>(&'a self, shorten: impl Fn(&'a str) -> &'a str) -> Value {
        let origin = match self.origin {
            None if self.relationship == CONTAINS => Some("containment"),
            origin => origin.map(Origin::as_str),
        };
        json!({
            "source": self.source,
            "target": self.target,
            "relationship": self.relationship,
            "origin": origin,
            "place": self.location.as_deref().map(shorten),
        })
    }
}

/// The edges that only the first document has and whose ends are in both documents. Other edges follow from added and removed resources.
pub(super) fn only_in<'a>(
    (document, resources): (&'a Value, &Resources<'a>),
    (other_document, others): (&'a Value, &Resources<'a>),
) -> Vec<Edge> {
    let (edges, other_edges) = (comparable_edges(document, others), comparable_edges(other_document, resources));
    let locate = |reference: &str| resources.get(reference).copied().and_then(location);
    edges.difference(&other_edges).map(|(source, kind, target)| Edge::new(source, kind, target, locate)).collect()
}

/// Source, relationship and target of the edges whose ends are also in another catalog.
fn comparable_edges<'a>(document: &'a Value, other: &Resources<'_>) -> HashSet<(&'a str, &'a str, &'a str)> {
    let list = document.get("edges").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter()
        .filter_map(|edge| {
            let source = edge.get("source")?.as_str()?;
            let target = edge.get("target")?.as_str()?;
            let relationship = edge.get("relationship").and_then(Value::as_str).unwrap_or(CONTAINS);
            let both = other.contains_key(source) && other.contains_key(target);
            both.then_some((source, relationship, target))
        })
        .collect()
}

/// The relationships that a resource's parameters declare, without those of the same resource in the other catalog. `is_compared` returns
/// whether relationships to a resource are compared.
pub(super) fn new_relationships(
    reference: &str,
    (resource, other): (&Value, &Value),
    is_compared: impl Fn(&str) -> bool,
) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (parameter, _) in RELATIONSHIPS {
        let references_of = |resource: &'_ Value| {
            let mut names = Vec::new();
            if let Some(value) = resource.get("parameters").and_then(|all| all.get(parameter)) {
                add_references(value, &mut names);
            }
            names.into_iter().map(str::to_owned).collect::<Vec<String>>()
        };
        let earlier: HashSet<String> = references_of(other).into_iter().collect();
        let mut seen = HashSet::new();
        for name in references_of(resource) {
            if earlier.contains(&name) || !is_compared(&name) || !seen.insert(name.clone()) {
                continue;
            }
            let (source, target) = if is_forward(parameter) { (reference, &*name) } else { (&*name, reference) };
            edges.push(Edge::new(source, parameter, target, |_| location(resource)));
        }
    }
    edges
}

/// Adds the references in the value of a relationship parameter.
fn add_references<'a>(value: &'a Value, names: &mut Vec<&'a str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| add_references(item, names)),
        Value::String(name) if name.ends_with(']') && name.contains('[') => names.push(name),
        _ => {}
    }
}

/// Adds the origins of relationships that a catalog contains. The edges were compared without these secrets.
pub(super) fn add_origins(edges: &mut [Edge], catalog: &Catalog, secrets: &Secrets) {
    if catalog.origins.is_empty() || edges.iter().all(|edge| edge.relationship == CONTAINS) {
        return;
    }
    let order = Order::new(catalog);
    let reasons = Reasons::new(catalog, &order);
    let redacted = LazyCell::new(|| redacted_references(catalog, secrets));
    let find = |reference: &str| {
        let index = split_reference(reference).and_then(|(kind, title)| order.find(kind, title));
        index.or_else(|| redacted.get(reference).copied().flatten())
    };
    for edge in edges {
        let Some(ends) = find(&edge.source).zip(find(&edge.target)) else { continue };
        if let Some(declared) = reasons.origin(ends, &edge.relationship) {
            edge.origin = Some(declared.origin);
            let location = position(declared.position.as_ref().map(|(file, line)| (file, *line)));
            edge.location = location.or_else(|| edge.location.take());
        }
    }
}

/// The resources with secrets in their titles, by their references without secrets; `None` if several resources have the same.
fn redacted_references(catalog: &Catalog, secrets: &Secrets) -> HashMap<String, Option<usize>> {
    let mut references = HashMap::new();
    for (at, resource) in catalog.resources.iter().enumerate() {
        if let Some(title) = secrets.replace(&resource.title) {
            let reference = format!("{}[{title}]", resource.type_name);
            references.entry(reference).and_modify(|index| *index = None).or_insert(Some(at));
        }
    }
    references
}
