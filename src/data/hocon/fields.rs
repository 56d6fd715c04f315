//! The fields of a HOCON object in their order. A field that is given again moves to the front, which a list of many fields
//! cannot do cheaply: each field has a number instead, and the fields are sorted when they are read.
//!
//! In: fields by key. Out: fields in order. Must not: know what they mean.

use indexmap::IndexMap;

use super::node::Node;

/// Fields by key.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    /// Each with its number.
    all: IndexMap<String, (i64, Node)>,
    first: i64,
}

impl Fields {
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.all.get(key).map(|(_, node)| node)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.all.get_mut(key).map(|(_, node)| node)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Sets a field; a new one comes last, a known one stays where it is.
    pub(super) fn insert(&mut self, key: String, node: Node) {
        let last = i64::try_from(self.all.len()).unwrap_or(i64::MAX);
        let number = self.all.get(&key).map_or(last, |(number, _)| *number);
        self.all.insert(key, (number, node));
    }

    /// Sets a field, which comes first from then on.
    pub(super) fn insert_first(&mut self, key: String, node: Node) {
        self.first -= 1;
        self.all.insert(key, (self.first, node));
    }

    /// The fields, in no order that matters.
    pub(super) fn values(&self) -> impl Iterator<Item = &Node> {
        self.all.values().map(|(_, node)| node)
    }

    /// The fields in order.
    pub(super) fn sorted(&self) -> Vec<(&String, &Node)> {
        let mut all: Vec<(i64, &String, &Node)> =
            self.all.iter().map(|(key, (number, node))| (*number, key, node)).collect();
        all.sort_by_key(|(number, ..)| *number);
        all.into_iter().map(|(_, key, node)| (key, node)).collect()
    }

    /// The fields in order, taken out.
    pub(super) fn into_sorted(self) -> Vec<(String, Node)> {
        let mut all: Vec<(String, (i64, Node))> = self.all.into_iter().collect();
        all.sort_by_key(|(_, (number, _))| *number);
        all.into_iter().map(|(key, (_, node))| (key, node)).collect()
    }
}
