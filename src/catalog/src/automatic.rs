//! Relationships that resource types imply: `autorequire`, `autobefore`, `autosubscribe`, `autonotify`.
//!
//! In: the resources that resource types relate to ([`AutomaticTarget`]). Out: the relationships that an agent adds to the declared
//! ones (Puppet::Graph::RelationshipGraph#build_autorelation_dependencies). Must not: know resource types.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::Catalog;
use crate::references;
use catwalk_base::names::Name;

/// The order in which an agent adds the automatic relationships of a resource.
const ORDER: [&str; 4] = ["autorequire", "autosubscribe", "autobefore", "autonotify"];

/// A resource to which a resource type relates one of its resources, if the catalog has both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomaticTarget {
    /// The resource whose type adds the relationship: its index in the catalog.
    pub owner: usize,
    /// `autorequire`, `autosubscribe`, `autobefore` or `autonotify`.
    pub relation: &'static str,
    /// The type of the related resource, in any case.
    pub type_name: Name,
    /// The title, alias or name of the related resource.
    pub title: Arc<str>,
}

/// A relationship that a resource type implies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AutomaticRelationship {
    /// The resource that is applied first: its index in the catalog.
    pub first: usize,
    /// The resource that is applied later.
    pub then: usize,
    /// `autorequire`, `autosubscribe`, `autobefore` or `autonotify`.
    pub relation: &'static str,
}

/// Whether the resource with this relationship parameter is applied before the resource that the parameter names.
#[must_use]
pub fn is_forward(parameter: &str) -> bool {
    matches!(parameter, "before" | "notify" | "autobefore" | "autonotify")
}

impl Catalog {
    /// Adds automatic relationships as an agent does: in the order of the resources, `autorequire` and `autosubscribe` first.
    /// A relationship between two resources that are already related, in either direction, is left out. Longer cycles are not detected.
    pub fn relate_automatically(&mut self, mut targets: Vec<AutomaticTarget>) {
        let rank = |relation: &str| ORDER.iter().position(|name| *name == relation);
        targets.sort_by_key(|target| (target.owner, rank(target.relation)));
        let mut related: FxHashSet<(usize, usize)> =
            references::relationships(self).into_iter().map(|(first, then, _)| (first, then)).collect();
        let names = references::collect_names(self);
        let mut added = Vec::new();
        for AutomaticTarget { owner, relation, type_name, title } in &targets {
            let Some(target) = references::find_resource(&names, type_name.capitalized(), title) else { continue };
            let is_applied = |at: usize| self.resources.get(at).is_some_and(|resource| !resource.is_virtual);
            if !is_applied(*owner) || !is_applied(target) {
                continue;
            }
            let (first, then) = if is_forward(relation) { (*owner, target) } else { (target, *owner) };
            if !related.contains(&(then, first)) && related.insert((first, then)) {
                added.push(AutomaticRelationship { first, then, relation });
            }
        }
        drop(names);
        self.automatic = added;
    }
}
