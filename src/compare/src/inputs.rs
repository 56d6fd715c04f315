//! Whether the inputs of a compile are equal on both sides.
//!
//! Contents are compared, not the names of changed files, so a file that was changed and restored is equal. A file that is the same in two
//! revisions has the same bytes in memory, so it is not read twice.

use parking_lot::RwLock;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::Reads;
use catwalk_world::World;

/// Compares the inputs of compiles in two worlds.
pub struct Inputs {
    old: Arc<dyn World>,
    new: Arc<dyn World>,
    /// Directories whose lists of entries are not compared: that of the site, and the directory of nodes.
    not_listed: Vec<PathBuf>,
    /// The results so far.
    cache: RwLock<FxHashMap<OsString, bool>>,
}

impl Inputs {
    /// Compares two worlds. The lists of entries of the directories `not_listed` do not matter: a node reads only its own file there.
    #[must_use]
    pub fn new(old: Arc<dyn World>, new: Arc<dyn World>, not_listed: Vec<PathBuf>) -> Inputs {
        Inputs { old, new, not_listed, cache: RwLock::default() }
    }

    /// Whether a compile with these reads has the same result on the other side. If it reads the responses of processes or servers, this is
    /// unknown and the result is false.
    pub(super) fn are_same(&self, reads: &Reads) -> bool {
        !reads.is_volatile() && reads.paths().all(|path| self.is_same_at(path))
    }

    fn is_same_at(&self, path: &Path) -> bool {
        if let Some(same) = self.cache.read().get(path.as_os_str()) {
            return *same;
        }
        let same = self.compare(path);
        self.cache.write().insert(path.as_os_str().to_owned(), same);
        same
    }

    fn compare(&self, path: &Path) -> bool {
        let kind = self.old.kind(path);
        if kind != self.new.kind(path) {
            return false;
        }
        match kind {
            Kind::Missing => true,
            Kind::Directory if self.not_listed.iter().any(|directory| directory == path) => true,
            Kind::Directory => self.old.list(path) == self.new.list(path),
            Kind::File => match (self.old.read(path), self.new.read(path)) {
                (Ok(old), Ok(new)) => Arc::ptr_eq(&old, &new) || old == new,
                (old, new) => old == new,
            },
        }
    }

    /// Whether a file, or a directory with everything in it, is the same on both sides.
    pub(super) fn is_same_below(&self, path: &Path) -> bool {
        self.is_same_tree(path, &mut Descent::default())
    }

    fn is_same_tree(&self, path: &Path, descent: &mut Descent) -> bool {
        if !self.is_same_at(path) {
            return false;
        }
        match self.old.kind(path) {
            Kind::Directory => {
                let entries = self.old.list(path).unwrap_or_default();
                entries.iter().all(|entry| {
                    let path = path.join(&*entry.name);
                    let skipped = entry.kind == Kind::Directory && !descent.enters(self.old.as_ref(), &path, entry);
                    skipped || self.is_same_tree(&path, descent)
                })
            }
            _ => true,
        }
    }
}
