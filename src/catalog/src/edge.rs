//! Containment edges under construction (Puppet::Graph::SimpleGraph).

use rustc_hash::FxHashSet;

use crate::ResourceId;

/// Containment of resources.
#[derive(Clone, Debug, Default)]
pub struct Containment {
    edges: Vec<(ResourceId, ResourceId)>,
    edge_set: FxHashSet<(ResourceId, ResourceId)>,
}

impl Containment {
    /// Reserves memory for this many resources.
    pub fn reserve(&mut self, resources: usize) {
        self.edges.reserve(resources);
        self.edge_set.reserve(resources);
    }

    /// Adds an edge unless it exists.
    pub fn add(&mut self, container: ResourceId, contained: ResourceId) {
        if self.edge_set.insert((container, contained)) {
            self.edges.push((container, contained));
        }
    }

    /// The edges in the order in which they were added.
    #[must_use]
    pub fn list(&self) -> &[(ResourceId, ResourceId)] {
        &self.edges
    }

    /// The edges in Puppet's order: by the contained resource, then in the order in which they were added.
    #[must_use]
    pub fn edges(&self) -> Vec<(ResourceId, ResourceId)> {
        let mut edges = self.edges.clone();
        edges.sort_by_key(|(_, contained)| contained.0);
        edges
    }

    /// The edges below `root`, breadth first, each container once (SimpleGraph#walk).
    #[must_use]
    pub fn walk(&self, root: ResourceId) -> Vec<(ResourceId, ResourceId)> {
        let mut edges = self.edges.clone();
        edges.sort_by_key(|(container, _)| container.0);
        let mut walked = Vec::with_capacity(edges.len());
        let mut seen = FxHashSet::default();
        let mut queue = std::collections::VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            if !seen.insert(node) {
                continue;
            }
            let first = edges.partition_point(|(container, _)| container.0 < node.0);
            let contained =
                edges.get(first..).unwrap_or_default().iter().take_while(|(container, _)| *container == node);
            for (_, target) in contained {
                walked.push((node, *target));
                queue.push_back(*target);
            }
        }
        walked
    }
}
