//! Relationships that resource types imply: `autorequire`, `autobefore`, `autosubscribe`, `autonotify`.
//!
//! In: what the types of the resources name. Out: the relationships that an agent adds to the declared ones
//! (Puppet::Graph::RelationshipGraph#build_autorelation_dependencies). Must not: know resource types.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::Catalog;
use crate::references;
use catwalk_base::names::Name;

/// The order in which an agent adds those of a resource.
const ORDER: [&str; 4] = ["autorequire", "autosubscribe", "autobefore", "autonotify"];

/// A resource that a type relates its own resource to, if the catalog has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomaticTarget {
    /// The resource whose type names the other one: its index in the catalog.
    pub owner: usize,
    /// `autorequire`, `autosubscribe`, `autobefore` or `autonotify`.
    pub relation: &'static str,
    /// The type of the other resource, in any case.
    pub type_name: Name,
    /// Its title, alias or name.
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

/// Whether the resource that has a relationship comes before the one that it names.
#[must_use]
pub fn is_forward(parameter: &str) -> bool {
    matches!(parameter, "before" | "notify" | "autobefore" | "autonotify")
}

impl Catalog {
    /// Adds automatic relationships, as an agent does: in the order of the resources, those by which a resource waits first. One between
    /// two resources that are related already is left out, whatever the direction; one that closes a longer cycle is not.
    pub fn relate_automatically(&mut self, mut targets: Vec<AutomaticTarget>) {
        let rank = |relation: &str| ORDER.iter().position(|known| *known == relation);
        targets.sort_by_key(|target| (target.owner, rank(target.relation)));
        let mut related: FxHashSet<(usize, usize)> =
            references::relationships(self).into_iter().map(|(first, then, _)| (first, then)).collect();
        let names = references::names(self);
        let mut added = Vec::new();
        for AutomaticTarget { owner, relation, type_name, title } in &targets {
            let Some(other) = references::find(&names, type_name.capitalized(), title) else { continue };
            let is_applied = |at: usize| self.resources.get(at).is_some_and(|resource| !resource.is_virtual);
            if !is_applied(*owner) || !is_applied(other) {
                continue;
            }
            let (first, then) = if is_forward(relation) { (*owner, other) } else { (other, *owner) };
            if !related.contains(&(then, first)) && related.insert((first, then)) {
                added.push(AutomaticRelationship { first, then, relation });
            }
        }
        drop(names);
        self.automatic = added;
    }
}
