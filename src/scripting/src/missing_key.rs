//! The last lookup of a missing entry by a script: often the reason for the error that follows, since its result is `()`.
//!
//! In: keys and maps of facts, data and scripts. Out: the missing entry and those that exist. Must not: hold values of scripts.

use std::cell::RefCell;
use std::sync::Arc;

use catwalk_base::names::abbreviate;
use catwalk_base::names::did_you_mean;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

/// The number of keys that a message names.
const MAX_NAMES: usize = 8;
/// The number of keys of a script's own map that are kept: scripts may look up missing entries in a loop.
const MAX_KEPT: usize = 64;

thread_local! {
    static LAST_MISSING: RefCell<Option<MissingEntry>> = const { RefCell::new(None) };
}

/// An entry that a map does not have.
pub(super) struct MissingEntry {
    /// The key.
    pub(super) key: String,
    entries: Entries,
}

enum Entries {
    Hash(Arc<Hash>),
    /// Some of the keys, and how many others there are.
    Names(Vec<String>, usize),
}

impl MissingEntry {
    /// What the map has in its place: `the map has a, b and 3 more`.
    pub(super) fn alternatives(&self) -> String {
        let names = self.names();
        let others = match &self.entries {
            Entries::Hash(_) => 0,
            Entries::Names(_, others) => *others,
        };
        match (names.as_slice(), others) {
            ([], 0) => "the map is empty".to_owned(),
            (names, 0) => format!("the map has {}", abbreviate(names, MAX_NAMES)),
            (names, others) => {
                let first: Vec<&str> = names.iter().take(MAX_NAMES).copied().collect();
                format!("the map has {} and {} more", first.join(", "), names.len() - first.len() + others)
            }
        }
    }

    /// `did you mean '…'?`, if a key is similar.
    pub(super) fn suggestion(&self) -> Option<String> {
        did_you_mean(&self.key, self.names())
    }

    fn names(&self) -> Vec<&str> {
        match &self.entries {
            Entries::Hash(hash) => hash.keys().filter_map(Value::as_str).collect(),
            Entries::Names(names, _) => names.iter().map(String::as_str).collect(),
        }
    }
}

/// Discards the recorded entry when a new call begins.
pub(super) fn clear() {
    LAST_MISSING.set(None);
}

/// Records a missing entry of a hash.
pub(super) fn record(key: &str, hash: &Arc<Hash>) {
    LAST_MISSING.set(Some(MissingEntry { key: key.to_owned(), entries: Entries::Hash(hash.clone()) }));
}

/// Records a missing entry of a script's own map.
pub(super) fn record_in_map(key: &str, map: &rhai::Map) {
    let names: Vec<String> = map.keys().take(MAX_KEPT).map(ToString::to_string).collect();
    let others = map.len() - names.len();
    LAST_MISSING.set(Some(MissingEntry { key: key.to_owned(), entries: Entries::Names(names, others) }));
}

/// The last missing entry, for an error about a `()`.
pub(super) fn take() -> Option<MissingEntry> {
    LAST_MISSING.take()
}
