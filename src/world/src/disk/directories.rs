//! Entries that searches in LDAP directories found, kept while nothing that was read has changed.
//!
//! In: searches with their entries. Out: the same entries for the same search, so that a parent of many nodes is read once. Must not: keep
//! failures, or grow beyond its limit.

use parking_lot::Mutex;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::LdapEntry;
use crate::LdapSearch;

/// The most bytes that are kept.
const MAX_BYTES: usize = 64 << 20;

/// The entries found by searches.
#[derive(Debug, Default)]
pub(super) struct SearchCache(Mutex<Answers>);

#[derive(Debug, Default)]
struct Answers {
    /// The generation of the world in which they were found.
    generation: u64,
    entries: FxHashMap<LdapSearch, Arc<[LdapEntry]>>,
    bytes: usize,
}

impl SearchCache {
    /// The entries that a search has found in this generation.
    pub(super) fn get(&self, search: &LdapSearch, generation: u64) -> Option<Arc<[LdapEntry]>> {
        let answers = self.0.lock();
        answers.entries.get(search).filter(|_| answers.generation == generation).cloned()
    }

    /// Keeps the entries of a search that began in this generation.
    pub(super) fn add(&self, search: &LdapSearch, entries: &Arc<[LdapEntry]>, generation: u64) {
        let mut answers = self.0.lock();
        let size = entries.iter().map(LdapEntry::size).sum::<usize>() + search.filter.len() + 512;
        if answers.generation != generation || answers.bytes + size > MAX_BYTES {
            *answers = Answers { generation, ..Answers::default() };
        }
        if size <= MAX_BYTES && answers.entries.insert(search.clone(), entries.clone()).is_none() {
            answers.bytes += size;
        }
    }

    /// Forgets all entries.
    pub(super) fn clear(&self) {
        *self.0.lock() = Answers::default();
    }
}
