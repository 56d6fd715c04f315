//! A world that allows less while the compile works for a script in a separate process: no processes, no network, no
//! environment, and only files of the site and its modules.
//!
//! In: the world of a compile, the directories that may be read, the extent of calls ([`ScriptCalls`]). Out: unchanged answers; within
//! such a call [`WorldError::NotAllowed`] for everything else. Must not: depend on the caller.
//!
//! Each compile has its own restricted world, and the extent of calls belongs to it. Questions about the existence of files below those
//! directories are always answered, since the results are also used after the call.

use parking_lot::Mutex;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use crate::Boundary;
use crate::World;
use crate::WorldError;
use crate::access::AccessPolicy;
use crate::access::GuardedWorld;
use crate::access::Question;

/// Why code that a script calls does not see environment variables.
pub const NO_ENVIRONMENT: &str = "reading environment variables, for an isolated script";

/// The calls of isolated scripts that a compile serves.
#[derive(Debug, Default)]
pub struct ScriptCalls {
    /// Whether the compile works for a script at present.
    is_running: AtomicBool,
    /// The first refusal, for the errors of code that sees only a missing file.
    refused: Mutex<Option<String>>,
}

/// Restores the extent, also when a panic unwinds.
struct Restore<'a>(&'a AtomicBool, bool);

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        self.0.store(self.1, Ordering::Relaxed);
    }
}

/// Calls `run` on behalf of a script: with fewer rights in this world.
pub fn for_script<T>(world: &dyn World, run: impl FnOnce() -> T) -> T {
    set(world, true, run)
}

/// Calls `run` with or without the restriction ([`is_for_script`]): for files that the site's configuration names, which a script
/// cannot change, and for deferred work. Only the world of a compile that isolated scripts call has a restriction.
pub fn set<T>(world: &dyn World, for_script: bool, run: impl FnOnce() -> T) -> T {
    let _restore = world.script_calls().map(|calls| {
        let is_running = &calls.is_running;
        Restore(is_running, is_running.swap(for_script, Ordering::Relaxed))
    });
    run()
}

/// Whether the compile of this world works for a script at present.
#[must_use]
pub fn is_for_script(world: &dyn World) -> bool {
    world.script_calls().is_some_and(|calls| calls.is_running.load(Ordering::Relaxed))
}

/// The first refusal in this world since the last call.
#[must_use]
pub fn take_refusal(world: &dyn World) -> Option<String> {
    world.script_calls().and_then(|calls| calls.refused.lock().take())
}

/// A world that refuses most questions within [`for_script`].
pub struct RestrictedWorld {
    inner: Arc<dyn World>,
    directories: Vec<PathBuf>,
    boundary: OnceLock<Boundary>,
    calls: ScriptCalls,
}

impl RestrictedWorld {
    /// A world in which scripts may read the files below these directories.
    #[must_use]
    pub fn new(inner: Arc<dyn World>, directories: Vec<PathBuf>) -> RestrictedWorld {
        RestrictedWorld { inner, directories, boundary: OnceLock::new(), calls: ScriptCalls::default() }
    }

    fn admit(&self, path: &Path, world: &dyn World) -> Result<(), WorldError> {
        let around = || Boundary::around(self.directories.iter().map(PathBuf::as_path), Path::new(""), world);
        let admitted = self.boundary.get_or_init(around).admit(path, world);
        admitted.map_err(|outside| self.refuse(&format!("reading a file ({outside})")))
    }

    fn refuse(&self, action: &str) -> WorldError {
        self.calls.refused.lock().get_or_insert_with(|| format!("an isolated script may not cause {action}"));
        WorldError::NotAllowed(Arc::from(format!("{action}, for an isolated script")))
    }

    /// Whether a path is below one of the directories as it is written.
    fn is_below(&self, path: &Path) -> bool {
        let plain = !path.components().any(|part| part == std::path::Component::ParentDir);
        plain && self.directories.iter().any(|directory| path.starts_with(directory))
    }
}

impl GuardedWorld for RestrictedWorld {
    type Inner = dyn World;

    fn inner(&self) -> &(dyn World + 'static) {
        self.inner.as_ref()
    }

    fn script_calls(&self) -> Option<&ScriptCalls> {
        Some(&self.calls)
    }

    fn policy(&self) -> Option<(&dyn AccessPolicy, &dyn World)> {
        self.calls.is_running.load(Ordering::Relaxed).then(|| (self as &dyn AccessPolicy, self.inner.as_ref()))
    }
}

impl AccessPolicy for RestrictedWorld {
    fn permit(&self, question: Question<'_>, world: &dyn World) -> Result<(), WorldError> {
        let action = match question {
            Question::Kind(path) if self.is_below(path) => return Ok(()),
            Question::Read(path) | Question::List(path) | Question::Kind(path) | Question::Canonical(path) => {
                return self.admit(path, world);
            }
            Question::Link(path) => return self.admit(path.parent().unwrap_or(path), world),
            Question::Env(name) => format!("reading the environment variable {name}"),
            Question::EnvNames => "reading the names of environment variables".to_owned(),
            Question::Run(command) => format!("running '{}'", command.argv.join(" ")),
            Question::Resolve(question) => format!("asking name servers for {}", question.name),
            Question::Fetch(page) => format!("getting {}", page.url),
            Question::SearchLdap(search) => format!("searching {}", search.url),
            Question::PuppetDb => "asking PuppetDB".to_owned(),
        };
        Err(self.refuse(&action))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::time::Duration;

    use super::*;
    use crate::Command;
    use crate::Kind;
    use crate::Memory;
    use crate::Runs;

    #[test]
    fn a_script_has_fewer_rights_only_within_its_call() {
        let files = Memory::new([("/site/a", "a"), ("/etc/b", "b")]);
        let world = RestrictedWorld::new(Arc::new(files), vec![PathBuf::from("/site")]);
        let read = |path: &str| world.read(Path::new(path)).map_err(|refused| refused.to_string());
        assert_eq!(for_script(&world, || read("/site/a")).unwrap().as_ref(), b"a");
        let refused = for_script(&world, || read("/etc/b")).unwrap_err();
        assert!(refused.contains("/etc/b is outside of the site and its modules"), "{refused}");
        assert_eq!(for_script(&world, || world.kind(Path::new("/etc/b"))), Kind::Missing);
        assert_eq!(for_script(&world, || set(&world, false, || world.kind(Path::new("/etc/b")))), Kind::File);
        let command = Command {
            argv: vec!["id".to_owned()],
            stdin: None,
            limit: Duration::ZERO,
            output: Command::OUTPUT,
            runs: Runs::Incidental,
        };
        let refused = for_script(&world, || world.run(&command)).unwrap_err();
        assert_eq!(refused.to_string(), "not allowed here: running 'id', for an isolated script");
        assert!(!is_for_script(&world) && read("/etc/b").is_ok());
    }
}
