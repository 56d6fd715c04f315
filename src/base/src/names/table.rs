//! Ordered maps from names to values, for few entries.
//!
//! In, out: values. Most tables (parameters of a resource, variables of a scope) have a handful of entries: a table is a list that is
//! searched linearly. It is indexed only if it grows large by insertion. Must not: know the type of its values.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::names::Name;

/// Values by name, in order of insertion.
#[derive(Clone, Debug)]
pub struct Table<V> {
    entries: Vec<(Name, V)>,
    /// A Bloom filter of one bit per name: a name whose bit is 0 is missing.
    bits: u64,
    /// Positions of entries by name.
    index: Option<Box<HashTable<u32>>>,
}

/// The number of entries above which a table is indexed.
const MAX_UNINDEXED: usize = 24;

/// The capacity of a table with one entry.
const INITIAL_CAPACITY: usize = 8;

fn hash(name: Name) -> u64 {
    FxBuildHasher.hash_one(name)
}

fn bit(name: Name) -> u64 {
    1 << (hash(name) >> 58)
}

impl<V> Default for Table<V> {
    fn default() -> Table<V> {
        Table { entries: Vec::new(), bits: 0, index: None }
    }
}

impl<V> Table<V> {
    /// An empty table.
    #[must_use]
    pub fn new() -> Table<V> {
        Table::default()
    }

    /// An empty table with room for `n` entries.
    #[must_use]
    pub fn with_capacity(n: usize) -> Table<V> {
        Table { entries: Vec::with_capacity(n), bits: 0, index: None }
    }

    fn position(&self, name: Name) -> Option<usize> {
        if self.bits & bit(name) == 0 {
            return None;
        }
        match &self.index {
            Some(index) => index.find(hash(name), |at| self.is_at(*at, name)).map(|at| *at as usize),
            None => self.entries.iter().position(|(known, _)| *known == name),
        }
    }

    fn is_at(&self, at: u32, name: Name) -> bool {
        self.entries.get(at as usize).is_some_and(|(known, _)| *known == name)
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Reserves capacity for `more` entries.
    pub fn reserve(&mut self, more: usize) {
        self.entries.reserve(more);
    }

    /// The value under a name.
    #[must_use]
    pub fn get(&self, name: &Name) -> Option<&V> {
        self.position(*name).and_then(|at| self.entries.get(at)).map(|(_, value)| value)
    }

    /// The mutable value under a name.
    pub fn get_mut(&mut self, name: &Name) -> Option<&mut V> {
        self.position(*name).and_then(|at| self.entries.get_mut(at)).map(|(_, value)| value)
    }

    /// Whether there is a value under this name.
    #[must_use]
    pub fn contains_key(&self, name: &Name) -> bool {
        self.position(*name).is_some()
    }

    /// Sets a value and returns the previous one; an existing name keeps its position.
    pub fn insert(&mut self, name: Name, value: V) -> Option<V> {
        if let Some(entry) = self.position(name).and_then(|at| self.entries.get_mut(at)) {
            return Some(std::mem::replace(&mut entry.1, value));
        }
        if self.index.is_none() && self.entries.len() >= MAX_UNINDEXED {
            self.build_index();
        }
        self.push(name, value);
        None
    }

    /// Adds a value under a new name, which must not exist in the table. Tables that grow only by this method are not indexed;
    /// use [`Table::push_all`] for long tables in which many names are looked up.
    pub fn push(&mut self, name: Name, value: V) {
        let at = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        if self.entries.capacity() == 0 {
            self.entries.reserve_exact(INITIAL_CAPACITY);
        }
        self.bits |= bit(name);
        self.entries.push((name, value));
        let entries = &self.entries;
        if let Some(index) = &mut self.index {
            index.insert_unique(hash(name), at, |at| entries.get(*at as usize).map_or(0, |(name, _)| hash(*name)));
        }
    }

    /// Adds values under new names and indexes the table.
    pub fn push_all(&mut self, values: impl ExactSizeIterator<Item = (Name, V)>) {
        self.entries.reserve(values.len());
        values.for_each(|(name, value)| self.push(name, value));
        if self.index.is_none() && self.entries.len() > MAX_UNINDEXED {
            self.build_index();
        }
    }

    fn build_index(&mut self) {
        let entries = &self.entries;
        let mut index = HashTable::with_capacity(entries.capacity());
        for ((name, _), at) in entries.iter().zip(0u32..) {
            index.insert_unique(hash(*name), at, |at| entries.get(*at as usize).map_or(0, |(name, _)| hash(*name)));
        }
        self.index = Some(Box::new(index));
    }

    /// Removes an entry and keeps the order of the others.
    pub fn shift_remove(&mut self, name: &Name) -> Option<V> {
        let at = self.position(*name)?;
        let (_, value) = self.entries.remove(at);
        if self.index.is_some() {
            self.build_index();
        }
        Some(value)
    }

    /// Entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Name, &V)> + ExactSizeIterator {
        self.entries.iter().map(|(name, value)| (name, value))
    }

    /// Entries in order, with mutable values.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&Name, &mut V)> + ExactSizeIterator {
        self.entries.iter_mut().map(|(name, value)| (&*name, value))
    }

    /// Names in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Name> + ExactSizeIterator {
        self.entries.iter().map(|(name, _)| name)
    }

    /// Values in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Mutable values in order.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.entries.iter_mut().map(|(_, value)| value)
    }
}

impl<V> IntoIterator for Table<V> {
    type Item = (Name, V);
    type IntoIter = std::vec::IntoIter<(Name, V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a, V> IntoIterator for &'a Table<V> {
    type Item = (&'a Name, &'a V);
    type IntoIter = std::iter::Map<std::slice::Iter<'a, (Name, V)>, fn(&'a (Name, V)) -> (&'a Name, &'a V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter().map(|(name, value)| (name, value))
    }
}

impl<'a, V> IntoIterator for &'a mut Table<V> {
    type Item = (&'a Name, &'a mut V);
    type IntoIter = std::iter::Map<std::slice::IterMut<'a, (Name, V)>, fn(&'a mut (Name, V)) -> (&'a Name, &'a mut V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter_mut().map(|(name, value)| (&*name, value))
    }
}

impl<V> Extend<(Name, V)> for Table<V> {
    fn extend<I: IntoIterator<Item = (Name, V)>>(&mut self, entries: I) {
        for (name, value) in entries {
            self.insert(name, value);
        }
    }
}

impl<V> FromIterator<(Name, V)> for Table<V> {
    fn from_iter<I: IntoIterator<Item = (Name, V)>>(entries: I) -> Table<V> {
        let mut table = Table::new();
        table.extend(entries);
        table
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn order_and_values_are_kept_while_it_grows_and_shrinks() {
        let mut table = Table::new();
        let name = |n: usize| Name::new(&format!("n{n}"));
        for n in 0..60 {
            assert_eq!(table.insert(name(n), n), None);
        }
        assert_eq!(table.insert(name(7), 700), Some(7));
        assert_eq!(table.shift_remove(&name(3)), Some(3));
        assert_eq!(table.shift_remove(&name(3)), None);
        assert_eq!(table.get(&name(7)), Some(&700));
        assert_eq!(table.get(&name(59)), Some(&59));
        let expected: Vec<Name> = (0..60).filter(|n| *n != 3).map(name).collect();
        assert_eq!(table.keys().copied().collect::<Vec<_>>(), expected);
    }
}
