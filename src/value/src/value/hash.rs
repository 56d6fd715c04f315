//! The ordered hash of the language.

use std::hash::BuildHasher;
use std::hash::Hasher;

use indexmap::Equivalent;
use indexmap::IndexMap;

use crate::value::Measure;
use crate::value::Value;
use crate::value::measure;
use catwalk_base::meter;

/// Keys and values in insertion order. Keys are any value. Hashing is seeded at random: facts are untrusted.
#[derive(Debug, Default)]
pub struct Hash {
    map: Map,
    measure: Measure,
}

type Map = IndexMap<Value, Value, hashbrown::DefaultHashBuilder>;

/// The memory of an entry.
const ENTRY: usize = 3 * size_of::<Value>();

/// A borrowed string as a key, so that looking up costs no allocation.
#[derive(Debug)]
pub struct StrKey<'a>(pub &'a str);

impl std::hash::Hash for StrKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
impl Equivalent<Value> for StrKey<'_> {
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
        let map = IndexMap::with_capacity_and_hasher(n, hashbrown::DefaultHashBuilder::default());
        Hash { map, measure: Measure::default() }
    }

    /// The value under a string key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(&StrKey(key))
    }

    /// The value under any key.
    #[must_use]
    pub fn get_value(&self, key: &Value) -> Option<&Value> {
        self.map.get(key)
    }

    /// Sets a value; an existing key keeps its position.
    pub fn insert(&mut self, key: Value, value: Value) -> Option<Value> {
        meter::charge(ENTRY);
        self.measure.add(&value);
        match self.map.entry(key) {
            indexmap::map::Entry::Occupied(mut entry) => {
                self.measure.sub(entry.get());
                Some(entry.insert(value))
            }
            indexmap::map::Entry::Vacant(entry) => {
                self.measure.add(entry.key());
                entry.insert(value);
                None
            }
        }
    }

    /// Sets a value under a string key.
    pub fn set(&mut self, key: &str, value: Value) {
        self.insert(Value::str(key), value);
    }

    /// Removes a key, keeping the order of the rest.
    pub fn remove(&mut self, key: &Value) -> Option<Value> {
        // Later entries move.
        meter::tick(self.map.len() / 16);
        let (key, value) = self.map.shift_remove_entry(key)?;
        self.measure.sub(&key);
        self.measure.sub(&value);
        Some(value)
    }

    /// A deep copy. Keys seldom contain collections: then nothing is hashed again.
    pub(super) fn deep_copy(&self) -> Hash {
        let holds = |value: &Value| matches!(value, Value::Array(_) | Value::Hash(_) | Value::Sensitive(_));
        if self.map.keys().any(holds) {
            return self.iter().map(|(key, value)| (key.deep_copy(), value.deep_copy())).collect();
        }
        let mut copy = self.clone();
        copy.map.values_mut().filter(|value| holds(value)).for_each(|value| *value = value.deep_copy());
        copy
    }

    /// The size of the hash.
    #[inline]
    #[must_use]
    pub fn measure(&self) -> Measure {
        Measure { depth: self.measure.depth.max(1), ..self.measure }
    }

    pub(super) fn take(&mut self) -> Map {
        self.measure = Measure::default();
        std::mem::take(&mut self.map)
    }

    /// Whether the key exists.
    #[must_use]
    pub fn contains(&self, key: &Value) -> bool {
        self.map.contains_key(key)
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Entries in order.
    pub fn iter(&self) -> indexmap::map::Iter<'_, Value, Value> {
        self.map.iter()
    }

    /// Keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.map.keys()
    }

    /// Values in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.map.values()
    }

    /// The entry at a position.
    #[must_use]
    pub(crate) fn get_index(&self, at: usize) -> Option<(&Value, &Value)> {
        self.map.get_index(at)
    }
}

impl Clone for Hash {
    fn clone(&self) -> Hash {
        meter::charge(self.map.len() * ENTRY);
        Hash { map: self.map.clone(), measure: self.measure }
    }
}

/// Hashes are equal when they have the same entries, in any order, as in Ruby.
impl PartialEq for Hash {
    fn eq(&self, other: &Hash) -> bool {
        meter::tick(self.map.len());
        std::ptr::eq(self, other) || self.map == other.map
    }
}
impl Eq for Hash {}
/// The sum over all entries, since order is ignored.
impl std::hash::Hash for Hash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        meter::tick(self.map.len());
        let entries = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
        state.write_usize(self.len());
        state.write_u64(self.iter().fold(0, |sum: u64, entry| sum.wrapping_add(entries.hash_one(entry))));
    }
}

impl Drop for Hash {
    fn drop(&mut self) {
        if measure::is_deep(self.measure) {
            measure::drop_deep(self.take().into_iter().flat_map(|(key, value)| [key, value]).collect());
        }
    }
}

impl FromIterator<(Value, Value)> for Hash {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Hash {
        let map: Map = entries.into_iter().collect();
        let measure = Measure::of_parts(map.iter().flat_map(|(key, value)| [key, value]));
        meter::charge(map.len() * ENTRY + usize::try_from(measure.bytes).unwrap_or(usize::MAX) / 4);
        Hash { map, measure }
    }
}
impl IntoIterator for Hash {
    type Item = (Value, Value);
    type IntoIter = indexmap::map::IntoIter<Value, Value>;
    fn into_iter(mut self) -> Self::IntoIter {
        self.take().into_iter()
    }
}
impl<'a> IntoIterator for &'a Hash {
    type Item = (&'a Value, &'a Value);
    type IntoIter = indexmap::map::Iter<'a, Value, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.map.iter()
    }
}
