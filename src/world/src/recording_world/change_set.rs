//! What changed in the world, and which compiles that affects.
//!
//! In: changed files, and the reads of a compile. Out: whether the compile is affected. Must not: read anything itself.

use super::Reads;
use rustc_hash::FxHashSet;
use std::ffi::OsString;
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
        ChangeSet { contents: paths(true), existence: paths(false) }
    }

    /// Whether a changed path was read. Files of which only parts were used are included with `parts`.
    #[must_use]
    pub fn affects(&self, reads: &Reads, parts: bool) -> bool {
        let any = |lists: &[Arc<[OsString]>], with_contents: bool| {
            lists.iter().any(|list| self.existence.meets(list) || (with_contents && self.contents.meets(list)))
        };
        self.existence.meets(&reads.paths)
            || self.contents.meets(&reads.whole_files)
            || (parts && self.contents.meets(&reads.paths))
            || any(&reads.shared, true)
            || any(&reads.parts, parts)
            || (parts && any(&reads.caller_compared, true))
            || (parts && any(std::slice::from_ref(&reads.node_inputs), true))
    }
}
