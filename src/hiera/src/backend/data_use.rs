//! The keys of a data file that a compile used, and whether the current file has the same values.
//!
//! In: the values that were used, the current data. Out: what changed. Must not: look anything up.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::DataHash;
use super::Entry;
use super::Files;
use super::Format;
use crate::Strict;
use catwalk_value::Value;
use catwalk_world::World;

/// The root keys of a data file that a compile used.
#[derive(Clone, Debug)]
pub struct DataUse {
    /// The file.
    pub path: PathBuf,
    format: Format,
    /// The data that the compile read.
    data: Arc<DataHash>,
    /// The keys that were looked up, found or not.
    keys: FxHashSet<Arc<str>>,
    /// Whether the compile depends on the names of all keys.
    all_names: bool,
    /// The cache that parses the file.
    files: Arc<Files>,
}

/// The current contents of a data file.
#[derive(Clone, Debug)]
pub struct CurrentData(Option<Arc<DataHash>>);

impl DataUse {
    pub(crate) fn new(
        path: &Path,
        format: Format,
        data: &Arc<DataHash>,
        all_names: bool,
        files: &Arc<Files>,
    ) -> DataUse {
        let (path, data, files) = (path.to_path_buf(), data.clone(), files.clone());
        DataUse { path, format, data, keys: FxHashSet::default(), all_names, files }
    }

    /// The record for this file without any keys.
    #[must_use]
    pub fn without_keys(&self) -> DataUse {
        DataUse::new(&self.path, self.format, &self.data, false, &self.files)
    }

    /// Continues with the current file, in which all used keys have the same values.
    pub fn update_from(&mut self, current: &DataUse) {
        self.data = current.data.clone();
    }

    /// Whether the compile depends on the list of keys.
    #[must_use]
    pub fn depends_on_names(&self) -> bool {
        self.all_names
    }

    /// The keys that were looked up, found or not, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "callers collect the keys in maps")]
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.keys.iter()
    }

    pub(crate) fn record_key(&mut self, key: &str) {
        if !self.keys.contains(key) {
            self.keys.insert(Arc::from(key));
        }
    }

    /// Reads the current file as a compile would.
    #[must_use]
    pub fn read_current(&self, strict: Strict, world: &dyn World) -> CurrentData {
        CurrentData(self.files.read(&self.path, self.format, strict, world).ok())
    }

    /// Compares the data with the current file.
    #[must_use]
    pub fn compare(&self, current: &CurrentData) -> DataChange {
        let unknown = || DataChange { all: true, ..DataChange::default() };
        let Some(current) = &current.0 else { return unknown() };
        let old = &self.data;
        if old.warning.is_some() || current.warning.is_some() {
            return unknown();
        }
        let shared_key = |key: &Value| if let Value::Str(key) = key { Some(key.to_shared()) } else { None };
        let names: FxHashSet<Arc<str>> = old.keys.iter().chain(&current.keys).filter_map(shared_key).collect();
        #[allow(clippy::iter_over_hash_type, reason = "collected in a set")]
        let keys = names.into_iter().filter(|key| !are_identical_entries(old.get(key), current.get(key))).collect();
        let same_names = old.keys.len() == current.keys.len()
            && old.keys.iter().zip(&current.keys).all(|(a, b)| are_identical(a, b));
        DataChange { all: false, names: !same_names, keys }
    }

    /// The address of the data: equal for equal contents.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.data).addr()
    }

    /// Whether both are of one file, read the same way.
    #[must_use]
    pub fn is_same_file(&self, other: &DataUse) -> bool {
        self.format == other.format && self.path == other.path
    }

    /// Whether all used keys have the same values now; if so, continues with the current file.
    pub fn update_if_unchanged(&mut self, change: &DataChange, current: &CurrentData) -> bool {
        let uses_changed_key = || match change.keys.len() <= self.keys.len() {
            true => change.keys.iter().any(|key| self.keys.contains(key)),
            false => self.keys.iter().any(|key| change.keys.contains(key)),
        };
        if change.all || (self.all_names && change.names) || uses_changed_key() {
            return false;
        }
        if let Some(current) = &current.0 {
            self.data = current.clone();
        }
        true
    }
}

/// The changes of a data file.
#[derive(Clone, Debug, Default)]
pub struct DataChange {
    /// The changes are unknown.
    all: bool,
    /// The list of key names has changed.
    names: bool,
    /// The keys whose values have changed.
    keys: FxHashSet<Arc<str>>,
}

impl DataChange {
    /// Whether the changes are unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.all
    }

    /// Whether the list of keys is different.
    #[must_use]
    pub fn has_changed_names(&self) -> bool {
        self.names
    }

    /// The keys whose values have changed, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "who takes them makes a set of them")]
    pub fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        self.keys.iter()
    }
}

fn are_identical_entries(a: Option<&Entry>, b: Option<&Entry>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a.plain, a.valid) == (b.plain, b.valid) && are_identical(&a.value, &b.value),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Whether two values are identical, including the order of keys and the kind of numbers.
pub(super) fn are_identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Undef, Value::Undef) => true,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| are_identical(a, b))
        }
        (Value::Hash(a), Value::Hash(b)) => {
            let pair =
                |((a, x), (b, y)): ((&Value, &Value), (&Value, &Value))| are_identical(a, b) && are_identical(x, y);
            a.len() == b.len() && a.iter().zip(b.iter()).all(pair)
        }
        // Other kinds are rare, so the general comparison is fast enough.
        (a, b) => format!("{a:?}") == format!("{b:?}"),
    }
}
