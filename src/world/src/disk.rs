//! This machine as a [`World`], behind a guard where the code of a site is untrusted.

mod commands;
mod directories;
mod machine;
mod read;
mod refresh;
mod responses;
mod run;
mod version;

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

use crate::Change;
use crate::Guard;
use crate::QueryService;
use crate::World;
use crate::WorldError;
use crate::access::AccessPolicy;
use crate::access::GuardedWorld;
use crate::git::Tree;
use crate::tree_state::FileStamp;
use crate::tree_state::TreeState;
use crate::tree_state::Trees;
pub use commands::CommandRuns;
use machine::Machine;
pub use machine::resident_memory;
pub use read::DEFAULT_FILE_LIMIT;
pub use read::allow_named_devices;
pub use read::is_named_device;
pub(crate) use read::kind_of as kind_of_path;
pub(crate) use read::list as list_directory;
pub use read::read_file;
pub(super) use read::too_large;
pub use responses::DEFAULT_RESPONSE_LIMIT;

#[cfg(unix)]
pub use run::Group;
pub use run::delegate_signals;
pub use run::ignored_signals;
#[cfg(unix)]
pub use run::kill_children;
#[cfg(unix)]
pub use run::mark_signals_non_fatal;

/// The file system and processes of this machine.
#[derive(Debug, Default)]
pub struct Disk {
    machine: Machine,
    /// Which questions of untrusted code are answered.
    guard: OnceLock<Guard>,
}

impl GuardedWorld for Disk {
    type Inner = Machine;

    fn inner(&self) -> &Machine {
        &self.machine
    }

    fn policy(&self) -> Option<(&dyn AccessPolicy, &dyn World)> {
        self.guard.get().map(|guard| (guard as &dyn AccessPolicy, &self.machine as &dyn World))
    }
}

impl Disk {
    /// A disk with nothing cached.
    #[must_use]
    pub fn new() -> Disk {
        Disk::default()
    }

    /// A disk on which the work tree of a repository is as in a revision.
    #[must_use]
    pub fn with_revision(tree: Tree) -> Disk {
        Disk { machine: Machine::with_revision(tree), ..Disk::default() }
    }

    /// A disk whose trees are in this state. An answer from a file that has changed since is not cached, and counted: see
    /// [`Disk::newer_answers`].
    #[must_use]
    pub fn of_state(state: TreeState) -> Disk {
        Disk { machine: Machine::of_state(Arc::new(state)), ..Disk::default() }
    }

    /// The time of the last change of a path, of which nothing is cached, since 1970.
    #[must_use]
    pub fn changed_at(&self, path: &Path) -> Option<Duration> {
        FileStamp::changed_at(&self.machine.on_disk(path))
    }

    /// The present state of these trees.
    #[must_use]
    pub fn record_state(&self, trees: Trees) -> TreeState {
        TreeState::record(trees, &|path| self.machine.on_disk(path).into_owned())
    }

    /// A disk with a later state, whose cached answers are those of this disk except for these paths (`None`: all), for everything below them
    /// and for the directories that contain them. Also returns those that have changed; the others keep the same `Arc`. This disk stays
    /// as it is, for compiles that have begun with it.
    ///
    /// The site's code must be trusted: guards are not handed on.
    #[must_use]
    pub fn next_version(&self, state: TreeState, paths: Option<&BTreeSet<PathBuf>>) -> (Disk, Vec<Change>) {
        let machine = self.machine.next_version(Arc::new(state));
        let changes = machine.refresh(paths, None);
        (Disk { machine, ..Disk::default() }, changes)
    }

    /// The state of the trees that answers are from.
    #[must_use]
    pub fn tree_state(&self) -> Option<Arc<TreeState>> {
        self.machine.state()
    }

    /// Takes over a later state in which all cached answers are the same.
    pub fn set_tree_state(&self, state: Arc<TreeState>) {
        self.machine.set_state(state);
    }

    /// How many answers were from files that changed after the state of this disk. A compile during which this number has grown may have
    /// mixed two states.
    #[must_use]
    pub fn newer_answers(&self) -> u64 {
        self.machine.newer_answers()
    }

