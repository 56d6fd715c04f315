//! The fields of a HOCON object in their order. A field that is set again moves to the front, which is expensive in a list: each
//! field has a number instead, and the fields are sorted when they are read.
//!
//! In: fields by key. Out: fields in order. Must not: know their meaning.

use indexmap::IndexMap;

/// Fields by key.
#[derive(Clone, Debug)]
pub(super) struct Fields<T> {
    /// Each with its number.
    all: IndexMap<String, (i64, T)>,
    first: i64,
}

impl<T> Default for Fields<T> {
    fn default() -> Self {
        Fields { all: IndexMap::default(), first: 0 }
    }
}

impl<T> Fields<T> {
    pub(super) fn get(&self, key: &str) -> Option<&T> {
        self.all.get(key).map(|(_, node)| node)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut T> {
        self.all.get_mut(key).map(|(_, node)| node)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Sets a field; a new one comes last, a known one stays where it is.
    pub(super) fn insert(&mut self, key: String, node: T) {
        let last = i64::try_from(self.all.len()).unwrap_or(i64::MAX);
        let number = self.all.get(&key).map_or(last, |(number, _)| *number);
        self.all.insert(key, (number, node));
    }

    /// Sets a field, which comes first from then on.
    pub(super) fn insert_first(&mut self, key: String, node: T) {
        self.first -= 1;
        self.all.insert(key, (self.first, node));
    }

    /// The fields, in no order that matters.
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.all.values().map(|(_, node)| node)
    }

    /// The fields in order.
    pub(super) fn sorted(&self) -> Vec<(&String, &T)> {
        let mut all: Vec<(i64, &String, &T)> =
            self.all.iter().map(|(key, (number, node))| (*number, key, node)).collect();
        all.sort_by_key(|(number, ..)| *number);
        all.into_iter().map(|(_, key, node)| (key, node)).collect()
    }

    /// The fields in order, taken out.
    pub(super) fn into_sorted(self) -> Vec<(String, T)> {
        let mut all: Vec<(String, (i64, T))> = self.all.into_iter().collect();
        all.sort_by_key(|(_, (number, _))| *number);
        all.into_iter().map(|(key, (_, node))| (key, node)).collect()
    }
}
