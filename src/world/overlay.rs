//! A world with a few more files: what a test makes up, over what is there.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::world::Command;
use crate::world::Entry;
use crate::world::Fetch;
use crate::world::Fetched;
use crate::world::Kind;
use crate::world::Memory;
use crate::world::Output;
use crate::world::Refused;
use crate::world::World;
use crate::world::dns::Answer;
use crate::world::dns::Question;

/// Files in memory over another world. Directories are not merged: those that hold made-up files hold no others.
pub struct Overlay {
    files: Memory,
    inner: Arc<dyn World>,
}

impl Overlay {
    /// These files over that world.
    #[must_use]
    pub fn new(files: Memory, inner: Arc<dyn World>) -> Overlay {
        Overlay { files, inner }
    }
}

impl World for Overlay {
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.files.read(path).or_else(|_| self.inner.read(path))
    }

    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.files.list(path).or_else(|_| self.inner.list(path))
    }

    fn list_parts(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.files.list(path).or_else(|_| self.inner.list_parts(path))
    }

    fn kind(&self, path: &Path) -> Kind {
        match self.files.kind(path) {
            Kind::Missing => self.inner.kind(path),
            known => known,
        }
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        self.inner.link(path)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, Refused> {
        self.files.canonical(path).or_else(|_| self.inner.canonical(path))
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        self.inner.env(name)
    }

    fn env_names(&self) -> Vec<Arc<str>> {
        self.inner.env_names()
    }

    fn run(&self, command: &Command) -> Result<Output, Refused> {
        self.inner.run(command)
    }

    fn run_once(&self, command: &Command) -> Result<Output, Refused> {
        self.inner.run_once(command)
    }

    fn resolve(&self, question: &Question) -> Result<Answer, Refused> {
        self.inner.resolve(question)
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn random(&self) -> u128 {
        self.inner.random()
    }

    fn memory(&self) -> Option<u64> {
        self.inner.memory()
    }

    fn fetch(&self, asked: &Fetch) -> Result<Fetched, Refused> {
        self.inner.fetch(asked)
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, Refused> {
        self.inner.puppetdb(query)
    }

    fn has_puppetdb(&self) -> bool {
        self.inner.has_puppetdb()
    }

    fn generation(&self) -> Option<u64> {
        self.inner.generation()
    }

    fn touch_parts(&self, paths: &Arc<[OsString]>) {
        self.inner.touch_parts(paths);
    }

    fn touch_elsewhere(&self, paths: &Arc<[OsString]>) {
        self.inner.touch_elsewhere(paths);
    }

    fn touch_all(&self, paths: &Arc<[OsString]>) {
        self.inner.touch_all(paths);
    }
}
