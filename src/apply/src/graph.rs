//! The dependency graph of a run: the order of its resources, and which of them a change refreshes
//! (Puppet::Graph::RelationshipGraph).
//!
//! Nodes are numbers. Of the nodes without pending dependencies, the one with the lowest priority comes first. Priorities follow the
//! manifest; generated resources come right after their generator.

mod build;
mod cycles;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

pub(crate) use build::Link;
pub(crate) use build::build_with_anchors;
pub(crate) use build::for_each_reference;
pub(crate) use cycles::cycles;
pub(crate) use cycles::shortest_cycle;

/// A position in the order; the further parts of a generated node's priority order it within its generator.
pub(crate) type Priority = Vec<u32>;

type Neighbours = IndexMap<usize, Vec<bool>, FxBuildHasher>;

/// Nodes with edges. An edge has a flag: whether it propagates events.
#[derive(Default)]
pub(crate) struct Graph {
    outgoing: Vec<Neighbours>,
    incoming: Vec<IndexMap<usize, (), FxBuildHasher>>,
    priorities: Vec<Priority>,
    pending_dependencies: Vec<usize>,
    done: Vec<bool>,
    ready: BTreeMap<Priority, usize>,
    /// For each generator, the priority of the last node that it generated.
    generated: IndexMap<usize, u32, FxBuildHasher>,
}

impl Graph {
    /// Adds a node with a priority.
    pub(crate) fn add(&mut self, priority: Priority) -> usize {
        self.outgoing.push(Neighbours::default());
        self.incoming.push(IndexMap::default());
        self.priorities.push(priority);
        self.pending_dependencies.push(0);
        self.done.push(false);
        self.outgoing.len() - 1
    }

    /// Adds a generated node; it is evaluated after its generator and the nodes generated earlier.
    pub(crate) fn add_after(&mut self, generator: usize) -> usize {
        let mut priority = self.priority(generator);
        let next = self.generated.entry(generator).or_insert(0);
        *next += 1;
        priority.push(*next);
        self.add(priority)
    }

    /// Excludes a node from the order: [`Graph::next`] never returns it.
    pub(crate) fn exclude(&mut self, node: usize) {
        if let Some(done) = self.done.get_mut(node) {
            *done = true;
        }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.outgoing.len()
    }

    pub(crate) fn priority(&self, node: usize) -> Priority {
        self.priorities.get(node).cloned().unwrap_or_default()
    }

    /// Adds an edge: the second node is evaluated after the first, and refreshed by its changes if `events` is set.
    pub(crate) fn connect(&mut self, first: usize, then: usize, events: bool) {
        let (Some(out), Some(into)) = (self.outgoing.get_mut(first), self.incoming.get_mut(then)) else { return };
        out.entry(then).or_default().push(events);
        let is_new = into.insert(first, ()).is_none();
        if is_new && self.done.get(first) == Some(&false) {
            if let Some(waiting) = self.pending_dependencies.get_mut(then) {
                *waiting += 1;
            }
            let priority = self.priority(then);
            self.ready.remove(&priority);
        }
    }

    /// Removes and returns the edges that start at a node, except those to nodes for which `keep` is true.
    pub(crate) fn detach(&mut self, node: usize, keep: impl Fn(usize) -> bool) -> Vec<(usize, bool)> {
        let Some(out) = self.outgoing.get_mut(node) else { return Vec::new() };
        let edges = std::mem::take(out);
        let mut taken = Vec::new();
        for (to, labels) in edges {
            if keep(to) {
                self.outgoing[node].insert(to, labels);
                continue;
            }
            self.incoming[to].shift_remove(&node);
            if !self.done[node] {
                self.pending_dependencies[to] = self.pending_dependencies[to].saturating_sub(1);
            }
            taken.extend(labels.into_iter().map(|events| (to, events)));
        }
        taken
    }

    /// The nodes that receive the events of a node, one entry for each edge.
    pub(crate) fn listeners(&self, node: usize) -> Vec<usize> {
        let out = self.outgoing.get(node).into_iter().flatten();
        out.flat_map(|(to, labels)| labels.iter().filter(|events| **events).map(|_| *to)).collect()
    }

    /// The nodes that a node waits for.
    pub(crate) fn dependencies(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.incoming.get(node).into_iter().flat_map(|into| into.keys().copied())
    }

    /// The nodes that wait for a node.
    pub(crate) fn dependents(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.outgoing.get(node).into_iter().flat_map(|out| out.keys().copied())
    }

    /// Makes all nodes without dependencies ready.
    pub(crate) fn start(&mut self) {
        for node in 0..self.len() {
            self.make_ready(node);
        }
    }

    /// Makes a node ready if it has no pending dependencies.
    pub(crate) fn make_ready(&mut self, node: usize) {
        if self.pending_dependencies.get(node) == Some(&0) && self.done.get(node) == Some(&false) {
            let priority = self.priority(node);
            self.ready.insert(priority, node);
        }
    }

    /// Removes and returns the ready node with the lowest priority.
    pub(crate) fn next(&mut self) -> Option<usize> {
        self.ready.pop_first().map(|(_, node)| node)
    }

    /// Marks a node as finished: nodes that depend on no other unfinished node become ready.
    pub(crate) fn finish(&mut self, node: usize) {
        if let Some(done) = self.done.get_mut(node) {
            *done = true;
        }
        let dependents: Vec<usize> = self.dependents(node).collect();
        for to in dependents {
            if let Some(waiting) = self.pending_dependencies.get_mut(to) {
                *waiting = waiting.saturating_sub(1);
            }
            self.make_ready(to);
        }
    }
}
