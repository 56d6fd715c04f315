//! The catalog: resources, edges, tags.

/// Index of a resource in the catalog under construction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct ResourceId(pub u32);
