//! Finds out when the files of an environment have changed, and when the changes are complete.
//!
//! In: events of the system, states of the files, announcements. Out: the next state of the files. A deploy is complete when no file has
//! changed for 200 ms and `git` does not hold its lock, or when a deploy tool says so. Must not: compile, build versions.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use crate::environment::OpenEnvironment;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_session::Changes;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_watcher::Fence;
use catwalk_watcher::Watcher;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::TreeState;
use catwalk_world::Trees;
use catwalk_world::World;

/// Changes are complete after this time without further ones.
const QUIET: Duration = Duration::from_millis(200);

/// Files that change all the time and that no compile has requested do not count as a deploy: if nothing else changes for this time.
const NOISE: Duration = Duration::from_secs(10);

/// A warning tells that a deploy takes longer than this.
const LONG: Duration = Duration::from_secs(60);

/// A lock of `git` that is older was left by one that was killed.
const OLDEST_LOCK: Duration = Duration::from_secs(600);

/// How changes of files are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detection {
    /// By the system's file events.
    #[default]
    Events,
    /// By comparing all files before each request.
    Polling,
    /// They count when a deploy tool announces them.
    Hook,
}

/// The result of a look at the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The current version has all complete changes.
    Current,
    /// Files are changing; look again after this time.
    Wait(Duration),
}

/// Follows the files of an environment.
pub(crate) struct Follower {
    detection: Detection,
    root: Option<PathBuf>,
    /// With the number of cached answers when watches were set. `None`: there are no events.
    watcher: Option<(Watcher, Fence, tempfile::TempDir, usize)>,
    trees: Trees,
    /// Changes since the current version.
    pending: Changes,
    /// Whether a compile met files that are newer than the current version.
    suspects: bool,
    /// When the first and the last of the changes were found.
    first_change: Option<Instant>,
    last_change: Option<Instant>,
    /// The last state of the files that was not complete yet.
    seen: Option<(Instant, TreeState)>,
    /// The files that have changed while changes went on for long, and when the last of them was added.
    changing: BTreeSet<PathBuf>,
    last_added: Option<Instant>,
    has_warned: bool,
    announced: bool,
    reopens: bool,
}

/// Missing files in the directory of each link to a site, which make the watcher detect that the link is replaced.
fn switches(root: Option<&Path>) -> Vec<PathBuf> {
    let world = Disk::new();
    let links = root.into_iter().flat_map(Path::ancestors).filter(|path| world.link(path).is_some());
    links.map(|link| link.with_file_name(".no such file")).collect()
}

/// The lock that `git` holds while it changes the work tree that a directory is in. The file `.git` of a linked work tree or a submodule
/// names its directory.
fn lock_of_git(root: &Path) -> Option<PathBuf> {
    let world = Disk::new();
    let real = world.canonical(root).unwrap_or_else(|_| root.to_path_buf());
    let git = real.ancestors().map(|path| path.join(".git")).find(|git| world.kind(git) != Kind::Missing)?;
    let directory = match world.kind(&git) {
        Kind::Directory => git,
        _ => {
            let text = world.read(&git).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let named = text.trim().strip_prefix("gitdir:")?;
            git.with_file_name("").join(named.trim())
        }
    };
    Some(directory.join("index.lock")).filter(|lock| world.kind(lock) != Kind::Missing)
}

/// Whether `git` is changing the work tree that a directory is in.
fn is_locked_by_git(root: &Path) -> bool {
    let world = Disk::new();
    let age = |lock: PathBuf| Some(world.now().saturating_sub(world.changed_at(&lock)?));
    lock_of_git(root).and_then(age).is_some_and(|age| age < OLDEST_LOCK)
}

impl Follower {
    /// A follower of the files of an environment. `outputs`: files and directories that the server writes.
    ///
    /// # Errors
    /// The system's watch facility is not available.
    pub(crate) fn new(options: &Options, detection: Detection, outputs: Vec<PathBuf>) -> Result<Follower, Reason> {
        let watcher = if detection == Detection::Events { watcher()? } else { None };
        let roots = options.root.iter().cloned().collect();
        Ok(Follower {
            detection: if watcher.is_none() && detection == Detection::Events { Detection::Polling } else { detection },
            root: options.root.clone(),
            watcher,
            trees: Trees { roots, excluded: outputs },
            pending: Changes::default(),
            suspects: false,
            first_change: None,
            last_change: None,
            seen: None,
            changing: BTreeSet::new(),
            last_added: None,
            has_warned: false,
            announced: false,
            reopens: false,
        })
    }

