//! A world that gives less while the compile works for a script in a process of its own: no processes, no network, no environment, and
//! only files of the site and its modules.
//!
//! In: the world of a compile, the directories that may be read, the extent of calls ([`for_script`]). Out: the same world;
//! within such a call [`Refused::NotAllowed`] for the rest. Must not: know who calls, or what for.
//!
//! A compile runs in one thread, so the extent belongs to the thread. Whether something exists below those directories is answered as
//! ever: what is found out within a call is used outside of it, too.

use std::cell::Cell;
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

use crate::world::Boundary;
use crate::world::Command;
use crate::world::Entry;
use crate::world::Fetch;
use crate::world::Fetched;
use crate::world::Kind;
use crate::world::Output;
use crate::world::Outside;
use crate::world::Refused;
use crate::world::World;
use crate::world::dns::Answer;
use crate::world::dns::Question;

/// Why code that a script calls does not see environment variables.
pub const NO_ENVIRONMENT: &str = "reading environment variables, for a script in a process of its own";

thread_local! {
    static FOR_SCRIPT: Cell<bool> = const { Cell::new(false) };
    /// What was refused first, for errors of code that only sees that something is missing.
    static REFUSED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Sets the extent back, also when something unwinds.
struct Restore(bool);

impl Drop for Restore {
    fn drop(&mut self) {
        FOR_SCRIPT.set(self.0);
    }
}

/// Runs something that a script caused: with less, in this thread, until it returns.
pub fn for_script<T>(run: impl FnOnce() -> T) -> T {
    set(true, run)
}

/// Runs something as it was before ([`is_for_script`]): what the site's configuration names and a script cannot change, or what was
/// put off until now.
pub fn set<T>(for_script: bool, run: impl FnOnce() -> T) -> T {
    let _restore = Restore(FOR_SCRIPT.replace(for_script));
    run()
}

/// Whether this thread works for a script at present.
#[must_use]
pub fn is_for_script() -> bool {
    FOR_SCRIPT.get()
}

/// What was refused first in this thread since the last question for it.
#[must_use]
pub fn take_refusal() -> Option<String> {
    REFUSED.take()
}

/// A world that gives less within [`for_script`].
pub struct Restricted {
    inner: Arc<dyn World>,
    directories: Vec<PathBuf>,
    boundary: OnceLock<Boundary>,
}

impl Restricted {
    /// A world of which scripts may have what is below these directories.
    #[must_use]
    pub fn new(inner: Arc<dyn World>, directories: Vec<PathBuf>) -> Restricted {
        Restricted { inner, directories, boundary: OnceLock::new() }
    }

    fn admit(&self, path: &Path) -> Result<(), Refused> {
        if !is_for_script() {
            return Ok(());
        }
        let around = || Boundary::around(self.directories.iter().map(PathBuf::as_path), self.inner.as_ref());
        match self.boundary.get_or_init(around).admit(path, self.inner.as_ref()) {
            Ok(_) => Ok(()),
            Err(Outside::Unresolved(refused)) if self.is_below(path) => Err(refused),
            Err(Outside::Unresolved(_)) => Err(refused(&format!("reading {}", path.display()))),
            Err(outside) => Err(refused(&format!("reading a file ({outside})"))),
        }
    }

    /// Whether a path is below one of the directories as it is written.
    fn is_below(&self, path: &Path) -> bool {
        let plain = !path.components().any(|part| part == std::path::Component::ParentDir);
        plain && self.directories.iter().any(|directory| path.starts_with(directory))
    }

    fn power<T>(&self, what: impl FnOnce() -> String, run: impl FnOnce() -> Result<T, Refused>) -> Result<T, Refused> {
        if is_for_script() { Err(refused(&what())) } else { run() }
    }
}

fn refused(what: &str) -> Refused {
    REFUSED.with_borrow_mut(|first| {
        _ = first.get_or_insert_with(|| format!("a script in a process of its own may not cause {what}"))
    });
    Refused::NotAllowed(Arc::from(format!("{what}, for a script in a process of its own")))
}

impl World for Restricted {
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
        self.inner.list(path)
    }

    fn list_parts(&self, path: &Path) -> Result<Arc<[Entry]>, Refused> {
        self.admit(path)?;
        self.inner.list_parts(path)
    }

    fn kind(&self, path: &Path) -> Kind {
        if is_for_script() && !self.is_below(path) && self.admit(path).is_err() {
            return Kind::Missing;
        }
        self.inner.kind(path)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, Refused> {
        self.admit(path)?;
        self.inner.canonical(path)
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        if is_for_script() {
            let _ = refused(&format!("reading the environment variable {name}"));
            return None;
        }
        self.inner.env(name)
    }

    fn env_names(&self) -> Vec<Arc<str>> {
        if is_for_script() { Vec::new() } else { self.inner.env_names() }
    }

    fn run(&self, command: &Command) -> Result<Output, Refused> {
        self.power(|| format!("running '{}'", command.argv.join(" ")), || self.inner.run(command))
    }

    fn run_once(&self, command: &Command) -> Result<Output, Refused> {
        self.power(|| format!("running '{}'", command.argv.join(" ")), || self.inner.run_once(command))
    }

    fn resolve(&self, question: &Question) -> Result<Answer, Refused> {
        self.power(|| format!("asking name servers for {}", question.name), || self.inner.resolve(question))
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
        self.power(|| format!("getting {}", asked.url), || self.inner.fetch(asked))
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, Refused> {
        self.power(|| "asking PuppetDB".to_owned(), || self.inner.puppetdb(query))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::world::Memory;

    #[test]
    fn less_is_given_within_a_call_and_only_there() {
        let files = Memory::new([("/site/a", "a"), ("/etc/b", "b")]);
        let world = Restricted::new(Arc::new(files), vec![PathBuf::from("/site")]);
        let read = |path: &str| world.read(Path::new(path)).map_err(|refused| refused.to_string());
        assert_eq!(for_script(|| read("/site/a")).unwrap().as_ref(), b"a");
        let refused = for_script(|| read("/etc/b")).unwrap_err();
        assert!(refused.contains("/etc/b is outside of the site and its modules"), "{refused}");
        assert_eq!(for_script(|| world.kind(Path::new("/etc/b"))), Kind::Missing);
        assert_eq!(for_script(|| set(false, || world.kind(Path::new("/etc/b")))), Kind::File);
        let command = Command {
            argv: vec!["id".to_owned()],
            stdin: None,
            limit: Duration::ZERO,
            output: Command::OUTPUT,
            decisive: false,
        };
        let refused = for_script(|| world.run(&command)).unwrap_err();
        assert_eq!(refused.to_string(), "not allowed here: running 'id', for a script in a process of its own");
        assert!(!is_for_script() && read("/etc/b").is_ok());
    }
}
