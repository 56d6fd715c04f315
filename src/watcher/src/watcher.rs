//! The directories that are watched, and what their events say about the paths that compiles touched.

mod batch;
mod fence;
mod ignore;
mod links;
mod moved;

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use notify::Event;
use notify::RecursiveMode;
use rustc_hash::FxHashSet;

pub use self::fence::Fence;
pub use self::ignore::Ignore;
use self::links::Links;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_session::Changes;
use catwalk_session::update::State;
use catwalk_world::Kind;
use catwalk_world::World;

/// Whether the system reports when a written file is closed.
const CLOSES: bool = cfg!(any(target_os = "linux", target_os = "android"));
/// The interval of polling if the system has no more watches.
const FALLBACK: Duration = Duration::from_secs(1);

/// The source of hints.
enum Source {
    /// The system's events.
    Events(Box<dyn notify::Watcher + Send>),
    /// Polling of all paths at this interval.
    Poll(Duration),
}

/// The event that ends a wait.
enum Hint {
    Event(notify::Result<Event>),
    /// A different thread ends the wait.
    Wake,
}

/// Ends a wait for the next batch from another thread.
#[derive(Clone, Debug)]
pub struct Waker(mpsc::Sender<Hint>);

impl Waker {
    /// Ends the wait; the changes so far are the batch, which may be empty.
    pub fn wake(&self) {
        // A watcher that has ended does not wait.
        let _ = self.0.send(Hint::Wake);
    }
}

/// Watches directories.
pub struct Watcher {
    source: Source,
    hints: mpsc::Receiver<Hint>,
    waker: Waker,
    /// The time of the next poll, if a wait for it was interrupted.
    due: Option<Instant>,
    watched: BTreeSet<PathBuf>,
    /// The watched directories that have several names, each with its other names.
    shared_watches: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// The links on the way to the paths that compiles touched.
    links: Links,
    /// Paths whose changes are ignored.
    pub ignore: Ignore,
    /// The limit on watches; the system also has one.
    limit: usize,
    /// A batch does not end while this file exists: `git` is running.
    pub lock: Option<PathBuf>,
    touched: FxHashSet<PathBuf>,
    /// Paths of the current batch that were written and not closed, or removed.
    unfinished: FxHashSet<PathBuf>,
    /// Paths used by compiles that are open for writing.
    writing: FxHashSet<PathBuf>,
    /// Events that arrived while nothing waited for them.
    pending: Changes,
    /// Paths that were replaced since watches were set.
    moved: FxHashSet<PathBuf>,
    /// Whether events were lost, so that any path may have been replaced.
    events_lost: bool,
    /// Whether a directory could not be watched.
    is_incomplete: bool,
    /// The version of the paths that nodes touched, and the additional paths, when watches were set.
    watched_state: (u64, Vec<PathBuf>),
    /// A warning for the user that was not printed yet.
    warning: Option<Reason>,
}

/// The result of setting watches.
#[derive(Debug, Default)]
pub struct Watches {
    /// Directories that were not watched before: earlier changes in them are unknown.
    pub new: BTreeSet<PathBuf>,
    /// A warning for the user: the system has no more watches.
    pub warning: Option<Reason>,
}

impl Watcher {
    /// A watcher; with `poll` it polls the file system at an interval instead of waiting for its events (network and container mounts).
    /// If the system has too many watchers, all files are polled every second.
    ///
    /// # Errors
    /// The system's watch facility is not available.
    pub fn new(poll: Option<Duration>) -> Result<Watcher, Reason> {
        let (sender, hints) = mpsc::channel();
        let waker = Waker(sender.clone());
        let (source, warning) = match poll {
            Some(interval) => (Source::Poll(interval), None),
            None => {
                // Sending fails only after the receiver has ended.
                let send = move |event| drop(sender.send(Hint::Event(event)));
                let events = notify::recommended_watcher(send);
                source(events.map(|events| Box::new(events) as Box<dyn notify::Watcher + Send>))?
            }
        };
        Ok(Watcher {
            source,
            hints,
            waker,
            due: None,
            watched: BTreeSet::new(),
            shared_watches: BTreeMap::new(),
            links: Links::default(),
            ignore: Ignore::default(),
            limit: usize::MAX,
            lock: None,
            touched: FxHashSet::default(),
            unfinished: FxHashSet::default(),
            writing: FxHashSet::default(),
            pending: Changes::default(),
            moved: FxHashSet::default(),
            events_lost: false,
            is_incomplete: true,
            watched_state: Default::default(),
            warning,
        })
    }

    /// Limits the number of watches, as the system may.
    #[must_use]
    pub fn limited(mut self, limit: usize) -> Watcher {
        self.limit = limit;
        self
    }

    /// A handle that ends a wait from another thread.
    #[must_use]
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Whether it polls.
    #[must_use]
    pub fn polls(&self) -> bool {
        matches!(self.source, Source::Poll(_))
    }

    /// Prepares a state for the next edit and watches its dependencies and the paths `additional`. Does nothing if the paths have not
    /// changed.
    ///
    /// # Errors
    /// As [`Watcher::watch`].
    pub fn watch_state(
        &mut self,
        state: &mut State,
        additional: Vec<PathBuf>,
        world: &dyn World,
    ) -> Result<Watches, Reason> {
        state.prepare();
        let now = (state.paths_version(), additional);
        if !self.is_incomplete && self.watched_state == now && !self.is_outdated_by_moves() {
            return Ok(Watches::default());
        }
        let watches = self.watch(state.paths().chain(now.1.iter().map(PathBuf::as_path)), world)?;
        self.watched_state = now;
        Ok(watches)
    }