    /// Notes the changes since the last look. With an error, files cannot be watched any more, and are compared from then on.
    pub(crate) fn look(&mut self, open: &OpenEnvironment) -> Option<Reason> {
        if self.detection == Detection::Polling {
            self.pending.rescan = true;
        }
        let (watcher, fence, _, watched) = self.watcher.as_mut()?;
        let mut new = BTreeSet::new();
        let answers = open.world.answer_count();
        if answers != *watched || watcher.is_outdated() {
            let mut paths = open.world.cached_paths();
            paths.extend(open.session.site_paths());
            paths.push(fence.folder().to_path_buf());
            paths.extend(switches(open.session.options.root.as_deref()));
            match watcher.watch(paths.iter().map(PathBuf::as_path), open.world.as_ref()) {
                Ok(watches) if watches.warning.is_none() => (new, *watched) = (watches.new, answers),
                Ok(watches) => return self.give_up(watches.warning),
                Err(reason) => return self.give_up(Some(reason)),
            }
        }
        let changes = watcher.until_now(fence);
        if changes != Changes::default() {
            let now = Instant::now();
            self.first_change.get_or_insert(now);
            self.last_change = Some(now);
        }
        // Changes in these before they were watched are unknown.
        new.remove(fence.folder());
        self.pending.paths.extend(changes.paths.into_iter().chain(new));
        self.pending.rescan |= changes.rescan;
        None
    }

    fn give_up(&mut self, reason: Option<Reason>) -> Option<Reason> {
        (self.watcher, self.detection, self.pending.rescan) = (None, Detection::Polling, true);
        reason
    }

    /// A compile met files that are newer than the current version.
    pub(crate) fn suspect(&mut self) {
        self.suspects = true;
        self.first_change.get_or_insert_with(Instant::now);
    }

    /// The files are complete now.
    pub(crate) fn announce(&mut self) {
        self.announced = true;
    }

    /// The files are complete now, and the configuration must be read again.
    pub(crate) fn reopen(&mut self) {
        (self.announced, self.reopens) = (true, true);
    }

    pub(crate) fn reopens(&self) -> bool {
        self.reopens
    }

    /// When the first change after the current version was found.
    pub(crate) fn changing_since(&self) -> Option<Instant> {
        self.first_change
    }

    /// Whether there are changes that no version has.
    pub(crate) fn is_changing(&self) -> bool {
        self.first_change.is_some()
    }

    /// The state of the files, if it differs from that of the current version and is complete.
    ///
    /// # Errors
    /// It is not; the error is what to do.
    pub(crate) fn next_state(&mut self, open: Option<&OpenEnvironment>) -> Result<TreeState, Step> {
        let is_pending = self.announced
            || match self.detection {
                Detection::Hook => false,
                Detection::Events | Detection::Polling => self.suspects || self.pending != Changes::default(),
            };
        if open.is_some() && !is_pending {
            return Err(Step::Current);
        }
        if self.announced {
            return Ok(self.record());
        }
        if let Some(rest) = self.last_change.and_then(|last| QUIET.checked_sub(last.elapsed()))
            && !self.goes_on()
        {
            return Err(Step::Wait(rest));
        }
        if self.root.as_deref().is_some_and(is_locked_by_git) {
            return Err(self.wait());
        }
        // A state that was not complete is compared with another one after some time.
        if let Some(rest) = self.seen.as_ref().and_then(|(at, _)| QUIET.checked_sub(at.elapsed())) {
            return Err(Step::Wait(rest));
        }
        let state = self.record();
        let before = open.and_then(|open| open.world.tree_state());
        let is_equal = before.is_some_and(|before| !state.is_incomplete() && before.is_equal(&state));
        if is_equal || self.is_complete(&state, open) {
            return Ok(state);
        }
        self.first_change.get_or_insert_with(Instant::now);
        self.seen = Some((Instant::now(), state));
        Err(Step::Wait(QUIET))
    }

    /// Whether a state has no change of the last 200 ms.
    fn is_complete(&mut self, state: &TreeState, open: Option<&OpenEnvironment>) -> bool {
        let lately: Vec<&Path> = state.changed_lately(Disk::new().now(), QUIET).collect();
        // Moves, removals and links that are switched change no file: only events tell when they ended, or a later look at everything.
        let is_quiet = self.last_change.is_some_and(|last| last.elapsed() >= QUIET) || open.is_none() || self.goes_on();
        if lately.is_empty() && is_quiet {
            return true;
        }
        // The clock of the files may be a different one.
        let is_old = |at: &Instant| at.elapsed() >= QUIET;
        if self.seen.as_ref().is_some_and(|(at, seen)| is_old(at) && seen.is_equal(state)) {
            return true;
        }
        if !self.goes_on() {
            return false;
        }
        // A deploy writes each file once; a log is the same file again and again.
        let now = Instant::now();
        let since = *self.last_added.get_or_insert(now);
        let before = self.changing.len();
        self.changing.extend(lately.iter().map(|path| path.to_path_buf()));
        if self.changing.len() > before {
            self.last_added = Some(now);
            return false;
        }
        since.elapsed() >= NOISE && open.is_some_and(|open| !lately.iter().any(|path| open.world.has_answer(path)))
    }

