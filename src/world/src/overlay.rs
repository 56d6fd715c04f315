//! A world that adds files in memory, such as those that a test defines, to another world.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Dependency;
use crate::Entry;
use crate::Kind;
use crate::Memory;
use crate::World;
use crate::WorldError;
use catwalk_base::secrets::SecretCollection;

/// Files in memory over another world. Directories are not merged: a directory with files in memory contains no others.
pub struct Overlay {
    files: Memory,
    inner: Arc<dyn World>,
}

impl Overlay {
    /// Adds files to a world.
    #[must_use]
    pub fn new(files: Memory, inner: Arc<dyn World>) -> Overlay {
        Overlay { files, inner }
    }
}

impl World for Overlay {
    fn below(&self) -> Option<&dyn World> {
        Some(self.inner.as_ref())
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        self.inner.secrets()
    }

    /// The world below records every file as read whole; narrower dependencies are recorded only here.
    fn read_for(&self, path: &Path, _: Dependency) -> Result<Arc<[u8]>, WorldError> {
        self.files.read(path).or_else(|_| self.inner.read(path))
    }

    fn list_for(&self, path: &Path, used: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        self.files.list(path).or_else(|_| self.inner.list_for(path, used))
    }

    fn kind(&self, path: &Path) -> Kind {
        match self.files.kind(path) {
            Kind::Missing => self.inner.kind(path),
            known => known,
        }
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, WorldError> {
        self.files.canonical(path).or_else(|_| self.inner.canonical(path))
    }
}
