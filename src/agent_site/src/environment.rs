//! One environment in memory, which is updated after edits and before it compiles.
//!
//! In: requests to compile. Out: catalogs of the files at the time of the request. Must not: know nodes, store catalogs. An edit
//! invalidates only its files; a change of `catwalk.toml` reopens the environment, while running compiles keep using the old session.

use parking_lot::Mutex;
use parking_lot::RwLock;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use crate::serve_log::ServeLog;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_session::Changes;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::site;
use catwalk_watcher::Fence;
use catwalk_watcher::Watcher;
use catwalk_world::Disk;
use catwalk_world::World;

/// An environment that is served.
pub(crate) struct ServedEnvironment {
    options: Options,
    current: RwLock<Arc<OpenEnvironment>>,
    follower: Mutex<Follower>,
    /// The numbers of started and finished checks for changes.
    begun: AtomicU64,
    ended: AtomicU64,
    log: Arc<dyn ServeLog>,
}

/// A session with its state.
pub(crate) struct OpenEnvironment {
    /// The session.
    pub(crate) session: Session,
    world: Arc<Disk>,
    /// Locked while a compile runs and its messages are printed.
    running: RwLock<()>,
    /// The time of the last change of the code, in seconds since 1970: the version of catalogs.
    changed: AtomicU64,
}

/// Finds changes.
struct Follower {
    /// `None`: all files are checked for each request.
    watcher: Option<(Watcher, Fence, tempfile::TempDir)>,
    /// The number of cached reads when watches were set.
    watched: usize,
}

/// The error for a site with untrusted code, since a server has keys and facts of all nodes.
#[must_use]
pub fn untrusted_site() -> Reason {
    let text = "untrusted code is not served: it would run beside the facts of all nodes and the server's key";
    let help =
        "serve a site that you trust: without --untrusted, CATWALK_UNTRUSTED and `untrusted = true` in catwalk.toml";
    Reason::new(Code::SERVE_UNTRUSTED, text).help(help)
}

/// Missing files in the directory of each link to a site, which make the watcher detect that the link is replaced.
fn switches(root: Option<&Path>) -> Vec<PathBuf> {
    let world = Disk::new();
    let links = root.into_iter().flat_map(Path::ancestors).filter(|path| world.link(path).is_some());
    links.map(|link| link.with_file_name(".no such file")).collect()
}

fn now(world: &Disk) -> u64 {
    world.now().as_secs()
}

fn open(options: &Options) -> Result<OpenEnvironment, Reason> {
    let world = Arc::new(Disk::new());
    let session = Session::open(options.clone(), world.clone())?;
    if session.options.untrusted || session.site.untrusted == Some(true) {
        return Err(untrusted_site());
    }
    let changed = AtomicU64::new(now(&world));
    Ok(OpenEnvironment { session, world, running: RwLock::new(()), changed })
}

impl Follower {
    /// A follower; with `polls`, all files are checked for each request.
    fn new(polls: bool) -> Result<Follower, Reason> {
        if polls {
            return Ok(Follower { watcher: None, watched: 0 });
        }
        let mut watcher = Watcher::new(None)?;
        let fence = tempfile::Builder::new().prefix("catwalk-").tempdir();
        let fence = fence.and_then(|folder| Ok((Fence::new(folder.path().to_path_buf())?, folder)));
        let watches = watcher.watch(std::iter::empty(), &Disk::new())?;
        let watcher = match fence {
            Ok((fence, folder)) if watches.warning.is_none() && !watcher.polls() => Some((watcher, fence, folder)),
            _ => None,
        };
        Ok(Follower { watcher, watched: 0 })
    }

    /// The changes since the last call. With an error, files cannot be watched any more, and every file may have changed.
    fn changes(&mut self, open: &OpenEnvironment) -> (Changes, Option<Reason>) {
        let everything = Changes { rescan: true, ..Changes::default() };
        let Some((watcher, fence, _)) = &mut self.watcher else { return (everything, None) };
        let mut new = BTreeSet::new();
        let answers = open.world.answer_count();
        if answers != self.watched || watcher.is_outdated() {
            let mut paths = open.world.cached_paths();
            paths.extend(open.session.site_paths());
            paths.push(fence.folder().to_path_buf());
            paths.extend(switches(open.session.options.root.as_deref()));
            match watcher.watch(paths.iter().map(PathBuf::as_path), open.world.as_ref()) {
                Ok(watches) if watches.warning.is_none() => (new, self.watched) = (watches.new, answers),
                Ok(watches) => return self.give_up(watches.warning),
                Err(reason) => return self.give_up(Some(reason)),
            }
        }
        let mut changes = watcher.until_now(fence);
        // Changes in these before they were watched are unknown.
        new.remove(fence.folder());
        changes.paths.extend(new);
        (changes, None)
    }