    /// A warning for the log if changes take unusually long, once.
    pub(crate) fn warning(&mut self) -> Option<Reason> {
        let is_long = self.first_change.is_some_and(|first| first.elapsed() >= LONG);
        if !is_long || std::mem::replace(&mut self.has_warned, true) {
            return None;
        }
        let root = self.root.as_deref().unwrap_or(Path::new("")).display();
        let text = format!(
            "the files of {root} have been changing for a minute: catalogs are still made from the files of before"
        );
        let reason = Reason::new(Code::WATCH_FAILED, text);
        Some(match self.root.as_deref().and_then(lock_of_git) {
            Some(_) => reason.help("git holds .git/index.lock; if no git is running, remove it"),
            None => reason.help("DELETE /puppet-admin-api/v1/environment-cache puts them to use"),
        })
    }

    /// Whether files have been changing for long.
    fn goes_on(&self) -> bool {
        self.first_change.is_some_and(|first| first.elapsed() >= NOISE)
    }

    /// The present state of the files.
    pub(crate) fn record(&self) -> TreeState {
        Disk::new().record_state(self.trees.clone())
    }

    /// What to do while files are changing.
    pub(crate) fn wait(&mut self) -> Step {
        let now = Instant::now();
        self.first_change.get_or_insert(now);
        self.seen = None;
        Step::Wait(QUIET / 8)
    }

    /// The paths whose answers may differ in a later state; `None`: all.
    pub(crate) fn changed_paths(&self, open: &OpenEnvironment, state: &TreeState) -> Option<BTreeSet<PathBuf>> {
        let before = open.world.tree_state()?;
        if self.pending.rescan || self.reopens || self.detection != Detection::Events {
            return None;
        }
        if before.is_incomplete() || state.is_incomplete() {
            return None;
        }
        let mut paths = before.differences(state);
        paths.extend(self.pending.paths.iter().cloned());
        Some(paths)
    }

    /// The session with a disk whose trees are all directories of code: modules may be outside of the environment's directory. `None`: their
    /// files are changing.
    pub(crate) fn with_all_trees(&mut self, session: Session, disk: Arc<Disk>) -> Option<(Session, Arc<Disk>)> {
        let Ok(environment) = session.open_environment() else { return Some((session, disk)) };
        let mut roots: Vec<PathBuf> = self.root.iter().cloned().collect();
        for path in &environment.modulepath {
            if !roots.iter().any(|root| path.starts_with(root)) {
                roots.push(path.clone());
            }
        }
        if roots == self.trees.roots {
            return Some((session, disk));
        }
        self.trees.roots = roots;
        let state = self.record();
        if !self.announced && !self.is_complete(&state, None) {
            return None;
        }
        let paths = self.trees.roots.iter().cloned().collect();
        let (disk, _) = disk.next_version(state, Some(&paths));
        if disk.newer_answers() > 0 {
            return None;
        }
        let disk = Arc::new(disk);
        Some((session.with_disk(disk.clone()), disk))
    }

    /// The changes are in the current version.
    pub(crate) fn settle(&mut self) {
        self.pending = Changes::default();
        (self.suspects, self.announced, self.reopens) = (false, false, false);
        (self.first_change, self.last_change, self.seen) = (None, None, None);
        (self.last_added, self.has_warned) = (None, false);
        self.changing.clear();
        if let Some((_, _, _, watched)) = &mut self.watcher {
            // The next version may have other paths.
            *watched = 0;
        }
    }
}

/// A watcher of the system's events with a directory for fences; `None`: the system has no more watches.
fn watcher() -> Result<Option<(Watcher, Fence, tempfile::TempDir, usize)>, Reason> {
    let mut watcher = Watcher::new(None)?;
    let fence = tempfile::Builder::new().prefix("catwalk-").tempdir();
    let fence = fence.and_then(|folder| Ok((Fence::new(folder.path().to_path_buf())?, folder)));
    let watches = watcher.watch(std::iter::empty(), &Disk::new())?;
    Ok(match fence {
        Ok((fence, folder)) if watches.warning.is_none() && !watcher.polls() => Some((watcher, fence, folder, 0)),
        _ => None,
    })
}
