//! Builds the graph of a run from the relationships in a catalog.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_resource_api::Relation;
use catwalk_value::Value;

use crate::graph::Link;
use crate::graph::build_with_anchors;
use crate::graph::cycles;
use crate::graph::for_each_reference;
use crate::graph::shortest_cycle;
use crate::status::Event;
use crate::status::EventStatus;
use crate::transaction::Node;
use crate::transaction::Transaction;

/// Items by type and by the names that references use.
pub(super) type Names = HashMap<(Name, Arc<str>), usize, FxBuildHasher>;

/// The metaparameters of relationships in Puppet's order: whether the other resource comes first, and whether events are propagated.
const RELATIONSHIPS: [(&str, bool, bool); 4] =
    [("require", true, false), ("subscribe", true, true), ("before", false, false), ("notify", false, true)];

impl Transaction<'_, '_> {
    /// Builds the graph.
    ///
    /// # Errors
    /// A relationship refers to a resource that does not exist, or there is a dependency cycle.
    pub(super) fn relate(&mut self, _catalog: &Catalog) -> Result<(), String> {
        let names = self.names();
        let links = self.links(&names)?;
        let automatic = self.automatic_links(&names);
        let is_container: Vec<bool> = self.items.iter().map(|item| item.is_container).collect();
        let containment: Vec<(usize, usize)> =
            self.items.iter().enumerate().filter_map(|(at, item)| Some((item.parent?, at))).collect();
        let mut skipped = Vec::new();
        let (graph, anchors) =
            build_with_anchors(&is_container, &containment, &links, &automatic, |link| skipped.push(link));
        for link in skipped {
            let text = format!("Skipping automatic relationship with {}", self.items[link.first].reference);
            self.log(link.then, Level::Debug, &text);
        }
        self.graph = graph;
        self.names = names;
        self.item_nodes = (0..self.items.len()).collect();
        let mut nodes = vec![Node::Replaced; self.graph.len()];
        for (at, item) in self.items.iter().enumerate() {
            match anchors.get(at).copied().flatten() {
                None => nodes[at] = Node::Resource(at),
                Some(anchors) => {
                    for (node, is_end) in [(anchors.admissible, false), (anchors.completed, true)] {
                        nodes[node] =
                            Node::Anchor { reference: item.reference.clone(), is_end, tags: item.tags.clone() };
                    }
                }
            }
        }
        self.nodes = nodes;
        self.refuse_cycles()
    }

    fn names(&self) -> Names {
        let mut names = Names::with_capacity_and_hasher(self.items.len() * 2, FxBuildHasher);
        for (at, item) in self.items.iter().enumerate() {
            let title = match item.declared.type_name.as_str() {
                "class" => Arc::from(item.declared.title.trim_start_matches("::").to_lowercase()),
                _ => item.declared.title.clone(),
            };
            names.insert((item.declared.type_name, title), at);
        }
        for (at, item) in self.items.iter().enumerate() {
            let alias = item.relations.get(&catwalk_base::name!("alias"));
            let mut aliases = Vec::new();
            match alias {
                Some(Value::Array(items)) => aliases.extend(items.iter().filter_map(Value::as_str).map(Arc::from)),
                Some(value) => aliases.extend(value.as_str().map(Arc::from)),
                None => {}
            }
            aliases.extend(item.name.clone());
            for alias in aliases {
                names.entry((item.declared.type_name, alias)).or_insert(at);
            }
        }
        names
    }

