//! Which keys were looked up, and in which files their values were found.

use std::path::Path;

use rustc_hash::FxHashSet;

/// The keys that the lookups of nodes used.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    asked: FxHashSet<String>,
    found: FxHashSet<(String, String)>,
}

impl Usage {
    pub(super) fn ask(&mut self, key: &str) {
        if !self.asked.contains(key) {
            self.asked.insert(key.to_owned());
        }
    }

    pub(super) fn find(&mut self, path: &str, key: &str) {
        self.found.insert((path.to_owned(), key.to_owned()));
    }

    /// Adds the keys that other lookups used.
    pub fn merge(&mut self, other: Usage) {
        self.asked.extend(other.asked);
        self.found.extend(other.found);
    }

    /// Whether a key was looked up, found or not.
    #[must_use]
    pub fn asked(&self, key: &str) -> bool {
        self.asked.contains(key)
    }

    /// Whether a key's value in this file was read.
    #[must_use]
    pub fn found(&self, path: &Path, key: &str) -> bool {
        self.found.contains(&(path.to_string_lossy().into_owned(), key.to_owned()))
    }
}
