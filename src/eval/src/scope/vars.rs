//! The variables of a scope.
//!
//! In, out: values by name. Must not: know scopes around it.

use catwalk_base::names::Name;
use catwalk_base::names::Table;
use catwalk_value::Value;

/// Variables in the order they were set.
#[derive(Clone, Debug, Default)]
pub struct Vars(Table<Value>);

impl Vars {
    /// No variables.
    #[must_use]
    pub(crate) fn new() -> Vars {
        Vars::default()
    }

    /// Reserves room for `n` variables.
    #[must_use]
    pub(crate) fn with_capacity(n: usize) -> Vars {
        Vars(Table::with_capacity(n))
    }

    /// The value of a variable that is set here.
    #[must_use]
    pub fn get(&self, name: Name) -> Option<&Value> {
        self.0.get(&name)
    }

    /// Whether a variable is set here.
    #[must_use]
    pub(crate) fn contains(&self, name: Name) -> bool {
        self.0.contains_key(&name)
    }

    /// Sets a variable, replacing an earlier value.
    pub(crate) fn insert(&mut self, name: Name, value: Value) {
        self.0.insert(name, value);
    }

    /// Sets a variable that is known not to be set.
    pub(crate) fn push(&mut self, name: Name, value: Value) {
        self.0.push(name, value);
    }

    /// Sets variables with distinct names, replacing earlier values.
    pub(crate) fn extend(&mut self, values: Vec<(Name, Value)>) {
        match self.0.is_empty() || !values.iter().any(|(name, _)| self.0.contains_key(name)) {
            true => self.0.push_all(values.into_iter()),
            false => values.into_iter().for_each(|(name, value)| drop(self.0.insert(name, value))),
        }
    }

    /// Replaces values by their new versions; returns the number of replaced values.
    pub fn replace<'v>(&mut self, renewed: &impl Fn(&Value) -> Option<&'v Value>) -> usize {
        let mut replaced = 0;
        for value in self.0.values_mut() {
            if let Some(new) = renewed(value) {
                *value = new.clone();
                replaced += 1;
            }
        }
        replaced
    }

    /// All variables in the order they were set.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}
