//! One environment in memory: each request is answered from one state of its files.
//!
//! In: requests, deploys. Out: versions of the environment. A version is a session whose disk answers from one state of the files; the next
//! one is built beside it when a deploy is complete, and running compiles go on with theirs. An edit costs only its files. Must not: know
//! nodes, store catalogs.

use parking_lot::Mutex;
use parking_lot::RwLock;
use parking_lot::RwLockReadGuard;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use crate::follower::Detection;
use crate::follower::Follower;
use crate::follower::Step;
use crate::kept::KeptCatalogs;
use crate::serve_log::ServeLog;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_server::Failure;
use catwalk_server::FailureKind;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::site;
use catwalk_world::Change;
use catwalk_world::Disk;
use catwalk_world::TreeState;
use catwalk_world::World;

/// How long a request waits for files of which no old answer exists.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long after the first change requests wait for the end of the changes, so that a request after an edit sees it. When more changes
/// follow, later requests get the version of before.
const EDIT: Duration = Duration::from_millis(600);

/// How often a waiting request looks whether a different one has found the end of the changes.
const INTERVAL: Duration = Duration::from_millis(25);

/// How often an announced version is built again because files changed meanwhile.
const TRIES: usize = 20;

/// An environment that is served.
pub(crate) struct ServedEnvironment {
    options: Options,
    current: RwLock<Option<Arc<OpenEnvironment>>>,
    follower: Mutex<Follower>,
    /// The numbers of started and finished checks for changes.
    begun: AtomicU64,
    ended: AtomicU64,
    /// How often the state of the files was taken over.
    versions: AtomicU64,
    /// Locked while a compile runs and its messages are printed.
    running: Arc<RwLock<()>>,
    log: Arc<dyn ServeLog>,
}

/// A version: a session with its state.
pub(crate) struct OpenEnvironment {
    /// The session.
    pub(crate) session: Session,
    pub(crate) world: Arc<Disk>,
    running: Arc<RwLock<()>>,
    /// The time of the last change of the code, in seconds since 1970: the version of catalogs.
    changed: u64,
    /// The catalogs that hold in this version.
    pub(crate) kept: Mutex<KeptCatalogs>,
}

/// An attempt to answer a request from one version.
pub(crate) struct Attempt {
    /// The version.
    pub(crate) open: Arc<OpenEnvironment>,
    /// The number of answers from newer files when the attempt began.
    newer: u64,
    versions: u64,
}

/// The error for a site with untrusted code, since a server has keys and facts of all nodes.
#[must_use]
pub fn untrusted_site() -> Reason {
    let text = "untrusted code is not served: it would run beside the facts of all nodes and the server's key";
    let help =
        "serve a site that you trust: without --untrusted, CATWALK_UNTRUSTED and `untrusted = true` in catwalk.toml";
    Reason::new(Code::SERVE_UNTRUSTED, text).help(help)
}

fn deploying() -> Failure {
    let message = "The files of the environment are being changed; try again later".to_owned();
    Failure { kind: FailureKind::Busy, message }
}

impl Attempt {
    /// Whether everything that was read since the attempt began is from its version.
    pub(crate) fn is_whole(&self) -> bool {
        self.open.world.newer_answers() == self.newer
    }

    /// Keeps the positions of messages valid while the result lives.
    pub(crate) fn running(&self) -> RwLockReadGuard<'_, ()> {
        self.open.running.read()
    }
}

impl OpenEnvironment {
    /// The time of the last change of the code, in seconds since 1970.
    pub(crate) fn changed(&self) -> u64 {
        self.changed
    }
}

