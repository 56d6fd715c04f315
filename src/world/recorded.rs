//! Remembers what one compile asked, so that a change is matched against exactly that.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use crate::world::Command;
use crate::world::Entry;
use crate::world::Kind;
use crate::world::Output;
use crate::world::Refused;
use crate::world::World;

/// What a compile asked of the outside.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Every path that was read, listed or looked for, found or not.
    pub touched: BTreeSet<PathBuf>,
    /// Whether it ran a process, so that no file tells when the answer changes.
    pub volatile: bool,
}

/// A world that remembers its questions.
pub struct Recorded {
    inner: Arc<dyn World>,
    reads: Mutex<Reads>,
}

impl Recorded {
    /// Wraps a world for one compile.
    #[must_use]
    pub fn new(inner: Arc<dyn World>) -> Recorded {
        Recorded { inner, reads: Mutex::default() }
    }

    /// What was asked so far.
    #[must_use]
    pub fn reads(&self) -> Reads {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn touch(&self, path: &Path) {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        if !reads.touched.contains(path) {
            reads.touched.insert(path.to_path_buf());
        }
    }
}

impl World for Recorded {
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.touch(path);
        self.inner.read(path)
    }

    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.touch(path);
        self.inner.list(path)
    }

    fn kind(&self, path: &Path) -> Kind {
        self.touch(path);
        self.inner.kind(path)
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        self.inner.env(name)
    }

    fn run(&self, command: &Command) -> Result<Output, Refused> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).volatile = true;
        self.inner.run(command)
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn random(&self) -> u128 {
        self.inner.random()
    }
}
