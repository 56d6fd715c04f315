//! What changed in the world, and whose answers that concerns.
//!
//! In: changes, and what an answer read. Out: whether the one concerns the other. Must not: ask the world.

use super::Reads;
use rustc_hash::FxHashMap;
use rustc_hash::FxHashSet;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

/// A question that has another answer than before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What was read, listed or looked for.
    pub path: PathBuf,
    /// It is a file as before, with another text.
    pub text_only: bool,
}

/// Questions that have other answers than before, ready to be matched with what many compiles asked.
#[derive(Debug, Default)]
pub struct Changed {
    /// Files with another text, sorted.
    pub(super) text: Vec<OsString>,
    /// All other changes, sorted.
    pub(super) other: Vec<OsString>,
    pub(super) texts: FxHashSet<OsString>,
    pub(super) others: FxHashSet<OsString>,
    /// Whether lists that compiles share meet them, by where the list is.
    pub(super) known: FxHashMap<(usize, bool), bool>,
}

/// So many changes are looked for in a list; of more, a list is looked for in them.
pub(super) const FEW: usize = 16;

impl Changed {
    /// These changes.
    #[must_use]
    pub fn new(changes: &[Change]) -> Changed {
        let of = |text_only: bool| {
            let changes = changes.iter().filter(move |change| change.text_only == text_only);
            let mut list: Vec<OsString> = changes.map(|change| change.path.clone().into_os_string()).collect();
            list.sort_unstable();
            list
        };
        let (text, other) = (of(true), of(false));
        let (texts, others) = (text.iter().cloned().collect(), other.iter().cloned().collect());
        Changed { text, other, texts, others, known: FxHashMap::default() }
    }

    /// Whether a file has another text.
    #[must_use]
    pub fn has_text(&self, path: &Path) -> bool {
        self.texts.contains(path.as_os_str())
    }

    /// Whether a file is there no longer, or again, or cannot be read.
    #[must_use]
    pub fn has_other(&self, path: &Path) -> bool {
        self.others.contains(path.as_os_str())
    }

    /// Whether one of these questions was asked. Files of which only parts were used count with `parts`.
    pub fn concern(&mut self, reads: &Reads, parts: bool) -> bool {
        if meets(&reads.touched, &self.other, &self.others) || meets(&reads.whole, &self.text, &self.texts) {
            return true;
        }
        if parts && meets(&reads.touched, &self.text, &self.texts) {
            return true;
        }
        let (text, other, texts, others) = (&self.text, &self.other, &self.texts, &self.others);
        let mut any = |lists: &[Arc<[OsString]>], with_text: bool| {
            lists.iter().any(|list| {
                *self
                    .known
                    .entry((list.as_ptr().addr(), with_text))
                    .or_insert_with(|| meets(list, other, others) || (with_text && meets(list, text, texts)))
            })
        };
        any(&reads.shared, true)
            || any(&reads.parts, parts)
            || (parts && any(&reads.elsewhere, true))
            || (parts && self.concern_given(reads))
    }

    /// Whether one of the questions was asked to know the node.
    #[must_use]
    pub fn concern_given(&self, reads: &Reads) -> bool {
        meets(&reads.given, &self.other, &self.others) || meets(&reads.given, &self.text, &self.texts)
    }

    /// Whether something is other of which it is known elsewhere what that means.
    pub fn concern_elsewhere(&mut self, reads: &Reads) -> bool {
        reads.elsewhere.iter().any(|list| self.meets(list))
    }

    /// Whether one of these paths is among the changes.
    pub fn meets(&mut self, paths: &Arc<[OsString]>) -> bool {
        let found = || meets(paths, &self.other, &self.others) || meets(paths, &self.text, &self.texts);
        *self.known.entry((paths.as_ptr().addr(), true)).or_insert_with(found)
    }
}

/// Whether a sorted list and a set, which is also a sorted list, have an element in common.
pub(super) fn meets(list: &[OsString], changes: &[OsString], set: &FxHashSet<OsString>) -> bool {
    if changes.len() <= FEW {
        return changes.iter().any(|change| list.binary_search(change).is_ok());
    }
    list.iter().any(|path| set.contains(path))
}
