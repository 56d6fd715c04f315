//! The rows that a provider's `get` returned, found by the names of their resources.

use std::collections::HashMap;
use std::collections::HashSet;

use catwalk_resource_api::Definition;
use catwalk_resource_api::State;
use catwalk_value::Value;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Rows in the order of `get`.
pub(super) struct Rows {
    list: Vec<State>,
    /// The first row of each name.
    by_name: HashMap<Value, usize, FxBuildHasher>,
}

impl Rows {
    pub(super) fn new(list: Vec<State>, definition: &Definition) -> Rows {
        let mut by_name = HashMap::with_capacity_and_hasher(list.len(), FxBuildHasher);
        for (at, row) in list.iter().enumerate() {
            by_name.entry(definition.resource_name(row)).or_insert(at);
        }
        Rows { list, by_name }
    }

    pub(super) fn list(&self) -> &[State] {
        &self.list
    }

    /// The row of a resource with these values.
    pub(super) fn find(&self, desired: &State, definition: &Definition) -> Option<&State> {
        let row = self.list.get(*self.by_name.get(&definition.resource_name(desired))?)?;
        definition.is_same_resource(desired, row).then_some(row)
    }

    /// Replaces or adds the row of a resource.
    pub(super) fn put(&mut self, row: State, definition: &Definition) {
        let name = definition.resource_name(&row);
        match self.by_name.get(&name).and_then(|at| self.list.get_mut(*at)) {
            Some(old) => *old = row,
            None => {
                self.by_name.insert(name, self.list.len());
                self.list.push(row);
            }
        }
    }
}

/// The names of the resources of a catalog that have not been retrieved.
#[derive(Default)]
pub(super) struct UnretrievedNames {
    all: IndexSet<Value, FxBuildHasher>,
    retrieved: HashSet<Value, FxBuildHasher>,
}

impl UnretrievedNames {
    pub(super) fn add(&mut self, name: Value) {
        self.all.insert(name);
    }

    pub(super) fn remove(&mut self, name: &Value) {
        self.retrieved.insert(name.clone());
    }

    /// Whether the catalog has a resource with this name that has not been retrieved.
    pub(super) fn contains(&self, name: &Value) -> bool {
        self.all.contains(name) && !self.retrieved.contains(name)
    }

    /// The names in the order of the catalog.
    pub(super) fn names(&self) -> Vec<Value> {
        self.all.iter().filter(|name| !self.retrieved.contains(*name)).cloned().collect()
    }
}
