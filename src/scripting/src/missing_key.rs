//! The last lookup of a missing entry by a script: often the reason for the error that follows, since its result is `()`.
//!
//! In: keys and hashes of facts and data. The maps of a script itself are not recorded: Rhai reports a missing entry in the same way when
//! the script is about to add it. Out: the missing entry and those that exist. Must not: hold values of scripts.

use std::sync::Arc;

use catwalk_base::names::abbreviate;
use catwalk_base::names::did_you_mean;
use catwalk_value::Hash;
use catwalk_value::Value;

use crate::state;

/// The number of keys that a message names.
const MAX_NAMES: usize = 8;

/// An entry that a map does not have.
pub(super) struct MissingEntry {
    /// The key.
    pub(super) key: String,
    hash: Arc<Hash>,
}

impl MissingEntry {
    /// What the hash has in its place: `the map has a, b and 3 more`.
    pub(super) fn alternatives(&self) -> String {
        let names = self.names();
        match names.is_empty() {
            true => "the map is empty".to_owned(),
            false => format!("the map has {}", abbreviate(&names, MAX_NAMES)),
        }
    }

    /// `did you mean '…'?`, if a key is similar.
    pub(super) fn suggestion(&self) -> Option<String> {
        did_you_mean(&self.key, self.names())
    }

    fn names(&self) -> Vec<&str> {
        self.hash.keys().filter_map(Value::as_str).collect()
    }
}

/// Discards the recorded entry when a new call begins.
pub(super) fn clear() {
    state::call(|call| call.missing = None);
}

/// Records a missing entry of a hash.
pub(super) fn record(key: &str, hash: &Arc<Hash>) {
    let missing = MissingEntry { key: key.to_owned(), hash: hash.clone() };
    state::call(|call| call.missing = Some(missing));
}

/// The last missing entry, for an error about a `()`.
pub(super) fn take() -> Option<MissingEntry> {
    state::call(|call| call.missing.take())
}
