//! Remembers what one compile asked, so that a change is matched against exactly that.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustc_hash::FxHashSet;

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
    /// By the text of the path: comparing or hashing a `Path` takes it apart into components.
    touched: Mutex<FxHashSet<OsString>>,
    volatile: AtomicBool,
}

impl Recorded {
    /// Wraps a world for one compile.
    #[must_use]
    pub fn new(inner: Arc<dyn World>) -> Recorded {
        Recorded { inner, touched: Mutex::default(), volatile: AtomicBool::new(false) }
    }

    /// What was asked so far.
    #[must_use]
    pub fn reads(&self) -> Reads {
        let touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        Reads { touched: touched.iter().map(PathBuf::from).collect(), volatile: self.volatile.load(Ordering::Relaxed) }
    }

    fn touch(&self, path: &Path) {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        if !touched.contains(path.as_os_str()) {
            touched.insert(path.as_os_str().to_owned());
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
        self.volatile.store(true, Ordering::Relaxed);
        self.inner.run(command)
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn random(&self) -> u128 {
        self.inner.random()
    }
}