    /// Adds further changes until files are complete.
    fn settle(&mut self, changes: Changes) -> Changes {
        match &mut self.watcher {
            Some((watcher, ..)) => watcher.until_quiet(changes),
            None => changes,
        }
    }

    fn give_up(&mut self, reason: Option<Reason>) -> (Changes, Option<Reason>) {
        self.watcher = None;
        (Changes { rescan: true, ..Changes::default() }, reason)
    }
}

impl ServedEnvironment {
    /// Opens an environment. With `polls`, all of its files are checked before each request.
    ///
    /// # Errors
    /// Its `catwalk.toml` is invalid, or its code is untrusted.
    pub(crate) fn open(options: Options, polls: bool, log: Arc<dyn ServeLog>) -> Result<ServedEnvironment, Reason> {
        let current = RwLock::new(Arc::new(open(&options)?));
        let follower = Mutex::new(Follower::new(polls)?);
        Ok(ServedEnvironment { options, current, follower, begun: AtomicU64::new(0), ended: AtomicU64::new(0), log })
    }

    fn current(&self) -> Arc<OpenEnvironment> {
        self.current.read().clone()
    }

    /// The environment, updated to the current files.
    pub(crate) fn updated(&self) -> Arc<OpenEnvironment> {
        let arrived = self.begun.load(Ordering::SeqCst);
        let mut follower = self.follower.lock();
        // A different request has checked for changes since this one arrived.
        if self.ended.load(Ordering::SeqCst) > arrived {
            return self.current();
        }
        self.begun.fetch_add(1, Ordering::SeqCst);
        self.follow(&mut follower);
        self.ended.store(self.begun.load(Ordering::SeqCst), Ordering::SeqCst);
        self.current()
    }

    /// Reopens the environment with the next request.
    pub(crate) fn reopen(&self) {
        let mut follower = self.follower.lock();
        self.replace(&mut follower);
    }

    fn follow(&self, follower: &mut Follower) {
        let open = self.current();
        let (changes, problem) = follower.changes(&open);
        if let Some(reason) = problem {
            self.warn(reason);
        }
        let mut changed =
            if changes == Changes::default() { Vec::new() } else { open.session.refresh_and_take_changes(&changes) };
        if !changed.is_empty() {
            // The read file may be half written.
            changed.extend(open.session.refresh_and_take_changes(&follower.settle(changes)));
        }
        if let Some(alone) = open.running.try_write() {
            open.session.forget_replaced_sources();
            drop(alone);
        }
        if changed.is_empty() {
            return;
        }
        self.log.forget();
        open.changed.store(now(&open.world), Ordering::Relaxed);
        let configuration = open.session.options.root.as_ref().map(|root| root.join(site::FILE));
        if configuration.is_some_and(|file| changed.contains(&file)) {
            self.replace(follower);
        }
    }

    fn replace(&self, follower: &mut Follower) {
        match open(&self.options) {
            Ok(open) => *self.current.write() = Arc::new(open),
            Err(reason) => self.log.diagnostic(&Diagnostic::new(reason, None), &SourceMap::new(), None),
        }
        // The new session has read nothing yet.
        follower.watched = 0;
    }

    fn warn(&self, reason: Reason) {
        let warning = Diagnostic::new(reason, None).severity(Severity::Warning);
        self.log.diagnostic(&warning, &SourceMap::new(), None);
    }
}

impl OpenEnvironment {
    /// Runs a compile and prints its messages.
    pub(crate) fn run<T>(&self, work: impl FnOnce(&Session) -> T) -> T {
        let _running = self.running.read();
        work(&self.session)
    }

    /// The time of the last change of the code, in seconds since 1970.
    pub(crate) fn changed(&self) -> u64 {
        self.changed.load(Ordering::Relaxed)
    }
}
