//! Containment edges under construction (Puppet::Graph::SimpleGraph).

use rustc_hash::FxHashSet;

use crate::catalog::ResourceId;

/// Who contains whom. Edges come out ordered by the contained resource, then by the time they were made.
#[derive(Clone, Debug, Default)]
pub struct Containment {
    into: Vec<Vec<ResourceId>>,
    out_of: Vec<Vec<ResourceId>>,
    known: FxHashSet<(ResourceId, ResourceId)>,
}

impl Containment {
    /// Room for so many resources.
    pub fn reserve(&mut self, resources: usize) {
        self.into.reserve(resources);
        self.out_of.reserve(resources);
        self.known.reserve(resources);
    }

    /// Adds an edge once.
    pub fn add(&mut self, container: ResourceId, contained: ResourceId) {
        if !self.known.insert((container, contained)) {
            return;
        }
        let room = container.0.max(contained.0) as usize + 1;
        if self.into.len() < room {
            self.into.resize_with(room, Vec::new);
            self.out_of.resize_with(room, Vec::new);
        }
        if let Some(sources) = self.into.get_mut(contained.0 as usize) {
            sources.push(container);
        }
        if let Some(targets) = self.out_of.get_mut(container.0 as usize) {
            targets.push(contained);
        }
    }

    /// The edges in the reference's order.
    pub fn edges(&self) -> impl Iterator<Item = (ResourceId, ResourceId)> + '_ {
        self.into.iter().enumerate().flat_map(|(contained, sources)| {
            let contained = ResourceId(u32::try_from(contained).unwrap_or(u32::MAX));
            sources.iter().map(move |container| (*container, contained))
        })
    }

    /// The edges below `root`, breadth first, each container once (SimpleGraph#walk).
    #[must_use]
    pub fn walk(&self, root: ResourceId) -> Vec<(ResourceId, ResourceId)> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut queue = std::collections::VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            if !seen.insert(node) {
                continue;
            }
            for target in self.out_of.get(node.0 as usize).map_or(&[][..], Vec::as_slice) {
                found.push((node, *target));
                queue.push_back(*target);
            }
        }
        found
    }
}
