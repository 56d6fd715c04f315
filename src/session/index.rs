//! Who asked what: nodes by the paths that their compiles touched.
//!
//! In: what compiles asked and used. Out: the nodes that a change may concern. A node may be told of that did not ask: what it
//! asked before stays until all is made anew. Must not: decide who is compiled.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;

use crate::session::Uses;
use crate::world::Change;
use crate::world::Reads;

/// The bit of an entry of a node that used a path for nothing but keys of data.
const ONLY_DATA: u32 = 1 << 31;

/// Nodes by path.
#[derive(Debug, Default)]
pub(super) struct Index {
    names: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, u32>,
    paths: FxHashMap<OsString, Vec<u32>>,
    /// How often a node was added.
    added: usize,
}

/// What changes are to the nodes that they may concern: keys of data and nothing else, or more.
pub(super) type Concerned = FxHashMap<Arc<str>, bool>;

impl Index {
    /// Adds what a node asks.
    pub(super) fn add(&mut self, name: &Arc<str>, reads: &Reads, uses: &Uses) {
        self.added += 1;
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX) & !ONLY_DATA;
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name.clone());
        }
        let data: FxHashSet<&OsStr> =
            uses.data.iter().filter(|_| uses.complete).map(|used| used.path.as_os_str()).collect();
        for path in reads.own() {
            let only = data.contains(path.as_os_str()) && !reads.is_whole(path);
            self.put(path, if only { number | ONLY_DATA } else { number });
        }
        for path in reads.common() {
            self.put(path, number);
        }
    }

    fn put(&mut self, path: &OsString, entry: u32) {
        match self.paths.get_mut(path) {
            Some(entries) if entries.contains(&entry) => {}
            Some(entries) => entries.push(entry),
            None => drop(self.paths.insert(path.clone(), vec![entry])),
        }
    }

    /// Whether so much was added that much of it may be old.
    pub(super) fn is_old(&self) -> bool {
        self.added > 2 * self.names.len()
    }

    /// Who is concerned; whether each by its keys of data only.
    pub(super) fn concerned(&self, changes: &[Change]) -> Concerned {
        let mut concerned = Concerned::default();
        for change in changes {
            for entry in self.paths.get(change.path.as_os_str()).into_iter().flatten() {
                let Some(name) = self.names.get((entry & !ONLY_DATA) as usize) else { continue };
                let only = change.text_only && entry & ONLY_DATA != 0;
                match concerned.get_mut(name) {
                    Some(all) => *all &= only,
                    None => drop(concerned.insert(name.clone(), only)),
                }
            }
        }
        concerned
    }

    /// All paths, in no order.
    #[allow(clippy::iter_over_hash_type, reason = "who takes them makes a set of them")]
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.keys().map(Path::new)
    }
}
