//! Resources that a resource generates during its evaluation: the files of a recursive directory
//! (Puppet::Transaction::AdditionalResourceGenerator#eval_generate).

use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use catwalk_resource_api::Level;

use crate::DeclaredResource;
use crate::ResourcePath;
use crate::Run;
use crate::item::Item;
use crate::status::Status;
use crate::transaction::Node;
use crate::transaction::Transaction;
use crate::transaction::subject;

impl Transaction<'_, '_> {
    /// Adds the children of a resource to the graph: its dependents depend on them, too.
    pub(super) fn generate_children(&mut self, node: usize, at: usize) {
        let children = self.children(at);
        if children.is_empty() {
            return;
        }
        let mut added: Vec<(usize, Arc<str>)> = Vec::new();
        for declared in children {
            let title = declared.title.clone();
            if let Some(child) = self.add_child(node, at, declared) {
                added.push((child, title));
            }
        }
        let nodes_of_children: FxHashSet<usize> = added.iter().map(|(child, _)| *child).collect();
        let by_title: FxHashMap<&str, usize> = added.iter().rev().map(|(child, title)| (&**title, *child)).collect();
        let is_child = |target: usize| nodes_of_children.contains(&target);
        let sentinel = self.graph.add_after(node);
        let (reference, tags) = (self.items[at].declared.title.clone(), self.items[at].tags.clone());
        self.add_node(sentinel, Node::Anchor { reference, is_end: true, tags });
        for (target, events) in self.graph.detach(node, is_child) {
            self.graph.connect(sentinel, target, events);
        }
        for (child, _) in &added {
            self.graph.connect(*child, sentinel, true);
        }
        self.graph.connect(node, sentinel, true);
        for (child, title) in &added {
            let ancestor = ancestors(title).find_map(|name| by_title.get(name).copied());
            self.graph.connect(ancestor.unwrap_or(node), *child, false);
        }
        let children = added.iter().map(|(child, _)| *child).chain([sentinel]).collect::<Vec<_>>();
        children.into_iter().for_each(|child| self.graph.make_ready(child));
    }

    fn children(&mut self, at: usize) -> Vec<DeclaredResource> {
        let noop = self.is_noop(at);
        let item = &mut self.items[at];
        self.recorder.subject = Some(subject(item));
        let Some(managed) = item.managed.as_mut() else { return Vec::new() };
        let mut run = Run {
            system: self.system,
            log: &mut self.recorder,
            secrets: self.secrets,
            strict: self.options.strict,
            noop,
            path: item.path.clone(),
        };
        match managed.children(&mut run) {
            Ok(children) => children,
            Err(failure) => {
                self.outcome.failed_to_generate = true;
                let text =
                    format!("Failed to generate additional resources using 'eval_generate': {}", failure.message);
                self.log(at, Level::Err, &text);
                Vec::new()
            }
        }
    }

    /// Adds a child and returns its node, or returns the node of the catalog's resource with the same name.
    fn add_child(&mut self, node: usize, at: usize, declared: DeclaredResource) -> Option<usize> {
        let name = (declared.type_name, declared.title.clone());
        if let Some(position) = self.names.get(&name) {
            return self.item_nodes.get(*position).copied();
        }
        let parent = &self.items[at];
        let reference: Arc<str> = Arc::from(format!("{}[{}]", declared.type_name.capitalized(), declared.title));
        let (kind, traits) = self.kinds.get_with_traits(declared.type_name);
        let item = Item {
            meta: parent.meta.clone(),
            relations: indexmap::IndexMap::new(),
            path: ResourcePath::default(),
            reference,
            tags: parent.tags.clone(),
            is_container: false,
            is_deferred: false,
            name: None,
            kind: Some(kind),
            traits,
            managed: None,
            status: Status::new(self.clock.now()),
            parent: parent.parent,
            generator: None,
            // No manifest declares the child.
            declared: DeclaredResource { position: None, ..declared },
        };
        let new = self.items.len();
        self.items.push(item);
        self.set_path(new);
        match self.prepare_item(new) {
            Ok(managed) => self.items[new].managed = Some(managed),
            Err(errors) => {
                self.outcome.failed_to_generate = true;
                errors.iter().for_each(|error| self.log(at, Level::Err, error));
                self.items.pop();
                return None;
            }
        }
        let child = self.graph.add_after(node);
        self.add_node(child, Node::Resource(new));
        self.item_nodes.push(child);
        self.names.insert(name, new);
        Some(child)
    }

    fn add_node(&mut self, at: usize, node: Node) {
        self.nodes.resize(at + 1, Node::Replaced);
        self.nodes[at] = node;
        self.queues.resize(at + 1, Vec::new());
        self.failed.resize(at + 1, None);
    }
}

/// The paths of the directories that contain a path, the nearest first.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rfind('/').map(|end| &path[..end]), |path| path.rfind('/').map(|end| &path[..end]))
}