    /// Refuses all questions that untrusted code may not ask. Only the first call has an effect.
    pub fn confine(&self, guard: Guard) {
        if self.guard.set(guard).is_ok() {
            self.forget_all();
        }
    }

    /// The guard that decides which questions are answered.
    #[must_use]
    pub fn guard(&self) -> Option<&Guard> {
        self.guard.get()
    }

    /// Sets the service that answers PuppetDB queries.
    pub fn set_puppetdb(&self, puppetdb: Option<Arc<dyn QueryService>>) {
        *self.machine.puppetdb.write() = puppetdb;
    }

    /// Sets the commands whose output depends only on the arguments: those whose command line (the arguments joined by spaces)
    /// matches one of the patterns. Such a command runs once, and its result is reused until this function is called again.
    pub fn set_pure_commands(&self, patterns: Vec<globset::GlobMatcher>) {
        self.machine.commands.set_pure(patterns);
    }

    /// The commands that ran, slowest first.
    #[must_use]
    pub fn commands_ran(&self) -> Vec<CommandRuns> {
        self.machine.commands.statistics()
    }

    /// Sets the size in bytes above which this disk refuses files. Files that were refused are tried again.
    pub fn set_file_limit(&self, bytes: u64) {
        if self.machine.file_limit.set(bytes) {
            let mut files = self.machine.files.write();
            files.retain(|_, cached| !matches!(cached, Err(WorldError::Unreadable(..))));
        }
    }

    /// Sets how many bytes of responses are cached for requests that are sent once.
    pub fn set_response_limit(&self, bytes: u64) {
        self.machine.responses.write().set_limit(bytes);
    }

    /// Repeats the questions about these paths, about everything below them and about the directories that contain them;
    /// `None`: all questions so far. Returns those whose answers have changed, sorted; the others keep the same `Arc`.
    pub fn refresh(&self, paths: Option<&BTreeSet<PathBuf>>) -> Vec<Change> {
        self.guard.get().map(Guard::forget);
        self.machine.refresh(paths, self.guard.get())
    }

    /// Clears the cache for these paths and for the directories that contain them.
    pub fn forget<'a>(&self, paths: impl IntoIterator<Item = &'a Path>) {
        self.guard.get().map(Guard::forget);
        self.machine.forget(paths);
    }

    /// Whether the cache has the path as an empty file or as missing.
    pub fn is_empty_or_missing(&self, path: &Path) -> bool {
        self.machine.is_empty_or_missing(path)
    }

    /// Whether an answer about a path is cached.
    #[must_use]
    pub fn has_answer(&self, path: &Path) -> bool {
        let Machine { files, lists, kinds, .. } = &self.machine;
        let path = path.as_os_str();
        files.read().contains_key(path) || kinds.read().contains_key(path) || lists.read().contains_key(path)
    }

    /// Clears the cached answers of name servers, web servers and directories.
    pub fn forget_services(&self) {
        self.machine.names.write().clear();
        self.machine.directories.clear();
        self.machine.responses.write().clear();
    }

    /// How many answers about files and directories are cached; grows with [`Disk::cached_paths`].
    #[must_use]
    pub fn answer_count(&self) -> usize {
        let Machine { files, lists, kinds, .. } = &self.machine;
        let files = files.read().len();
        let lists = lists.read().len();
        files + lists + kinds.read().len()
    }

    /// The paths of all cached answers, unsorted and with duplicates.
    #[must_use]
    pub fn cached_paths(&self) -> Vec<PathBuf> {
        fn paths<T>(cache: &machine::Cache<T>) -> Vec<PathBuf> {
            let cache = cache.read();
            #[allow(clippy::iter_over_hash_type, reason = "documented to be in no order")]
            cache.keys().map(PathBuf::from).collect()
        }
        let Machine { files, lists, kinds, .. } = &self.machine;
        [paths(files), paths(lists), paths(kinds)].concat()
    }

    /// Clears all caches.
    pub fn forget_all(&self) {
        self.guard.get().map(Guard::forget);
        self.machine.forget_all();
    }
}
