//! The ordered hash of the language.

use std::hash::Hasher;

use indexmap::Equivalent;
use indexmap::IndexMap;

use crate::value::Value;

/// Keys and values in insertion order. Keys are any value. Hashing is seeded at random: facts come from outside.
#[derive(Clone, Debug, Default)]
pub struct Hash(IndexMap<Value, Value, hashbrown::DefaultHashBuilder>);

/// A borrowed text as a key, so that looking up costs no allocation.
#[derive(Debug)]
pub struct Text<'a>(pub &'a str);

impl std::hash::Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl Equivalent<Value> for Text<'_> {
    fn equivalent(&self, key: &Value) -> bool {
        matches!(key, Value::Str(text) if text.as_ref() == self.0)
    }
}

impl Hash {
    /// An empty hash.
    #[must_use]
    pub fn new() -> Hash {
        Hash::default()
    }

    /// An empty hash with room for `n` entries.
    #[must_use]
    pub fn with_capacity(n: usize) -> Hash {
        Hash(IndexMap::with_capacity_and_hasher(n, hashbrown::DefaultHashBuilder::default()))
    }

    /// The value under a text key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(&Text(key))
    }

    /// The value under any key.
    #[must_use]
    pub fn get_value(&self, key: &Value) -> Option<&Value> {
        self.0.get(key)
    }

    /// Sets a value; an existing key keeps its place.
    pub fn insert(&mut self, key: Value, value: Value) -> Option<Value> {
        self.0.insert(key, value)
    }

    /// Sets a value under a text key.
    pub fn set(&mut self, key: &str, value: Value) {
        self.0.insert(Value::str(key), value);
    }

    /// Removes a key, keeping the order of the rest.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        self.0.shift_remove(key)
    }

    /// Whether the key is there.
    #[must_use]
    pub fn contains(&self, key: &Value) -> bool {
        self.0.contains_key(key)
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Entries in order.
    pub fn iter(&self) -> indexmap::map::Iter<'_, Value, Value> {
        self.0.iter()
    }

    /// Keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.0.keys()
    }

    /// Values in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.0.values()
    }

    /// The entry at a position.
    #[must_use]
    pub fn get_index(&self, at: usize) -> Option<(&Value, &Value)> {
        self.0.get_index(at)
    }
}

/// Hashes are equal when they have the same entries, in any order, as in Ruby.
impl PartialEq for Hash {
    fn eq(&self, other: &Hash) -> bool {
        self.0 == other.0
    }
}
impl Eq for Hash {}
/// Only the size, since order does not count.
impl std::hash::Hash for Hash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
    }
}

impl FromIterator<(Value, Value)> for Hash {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Hash {
        Hash(entries.into_iter().collect())
    }
}
impl IntoIterator for Hash {
    type Item = (Value, Value);
    type IntoIter = indexmap::map::IntoIter<Value, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
impl<'a> IntoIterator for &'a Hash {
    type Item = (&'a Value, &'a Value);
    type IntoIter = indexmap::map::Iter<'a, Value, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
