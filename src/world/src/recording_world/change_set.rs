//! What changed in the world, and which compiles that affects.
//!
//! In: changed files, and the reads of a compile. Out: whether the compile is affected. Must not: read anything itself.

use super::Reads;
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

/// A question whose answer has changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The path that was read, listed or searched for.
    pub path: PathBuf,
    /// Whether it was and still is a file, with different contents.
    pub contents_only: bool,
}

/// Changed paths, prepared for comparison with the reads of many compiles.
#[derive(Debug, Default)]
pub struct ChangeSet {
    /// Files with different contents.
    contents: ChangedPaths,
    /// All other changes: created and removed paths, directories with different entries, unreadable files.
    existence: ChangedPaths,
    /// Whether a shared list contains a change, by the address of the list.
    shared_lists: FxHashMap<(usize, bool), bool>,
}

/// The paths of one kind of change.
#[derive(Debug, Default)]
struct ChangedPaths {
    list: Vec<OsString>,
    set: FxHashSet<OsString>,
}

/// Up to this many changes, each is searched for in a list; beyond that, each element of the list in the changes.
const FEW: usize = 16;

impl ChangedPaths {
    fn new<'c>(changes: impl Iterator<Item = &'c Change>) -> ChangedPaths {
        let mut list: Vec<OsString> = changes.map(|change| change.path.clone().into_os_string()).collect();
        list.sort_unstable();
        ChangedPaths { set: list.iter().cloned().collect(), list }
    }

    fn contains(&self, path: &Path) -> bool {
        self.set.contains(path.as_os_str())
    }

    /// Whether one of these sorted paths has changed.
    fn meets(&self, paths: &[OsString]) -> bool {
        if self.list.len() <= FEW {
            return self.list.iter().any(|change| paths.binary_search(change).is_ok());
        }
        paths.iter().any(|path| self.set.contains(path))
    }
}

impl ChangeSet {
    /// The set of these changes.
    #[must_use]
    pub fn new(changes: &[Change]) -> ChangeSet {
        let paths = |contents_only| {
            ChangedPaths::new(changes.iter().filter(move |change| change.contents_only == contents_only))
        };
        ChangeSet { contents: paths(true), existence: paths(false), shared_lists: FxHashMap::default() }
    }

    /// Whether the contents of a file have changed.
    #[must_use]
    pub fn contents_changed(&self, path: &Path) -> bool {
        self.contents.contains(path)
    }

    /// Whether a file was created or removed, or cannot be read.
    #[must_use]
    pub fn existence_changed(&self, path: &Path) -> bool {
        self.existence.contains(path)
    }

    /// Whether a changed path was read. Files of which only parts were used are included with `parts`.
    pub fn affects(&mut self, reads: &Reads, parts: bool) -> bool {
        if self.existence.meets(&reads.paths) || self.contents.meets(&reads.whole_files) {
            return true;
        }
        if parts && self.contents.meets(&reads.paths) {
            return true;
        }
        let (contents, existence) = (&self.contents, &self.existence);
        let mut any = |lists: &[Arc<[OsString]>], with_contents: bool| {
            lists.iter().any(|list| {
                *self
                    .shared_lists
                    .entry((list.as_ptr().addr(), with_contents))
                    .or_insert_with(|| existence.meets(list) || (with_contents && contents.meets(list)))
            })
        };
        any(&reads.shared, true)
            || any(&reads.parts, parts)
            || (parts && any(&reads.caller_compared, true))
            || (parts && self.affects_node_inputs(reads))
    }

    /// Whether a changed path was read for the node's facts and classes.
    #[must_use]
    pub fn affects_node_inputs(&self, reads: &Reads) -> bool {
        self.existence.meets(&reads.node_inputs) || self.contents.meets(&reads.node_inputs)
    }

    /// Whether a path that the caller compares itself has changed.
    pub fn affects_caller_compared(&mut self, reads: &Reads) -> bool {
        reads.caller_compared.iter().any(|list| self.meets(list))
    }

    /// Whether one of these paths is among the changes.
    pub fn meets(&mut self, paths: &Arc<[OsString]>) -> bool {
        let (contents, existence) = (&self.contents, &self.existence);
        let entry = self.shared_lists.entry((paths.as_ptr().addr(), true));
        *entry.or_insert_with(|| existence.meets(paths) || contents.meets(paths))
    }
}
