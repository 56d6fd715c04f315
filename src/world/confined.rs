//! A world for untrusted code: files within bounds, and no processes, network or environment.
//!
//! In: a world, a [`Guard`]. Out: the same answers where the guard allows the question. Must not: keep answers.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::world::Command;
use crate::world::Entry;
use crate::world::Fetch;
use crate::world::Fetched;
use crate::world::Guard;
use crate::world::Kind;
use crate::world::Output;
use crate::world::Refused;
use crate::world::World;
use crate::world::dns::Answer;
use crate::world::dns::Question;

/// A world with a guard in front of it. ([`crate::world::Disk`] has one of its own.)
pub struct Confined {
    inner: Arc<dyn World>,
    guard: Guard,
}

impl Confined {
    /// This world with these rules.
    #[must_use]
    pub fn new(inner: Arc<dyn World>, guard: Guard) -> Confined {
        Confined { inner, guard }
    }

    fn admit(&self, path: &Path) -> Result<(), Refused> {
        self.guard.read(path, self.inner.as_ref())
    }
}

impl World for Confined {
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.admit(path)?;
        self.inner.read(path)
    }

    fn read_parts(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.admit(path)?;
        self.inner.read_parts(path)
    }

    fn read_listed(&self, path: &Path) -> Result<Arc<[u8]>, Refused> {
        self.admit(path)?;
        self.inner.read_listed(path)
    }

    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.admit(path)?;
        self.inner.list(path).map(|entries| self.guard.hide(path, entries, self.inner.as_ref()))
    }

    fn list_parts(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.admit(path)?;
        self.inner.list_parts(path).map(|entries| self.guard.hide(path, entries, self.inner.as_ref()))
    }

    fn kind(&self, path: &Path) -> Kind {
        match self.guard.look(path, self.inner.as_ref()) {
            Ok(()) => self.inner.kind(path),
            Err(_) => Kind::Missing,
        }
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, Refused> {
        self.admit(path)?;
        self.inner.canonical(path)
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        self.inner.link(path)
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        self.guard.env(name);
        None
    }

    fn env_names(&self) -> Vec<Arc<str>> {
        self.guard.env("*");
        Vec::new()
    }

    fn run(&self, command: &Command) -> Result<Output, Refused> {
        self.guard.run(&command.argv)?;
        self.inner.run(command)
    }

    fn run_once(&self, command: &Command) -> Result<Output, Refused> {
        self.guard.run(&command.argv)?;
        self.inner.run_once(command)
    }

    fn resolve(&self, question: &Question) -> Result<Answer, Refused> {
        Err(self.guard.network(&format!("the name {}", question.name)))
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
        Err(self.guard.network(&asked.url))
    }

    fn puppetdb(&self, _: &serde_json::Value) -> Result<serde_json::Value, Refused> {
        Err(self.guard.network("PuppetDB"))
    }

    fn has_puppetdb(&self) -> bool {
        self.inner.has_puppetdb()
    }

    fn generation(&self) -> Option<u64> {
        self.inner.generation()
    }

    fn touch_all(&self, paths: &Arc<[OsString]>) {
        self.inner.touch_all(paths);
    }

    fn touch_parts(&self, paths: &Arc<[OsString]>) {
        self.inner.touch_parts(paths);
    }

    fn touch_elsewhere(&self, paths: &Arc<[OsString]>) {
        self.inner.touch_elsewhere(paths);
    }
}
