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
    pub text_only: bool,
}

/// Changed paths, prepared for comparison with the reads of many compiles.
#[derive(Debug, Default)]
pub struct ChangeSet {
    /// Files with different contents, sorted.
    pub(super) text: Vec<OsString>,
    /// All other changes, sorted.
    pub(super) other: Vec<OsString>,
    pub(super) texts: FxHashSet<OsString>,
    pub(super) others: FxHashSet<OsString>,
    /// Whether a shared list contains a change, by the address of the list.
    pub(super) shared_lists: FxHashMap<(usize, bool), bool>,
}

/// Up to this many changes, each is searched for in a list; beyond that, each element of the list in the changes.
pub(super) const FEW: usize = 16;

impl ChangeSet {
    /// The set of these changes.
    #[must_use]
    pub fn new(changes: &[Change]) -> ChangeSet {
        let of = |text_only: bool| {
            let changes = changes.iter().filter(move |change| change.text_only == text_only);
            let mut list: Vec<OsString> = changes.map(|change| change.path.clone().into_os_string()).collect();
            list.sort_unstable();
            list
        };
        let (text, other) = (of(true), of(false));
        let (texts, others) = (text.iter().cloned().collect(), other.iter().cloned().collect());
        ChangeSet { text, other, texts, others, shared_lists: FxHashMap::default() }
    }

    /// Whether the contents of a file have changed.
    #[must_use]
    pub fn contents_changed(&self, path: &Path) -> bool {
        self.texts.contains(path.as_os_str())
    }

    /// Whether a file was created or removed, or cannot be read.
    #[must_use]
    pub fn existence_changed(&self, path: &Path) -> bool {
        self.others.contains(path.as_os_str())
    }

    /// Whether a changed path was read. Files of which only parts were used are included with `parts`.
    pub fn affects(&mut self, reads: &Reads, parts: bool) -> bool {
        if meets(&reads.paths, &self.other, &self.others) || meets(&reads.whole_files, &self.text, &self.texts) {
            return true;
        }
        if parts && meets(&reads.paths, &self.text, &self.texts) {
            return true;
        }
        let (text, other, texts, others) = (&self.text, &self.other, &self.texts, &self.others);
        let mut any = |lists: &[Arc<[OsString]>], with_text: bool| {
            lists.iter().any(|list| {
                *self
                    .shared_lists
                    .entry((list.as_ptr().addr(), with_text))
                    .or_insert_with(|| meets(list, other, others) || (with_text && meets(list, text, texts)))
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
        meets(&reads.node_inputs, &self.other, &self.others) || meets(&reads.node_inputs, &self.text, &self.texts)
    }

    /// Whether a path that the caller compares itself has changed.
    pub fn affects_caller_compared(&mut self, reads: &Reads) -> bool {
        reads.caller_compared.iter().any(|list| self.meets(list))
    }

    /// Whether one of these paths is among the changes.
    pub fn meets(&mut self, paths: &Arc<[OsString]>) -> bool {
        let found = || meets(paths, &self.other, &self.others) || meets(paths, &self.text, &self.texts);
        *self.shared_lists.entry((paths.as_ptr().addr(), true)).or_insert_with(found)
    }
}

/// Whether a sorted list and the changes, as a sorted list and as a set, have an element in common.
pub(super) fn meets(list: &[OsString], changes: &[OsString], set: &FxHashSet<OsString>) -> bool {
    if changes.len() <= FEW {
        return changes.iter().any(|change| list.binary_search(change).is_ok());
    }
    list.iter().any(|path| set.contains(path))
}