    fn links(&self, names: &Names) -> Result<Vec<Link>, String> {
        let (mut links, mut missing, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for (at, item) in self.items.iter().enumerate() {
            for (parameter, is_first, events) in RELATIONSHIPS {
                let Some(value) = item.relations.get(&Name::new(parameter)) else { continue };
                let mut find_link = |type_name: Name, title: &str| match find(names, type_name, title) {
                    Some(other) => {
                        let (first, then) = if is_first { (other, at) } else { (at, other) };
                        links.push(Link { first, then, events });
                    }
                    None => {
                        let role = if is_first { "dependency" } else { "dependent" };
                        let reference = format!("{}[{title}]", type_name.capitalized());
                        missing.push(format!("Could not find {role} {reference} for {}", item.reference));
                    }
                };
                for_each_reference(value, &mut find_link, &mut |value| {
                    let value = catwalk_value::ruby::inspect(value);
                    let text = format!("No title provided and {value} is not a valid resource reference");
                    wrong.push(format!("Parameter {parameter} failed on {}: {text}", item.reference));
                });
            }
            if let Some(generator) = self.generator(at) {
                links.push(Link { first: generator, then: at, events: false });
            }
        }
        wrong.append(&mut missing);
        if wrong.is_empty() { Ok(links) } else { Err(wrong.join("\n")) }
    }

    fn automatic_links(&mut self, names: &Names) -> Vec<Link> {
        let mut links = Vec::new();
        for at in 0..self.items.len() {
            if self.items[at].is_deferred {
                self.with_known_values(at, |managed| add_automatic(managed, at, names, &mut links));
            } else if let Some(managed) = &self.items[at].managed {
                add_automatic(managed.as_ref(), at, names, &mut links);
            }
        }
        links
    }

    /// Calls `body` with the resource prepared without its deferred values, if that is possible.
    fn with_known_values(&mut self, at: usize, mut body: impl FnMut(&dyn crate::ManagedResource)) {
        let full = self.items[at].declared.parameters.clone();
        self.items[at].declared.parameters.retain(|_, value| !crate::item::is_deferred(value));
        if let Ok(managed) = self.prepare_item(at) {
            body(managed.as_ref());
        }
        self.items[at].declared.parameters = full;
    }

    fn refuse_cycles(&mut self) -> Result<(), String> {
        let mut cycles = cycles(&self.graph);
        if cycles.is_empty() {
            return Ok(());
        }
        for cycle in &mut cycles {
            cycle.sort_by_key(|node| self.sort_key(*node));
        }
        cycles.sort_by_key(|cycle| cycle.iter().map(|node| self.sort_key(*node)).collect::<Vec<_>>());
        let plural = if cycles.len() == 1 { "" } else { "s" };
        let mut text = format!("Found {} dependency cycle{plural}:\n", cycles.len());
        for cycle in &cycles {
            let names = shortest_cycle(&self.graph, cycle).into_iter().map(|node| self.reference(node));
            text.push_str(&format!("({})\n", names.map(|name| name.to_string()).collect::<Vec<_>>().join(" => ")));
        }
        self.recorder.log(Level::Err, None, text.trim_end());
        for node in cycles.into_iter().flatten() {
            if let Some(Node::Resource(at)) = self.nodes.get(node) {
                let message = "resource is part of a dependency cycle".to_owned();
                let event = Event::for_resource("resource_error", EventStatus::Failure, message, self.clock.now());
                self.items[*at].status.add(event);
                self.evaluated.push(*at);
            }
        }
        Err("Failed to apply catalog: One or more resource dependency cycles detected in graph".to_owned())
    }

    /// Names by which Puppet sorts the members of a cycle.
    fn sort_key(&self, node: usize) -> String {
        match self.nodes.get(node) {
            Some(Node::Anchor { reference, is_end, .. }) => {
                format!("Whit[{}_{reference}]", if *is_end { "Completed" } else { "Admissible" })
            }
            _ => self.reference(node).to_string(),
        }
    }
}

fn add_automatic(managed: &dyn crate::ManagedResource, at: usize, names: &Names, links: &mut Vec<Link>) {
    let mut relations = managed.auto_relations();
    // Puppet's order: of several relationships of the same resources, the first one is used.
    relations.sort_by_key(|(relation, ..)| match relation {
        Relation::Require => 0,
        Relation::Subscribe => 1,
        Relation::Before => 2,
        Relation::Notify => 3,
    });
    for (relation, type_name, title) in relations {
        let Some(other) = find(names, type_name.normalized(), &title).filter(|other| *other != at) else { continue };
        let (first, then) = match relation {
            Relation::Require | Relation::Subscribe => (other, at),
            Relation::Before | Relation::Notify => (at, other),
        };
        links.push(Link { first, then, events: matches!(relation, Relation::Subscribe | Relation::Notify) });
    }
}

fn find(names: &Names, type_name: Name, title: &str) -> Option<usize> {
    let title = match type_name.as_str() {
        "class" => title.trim_start_matches("::").to_lowercase(),
        "file" if title.len() > 1 => title.trim_end_matches('/').to_owned(),
        _ => title.to_owned(),
    };
    names.get(&(type_name, Arc::from(title))).copied()
}
