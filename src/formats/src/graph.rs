//! A catalog as a graph to look at: resources within their containers, relationships with their origins.
//!
//! In: a catalog. Out: a [`Graph`], also as a self-contained HTML page, with secrets in titles replaced. Must not: depend on how
//! relationships are written in manifests.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value as Json;
use serde_json::json;

use catwalk_base::secrets::Redacted;
use catwalk_catalog::Catalog;
use catwalk_catalog::Order;
use catwalk_catalog::Origin;
use catwalk_catalog::RelationshipOrigin;

/// The HTML page without data.
const PAGE: &str = include_str!("graph/page.html");
/// The placeholder in [`PAGE`] that is replaced by the data.
const DATA: &str = "/*DATA*/null";

/// A resource in the graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// `File[/etc/motd]`
    pub reference: String,
    /// The index of the container.
    pub container: Option<usize>,
    /// Where it is declared: `site.pp:3`.
    pub position: Option<String>,
}

/// A relationship.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The index of the resource that is applied first.
    pub source: usize,
    /// The index of the resource that is applied later.
    pub target: usize,
    /// `before`, `notify`, `require` or `subscribe`; `autorequire` and so on if a resource type implies it.
    pub parameter: &'static str,
    /// How it was declared: `require of File[/x]`, `an arrow`.
    pub reason: String,
    /// Where it was declared: `site.pp:3`.
    pub position: Option<String>,
}

/// A graph of resources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// The node of the catalog.
    pub certname: String,
    /// The resources in the catalog's order.
    pub nodes: Vec<Node>,
    /// The relationships, without containment.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// The graph of a catalog.
    #[must_use]
    pub fn from_catalog(catalog: &Catalog) -> Graph {
        let redacted = |string: String| match Redacted::new(Json::from(string), &catalog.secrets).into_inner() {
            Json::String(string) => string,
            other => other.to_string(),
        };
        let mut nodes: Vec<Node> = catalog
            .resources
            .iter()
            .map(|resource| Node {
                reference: redacted(resource.reference()),
                container: None,
                position: position(resource.file.as_ref().zip(resource.line)),
            })
            .collect();
        for (container, contained) in &catalog.edges {
            if let Some(node) = nodes.get_mut(*contained) {
                node.container.get_or_insert(*container);
            }
        }
        let order = Order::new(catalog);
        let reasons = Reasons::new(catalog, &order);
        let mut edges = Vec::new();
        for source in 0..nodes.len() {
            for (target, parameter) in order.after(source) {
                let (reason, position) = reasons.describe((source, target), parameter);
                edges.push(Edge { source, target, parameter, reason: redacted(reason), position });
            }
        }
        Graph { certname: catalog.name.to_string(), nodes, edges }
    }

    /// The graph as an HTML page.
    #[must_use]
    pub fn page(&self) -> String {
        let nodes: Vec<Json> =
            self.nodes.iter().map(|node| json!([node.reference, node.container, node.position])).collect();
        let edges: Vec<Json> = self
            .edges
            .iter()
            .map(|edge| json!([edge.source, edge.target, edge.parameter, edge.reason, edge.position]))
            .collect();
        let data = json!({ "certname": self.certname, "nodes": nodes, "edges": edges });
        // Escape `<`, so that no string can end the script.
        PAGE.replacen(DATA, &data.to_string().replace('<', "\\u003c"), 1)
    }
}

pub(crate) fn position(location: Option<(&Arc<str>, u32)>) -> Option<String> {
    location.map(|(file, line)| format!("{file}:{line}"))
}

/// How and where relationships were declared.
pub struct Reasons<'a> {
    catalog: &'a Catalog,
    /// By the index of the resource that has the parameter, the parameter, and the index of the other resource.
    origins: HashMap<(usize, &'a str, usize), &'a RelationshipOrigin>,
}

impl<'a> Reasons<'a> {
    /// Collects the origins of a catalog's relationships.
    #[must_use]
    pub fn new(catalog: &'a Catalog, order: &Order<'_>) -> Reasons<'a> {
        let key = |origin: &'a RelationshipOrigin| {
            let (type_name, title) = catwalk_catalog::split_reference(&origin.target)?;
            Some(((origin.owner, origin.parameter, order.find(type_name, title)?), origin))
        };
        // Reversed, so that of several origins the first is inserted last and remains.
        Reasons { catalog, origins: catalog.origins.iter().rev().filter_map(key).collect() }
    }

    /// The origin of a relationship. `None`: the catalog does not contain it.
    #[must_use]
    pub fn origin(&self, (source, target): (usize, usize), parameter: &str) -> Option<&'a RelationshipOrigin> {
        let (owner, other) = if catwalk_catalog::is_forward(parameter) { (source, target) } else { (target, source) };
        self.origins.get(&(owner, parameter, other)).copied()
    }

    /// How a relationship was declared, with file and line: those of its origin if known, otherwise those of the resource that has the
    /// parameter.
    #[must_use]
    pub fn describe(&self, (source, target): (usize, usize), parameter: &str) -> (String, Option<String>) {
        let owner = if catwalk_catalog::is_forward(parameter) { source } else { target };
        let resource = self.catalog.resources.get(owner);
        let reference = resource.map_or_else(String::new, |owner| owner.reference());
        match self.origin((source, target), parameter) {
            Some(RelationshipOrigin { origin, position: at, .. }) => {
                (origin.describe(parameter, &reference), position(at.as_ref().map(|(file, line)| (file, *line))))
            }
            None => {
                let declared = resource.and_then(|owner| owner.file.as_ref().zip(owner.line));
                (Origin::Parameter.describe(parameter, &reference), position(declared))
            }
        }
    }
}