impl ServedEnvironment {
    /// Opens an environment. `outputs`: files and directories that the server writes.
    ///
    /// # Errors
    /// Its `catwalk.toml` is invalid, or its code is untrusted.
    pub(crate) fn open(
        options: Options,
        detection: Detection,
        outputs: Vec<PathBuf>,
        log: Arc<dyn ServeLog>,
    ) -> Result<ServedEnvironment, Reason> {
        let follower = Mutex::new(Follower::new(&options, detection, outputs)?);
        let environment = ServedEnvironment {
            options,
            current: RwLock::default(),
            follower,
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            versions: AtomicU64::new(0),
            running: Arc::default(),
            log,
        };
        // The first version is built now if no deploy is in progress, so that its errors are reported at once.
        environment.advance(&mut environment.follower.lock())?;
        Ok(environment)
    }

    fn current(&self) -> Option<Arc<OpenEnvironment>> {
        self.current.read().clone()
    }

    /// Begins to answer a request with the present files; while they are changing, with the version of before.
    ///
    /// # Errors
    /// There is no version yet, and the files are still changing after [`PATIENCE`]; or the first version cannot be opened.
    pub(crate) fn begin(&self) -> Result<Attempt, Failure> {
        let begun = self.begun.load(Ordering::SeqCst);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut follower = self.follower.lock();
            // A different request has found no changes since this one arrived.
            let is_known = self.ended.load(Ordering::SeqCst) > begun && !follower.is_changing();
            let step = if is_known { Step::Current } else { self.check(&mut follower)? };
            let waits_since = follower.changing_since();
            drop(follower);
            let open = self.current();
            let Step::Wait(wait) = step else { return self.attempt() };
            let until = match (&open, waits_since) {
                (Some(_), Some(since)) => since + EDIT,
                _ => deadline,
            };
            let now = Instant::now();
            if now >= until {
                return self.attempt();
            }
            std::thread::sleep(wait.min(INTERVAL).min(until - now));
        }
    }

    /// Begins again, after an attempt that met files newer than its version.
    ///
    /// # Errors
    /// The files are still changing at the deadline.
    pub(crate) fn begin_again(&self, after: &Attempt, deadline: Instant) -> Result<Attempt, Failure> {
        if Instant::now() >= deadline {
            return Err(deploying());
        }
        self.follower.lock().suspect();
        while self.versions.load(Ordering::SeqCst) == after.versions {
            let step = self.check(&mut self.follower.lock())?;
            let wait = match step {
                Step::Current => INTERVAL,
                Step::Wait(wait) => wait.min(INTERVAL),
            };
            if self.versions.load(Ordering::SeqCst) != after.versions {
                break;
            }
            if Instant::now() >= deadline {
                return Err(deploying());
            }
            std::thread::sleep(wait);
        }
        self.attempt()
    }

    /// An attempt with the current version.
    fn attempt(&self) -> Result<Attempt, Failure> {
        // Before the version is read: one that begins now counts as newer than the attempt.
        let versions = self.versions.load(Ordering::SeqCst);
        let open = self.current().ok_or_else(deploying)?;
        Ok(Attempt { newer: open.world.newer_answers(), open, versions })
    }

    /// Reads the configuration again with the next request.
    pub(crate) fn reopen(&self) {
        self.follower.lock().reopen();
    }

    /// A deploy is complete: its files are the next version, however lately they were written.
    ///
    /// # Errors
    /// They are still changing.
    pub(crate) fn deployed(&self) -> Result<(), Failure> {
        for _ in 0..TRIES {
            let mut follower = self.follower.lock();
            follower.announce();
            if self.check(&mut follower)? == Step::Current {
                return Ok(());
            }
            drop(follower);
            std::thread::sleep(INTERVAL);
        }
        Err(deploying())
    }

    fn check(&self, follower: &mut Follower) -> Result<Step, Failure> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let step = self.advance(follower);
        self.ended.store(self.begun.load(Ordering::SeqCst), Ordering::SeqCst);
        step.map_err(|reason| Failure { kind: FailureKind::Failed, message: reason.message.to_string() })
    }

    /// Looks for changes, and builds the next version when they are complete.
    fn advance(&self, follower: &mut Follower) -> Result<Step, Reason> {
        let open = self.current();
        if let Some(problem) = open.as_deref().and_then(|open| follower.look(open)) {
            self.warn(problem);
        }
        if let Some(warning) = follower.warning() {
            self.warn(warning);
        }
        let step = match follower.next_state(open.as_deref()) {
            Err(step) => step,
            Ok(state) => self.build(open, state, follower)?,
        };
        if let Some(alone) = self.running.try_write()
            && let Some(open) = self.current()
        {
            open.session.forget_replaced_sources();
            drop(alone);
        }
        Ok(step)
    }

    /// Builds a version with this state of the files.
    fn build(
        &self,
        open: Option<Arc<OpenEnvironment>>,
        state: TreeState,
        follower: &mut Follower,
    ) -> Result<Step, Reason> {
        let is_too_large = state.is_incomplete();
        // Before the answers are copied: those of all compiles up to this one are among them.
        let last = open.as_ref().map(|open| open.kept.lock().last()).unwrap_or_default();
        let (disk, changes) = match &open {
            None => (Disk::of_state(state), Vec::new()),
            Some(open) => {
                let paths = follower.changed_paths(open, &state);
                open.world.next_version(state, paths.as_ref())
            }
        };
        if disk.newer_answers() > 0 {
            return Ok(follower.wait());
        }
        let disk = Arc::new(disk);
        let configuration = self.options.root.as_ref().map(|root| root.join(site::FILE));
        let is_configuration = |change: &Change| Some(&change.path) == configuration.as_ref();
        let mut keeps = None;
        let session = match &open {
            Some(open) if !follower.reopens() && !changes.iter().any(is_configuration) => {
                if changes.is_empty() {
                    open.world.set_tree_state(disk.tree_state().unwrap_or_default());
                    return Ok(self.settle(follower));
                }
                keeps = Some(open.clone());
                open.session.with_disk(disk.clone())
            }
            _ => match (open_session(&self.options, disk.clone()), &open) {
                (Ok(session), _) => session,
                (Err(reason), None) => return Err(reason),
                (Err(reason), Some(open)) => {
                    self.log.diagnostic(&Diagnostic::new(reason, None), &SourceMap::new(), None);
                    open.session.with_disk(disk.clone())
                }
            },
        };
        if is_too_large && open.is_none() {
            self.warn(too_many_files());
        }
        let Some((session, world)) = follower.with_all_trees(session, disk) else { return Ok(follower.wait()) };
        // What running compiles of the version before would keep is lost with it.
        let mut kept = keeps.map(|open| open.kept.lock().take(last)).unwrap_or_default();
        kept.follow(&session, changes);
        if world.newer_answers() > 0 {
            return Ok(follower.wait());
        }
        self.log.forget();
        let (changed, kept) = (world.now().as_secs(), Mutex::new(kept));
        *self.current.write() =
            Some(Arc::new(OpenEnvironment { session, world, running: self.running.clone(), changed, kept }));
        Ok(self.settle(follower))
    }

    /// Marks that the state of the files was taken over.
    fn settle(&self, follower: &mut Follower) -> Step {
        self.versions.fetch_add(1, Ordering::SeqCst);
        follower.settle();
        Step::Current
    }

    fn warn(&self, reason: Reason) {
        let warning = Diagnostic::new(reason, None).severity(Severity::Warning);
        self.log.diagnostic(&warning, &SourceMap::new(), None);
    }
}

fn open_session(options: &Options, world: Arc<Disk>) -> Result<Session, Reason> {
    let session = Session::open(options.clone(), world)?;
    if session.options.untrusted || session.site.untrusted == Some(true) {
        return Err(untrusted_site());
    }
    Ok(session)
}

fn too_many_files() -> Reason {
    let text = "the environment has too many files to tell its states apart: catalogs may have files of two deploys";
    Reason::new(Code::WATCH_LIMIT, text).help("keep what is no code outside of the environment")
}
