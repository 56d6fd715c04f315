//! Disks of one state of some trees, and the next version of a disk.
//!
//! In: answers that were just read. Out: whether they belong to the state of the disk. Must not: read contents.

use parking_lot::RwLock;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use super::machine::Machine;
use crate::Entry;
use crate::Kind;
use crate::WorldError;
use crate::tree_state::FileStamp;
use crate::tree_state::TreeState;

/// The state that answers must be from.
#[derive(Debug)]
pub(super) struct Version {
    state: RwLock<Arc<TreeState>>,
    /// How many answers were from later states.
    newer: AtomicU64,
}

impl Version {
    pub(super) fn new(state: Arc<TreeState>) -> Version {
        Version { state: RwLock::new(state), newer: AtomicU64::new(0) }
    }
}

impl Machine {
    pub(super) fn state(&self) -> Option<Arc<TreeState>> {
        self.version.as_ref().map(|version| version.state.read().clone())
    }

    pub(super) fn set_state(&self, state: Arc<TreeState>) {
        if let Some(version) = &self.version {
            *version.state.write() = state;
        }
    }

    pub(super) fn newer_answers(&self) -> u64 {
        self.version.as_ref().map_or(0, |version| version.newer.load(Ordering::SeqCst))
    }

    /// Whether an answer belongs to the state of this machine; counts those that do not.
    fn belongs(&self, holds: impl FnOnce(&TreeState) -> bool) -> bool {
        let Some(version) = &self.version else { return true };
        let holds = holds(&version.state.read());
        if !holds {
            // What is derived from this answer must not be reused, by whatever begins after it is counted.
            self.begin_generation();
            version.newer.fetch_add(1, Ordering::SeqCst);
        }
        holds
    }

    pub(super) fn file_belongs(&self, path: &Path, stamp: Option<FileStamp>) -> bool {
        self.belongs(|state| state.has_file(path, &self.on_disk(path), stamp))
    }

    pub(super) fn entries_belong(&self, path: &Path, entries: &Result<Arc<[Entry]>, WorldError>) -> bool {
        self.belongs(|state| state.has_entries(path, entries))
    }

    pub(super) fn kind_belongs(&self, path: &Path, kind: Kind) -> bool {
        self.belongs(|state| state.has_kind(path, kind))
    }

    pub(super) fn target_belongs(&self, path: &Path) -> bool {
        self.belongs(|state| state.has_target(path, &self.on_disk(path)))
    }
}
