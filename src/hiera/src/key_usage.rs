//! Which keys were looked up, and in which files their values were found.

use std::path::Path;

use rustc_hash::FxHashSet;

/// The keys that the lookups of nodes used.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    looked_up: FxHashSet<String>,
    read: FxHashSet<(String, String)>,
}

impl Usage {
    pub(super) fn record_lookup(&mut self, key: &str) {
        if !self.looked_up.contains(key) {
            self.looked_up.insert(key.to_owned());
        }
    }

    pub(super) fn record_read(&mut self, path: &str, key: &str) {
        self.read.insert((path.to_owned(), key.to_owned()));
    }

    /// Adds the keys that other lookups used.
    pub fn merge(&mut self, other: Usage) {
        self.looked_up.extend(other.looked_up);
        self.read.extend(other.read);
    }

    /// Whether a key was looked up, found or not.
    #[must_use]
    pub fn is_looked_up(&self, key: &str) -> bool {
        self.looked_up.contains(key)
    }

    /// Whether a key's value in this file was read.
    #[must_use]
    pub fn is_read(&self, path: &Path, key: &str) -> bool {
        self.read.contains(&(path.to_string_lossy().into_owned(), key.to_owned()))
    }
}
