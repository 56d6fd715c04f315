//! Whether the inputs of a compile are equal on both sides.
//!
//! The answers are compared, not names of changed files: a file that was moved aside and restored is the same. A file that
//! is the same in two revisions is the same bytes in memory, so that nothing is read twice.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use rustc_hash::FxHashMap;

use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::Reads;
use catwalk_world::World;

/// Two worlds.
pub struct Inputs {
    old: Arc<dyn World>,
    new: Arc<dyn World>,
    /// Directories whose entries do not affect a node: the site's, and the directory of nodes.
    not_listed: Vec<PathBuf>,
    known: RwLock<FxHashMap<OsString, bool>>,
}

impl Inputs {
    /// Compares these worlds. That entries of some directories come or go concerns no node that has its own file there.
    #[must_use]
    pub fn new(old: Arc<dyn World>, new: Arc<dyn World>, not_listed: Vec<PathBuf>) -> Inputs {
        Inputs { old, new, not_listed, known: RwLock::default() }
    }

    /// Whether a compile that read this would come out the same on the other side. What a process or server answers is not
    /// known to be the same.
    pub(super) fn same(&self, reads: &Reads) -> bool {
        !reads.is_volatile() && reads.paths().all(|path| self.same_at(path))
    }

    fn same_at(&self, path: &Path) -> bool {
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(path.as_os_str()) {
            return *known;
        }
        let same = self.compared(path);
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(path.as_os_str().to_owned(), same);
        same
    }

    fn compared(&self, path: &Path) -> bool {
        let kind = self.old.kind(path);
        if kind != self.new.kind(path) {
            return false;
        }
        match kind {
            Kind::Missing => true,
            Kind::Directory if self.not_listed.iter().any(|known| known == path) => true,
            Kind::Directory => self.old.list(path) == self.new.list(path),
            Kind::File => match (self.old.read(path), self.new.read(path)) {
                (Ok(old), Ok(new)) => Arc::ptr_eq(&old, &new) || old == new,
                (old, new) => old == new,
            },
        }
    }

    /// Whether a file, or a directory with all that is in it, is the same on both sides.
    pub(super) fn same_below(&self, path: &Path) -> bool {
        self.same_tree(path, &mut Descent::default())
    }

    fn same_tree(&self, path: &Path, descent: &mut Descent) -> bool {
        if !self.same_at(path) {
            return false;
        }
        match self.old.kind(path) {
            Kind::Directory => {
                let entries = self.old.list(path).unwrap_or_default();
                entries.iter().all(|entry| {
                    let path = path.join(&*entry.name);
                    let skipped = entry.kind == Kind::Directory && !descent.enters(self.old.as_ref(), &path, entry);
                    skipped || self.same_tree(&path, descent)
                })
            }
            _ => true,
        }
    }
}