    /// Watches the relevant directories for these paths: a directory itself, a file's directory, the nearest existing parent of a missing
    /// path. Stops watching all other directories. If the system has no more watches, all files are polled every second from then on.
    ///
    /// # Errors
    /// A directory cannot be watched.
    pub fn watch<'a>(&mut self, touched: impl Iterator<Item = &'a Path>, world: &dyn World) -> Result<Watches, Reason> {
        if self.polls() {
            return Ok(Watches { warning: self.warning.take(), ..Watches::default() });
        }
        self.forget_moved();
        let mut distinct: FxHashSet<&OsStr> = FxHashSet::default();
        let mut directories = BTreeSet::new();
        let mut folders: FxHashSet<&Path> = FxHashSet::default();
        self.touched.clear();
        self.links.begin();
        for path in touched.filter(|path| distinct.insert(path.as_os_str())) {
            self.touched.insert(path.to_path_buf());
            self.links.add(path);
            let is_directory = |path: &&Path| folders.contains(path) || world.kind(path) == Kind::Directory;
            // A watch on the root directory is useless.
            if let Some(directory) =
                path.ancestors().find(is_directory).filter(|directory| directory.parent().is_some())
                && folders.insert(directory)
            {
                directories.insert(directory.to_path_buf());
            }
        }
        self.links.add_directories(&mut directories, is_directory_on_disk);
        self.links.name_directories(&directories);
        self.set_watches(directories)
    }

    fn set_watches(&mut self, directories: BTreeSet<PathBuf>) -> Result<Watches, Reason> {
        let mut result = Watches::default();
        let Source::Events(inner) = &mut self.source else { return Ok(result) };
        self.is_incomplete = false;
        let removed: Vec<PathBuf> = self.watched.difference(&directories).cloned().collect();
        // All names of a directory share a watch of the system, which ends with the first.
        let others = removed.iter().flat_map(|path| self.shared_watches.remove(path).unwrap_or_default());
        let removed: Vec<PathBuf> = others.chain(removed.iter().cloned()).collect();
        for path in removed {
            // The directory may have been removed, and the watch with it.
            let _ = inner.unwatch(&path);
            self.watched.remove(&path);
        }
        self.shared_watches = directories
            .iter()
            .map(|directory| (directory.clone(), self.links.aliases(directory).to_vec()))
            .filter(|(_, others)| !others.is_empty())
            .collect();
        for path in directories {
            if self.watched.contains(&path) {
                continue;
            }
            let watched = match self.watched.len() < self.limit {
                true => inner.watch(&path, RecursiveMode::NonRecursive),
                false => Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch)),
            };
            match watched {
                Ok(()) => {
                    self.watched.insert(path.clone());
                    result.new.insert(path);
                }
                Err(error) if is_limit(&error) => {
                    let text = format!("the system allows no more watches than {}", self.watched.len());
                    result.warning = Some(exhausted(text, "fs.inotify.max_user_watches"));
                    self.source = Source::Poll(FALLBACK);
                    self.watched.clear();
                    self.is_incomplete = true;
                    return Ok(result);
                }
                // The directory was removed or cannot be read: the watch on its parent reports a change of that.
                Err(error) if is_unreadable(&error) => self.is_incomplete = true,
                Err(error) => return Err(failed(&error)),
            }
        }
        Ok(result)
    }
}

/// Whether a directory outside of what compiles use exists.
#[allow(clippy::disallowed_methods, reason = "a hint, which decides nothing")]
fn is_directory_on_disk(path: &Path) -> bool {
    path.is_dir()
}

fn is_limit(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::MaxFilesWatch => true,
        // Too many instances of the facility, or no space for watches.
        notify::ErrorKind::Io(error) => matches!(error.raw_os_error(), Some(24 | 28)),
        _ => false,
    }
}

fn is_unreadable(error: &notify::Error) -> bool {
    use std::io::ErrorKind;
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => {
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::NotADirectory)
        }
        _ => false,
    }
}

fn exhausted(text: String, setting: &str) -> Reason {
    let help = format!("everything is polled every second instead; raise {setting}");
    Reason::new(Code::WATCH_LIMIT, text).help(help)
}

/// The system's events, or polling with a warning for the user.
fn source(events: notify::Result<Box<dyn notify::Watcher + Send>>) -> Result<(Source, Option<Reason>), Reason> {
    match events {
        Ok(events) => Ok((Source::Events(events), None)),
        Err(error) if is_limit(&error) => {
            let text = "the system has no watchers left: other programs use them all".to_owned();
            Ok((Source::Poll(FALLBACK), Some(exhausted(text, "fs.inotify.max_user_instances"))))
        }
        Err(error) => Err(failed(&error)),
    }
}

fn failed(error: &notify::Error) -> Reason {
    let reason = Reason::new(Code::WATCH_FAILED, format!("cannot watch for changes: {error}"));
    reason.help("--poll works without the system's events")
}

#[cfg(test)]
#[allow(clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn too_many_watchers_are_no_failure() {
        let error = |code| notify::Error::io(std::io::Error::from_raw_os_error(code));
        // EMFILE, which inotify_init returns at fs.inotify.max_user_instances, and ENOSYS.
        let Ok((Source::Poll(FALLBACK), Some(warning))) = source(Err(error(24))) else { panic!("no warning") };
        assert_eq!(warning.code, Code::WATCH_LIMIT);
        assert_eq!(source(Err(error(38))).err().map(|reason| reason.code), Some(Code::WATCH_FAILED));
    }
}
