//! Which files, processes and servers one compile depends on, and on which part of their contents.
//!
//! In: paths and answers, while a compile runs. Out: [`Reads`], with which changes are compared. Must not: read anything itself.

use parking_lot::Mutex;
use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::Exchange;

/// A question whose answer has changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The path that was read, listed or searched for.
    pub path: PathBuf,
    /// Whether it was and still is a file, with different contents.
    pub contents_only: bool,
}

/// What a compile depends on in an answer about a file or directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependency {
    /// All of it.
    Whole,
    /// Parts of the file, which the caller records: new contents alone are not a change; creating or removing the file is.
    Parts,
    /// Parts that the caller records; it compares the path itself after a change.
    ComparedByCaller,
}

/// The questions of a compile whose answers are different each time, or may be without a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The clock.
    pub clock: bool,
    /// Random numbers.
    pub random: bool,
    /// Name servers.
    pub name_servers: bool,
}

impl Asked {
    fn add(&mut self, other: Asked) {
        self.clock |= other.clock;
        self.random |= other.random;
        self.name_servers |= other.name_servers;
    }
}

/// The external data that a compile has read.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Every path that was read, listed or searched for, found or not; sorted as strings.
    pub(super) paths: Vec<OsString>,
    /// Those of them that were read as a whole; sorted likewise.
    pub(super) whole_files: Vec<OsString>,
    /// More files that were read as a whole, in lists shared by many compiles; each list is sorted and appears once.
    pub(super) shared: Vec<Arc<[OsString]>>,
    /// More files of which only parts were used; shared lists, too.
    pub(super) parts: Vec<Arc<[OsString]>>,
    /// More paths, which the caller compares; shared lists, too.
    pub(super) caller_compared: Vec<Arc<[OsString]>>,
    /// More paths, read to determine the node's facts and classes; sorted.
    pub(super) node_inputs: Arc<[OsString]>,
    /// Queries to processes and servers: no file shows when their replies change.
    pub(super) exchanges: Vec<Exchange>,
    /// Whether processes or servers were queried for the node's facts and classes.
    pub(super) has_node_queries: bool,
    /// What was asked besides, not for the node's facts and classes.
    pub(super) asked: Asked,
}

impl Reads {
    /// Every path that was read, listed or searched for, found or not; some more than once.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().chain(self.shared_paths()).map(Path::new)
    }

    /// Whether one of the changed paths was read, listed or searched for.
    #[must_use]
    pub fn meets(&self, changes: &[Change]) -> bool {
        let changed: FxHashSet<&OsStr> = changes.iter().map(|change| change.path.as_os_str()).collect();
        self.paths().any(|path| changed.contains(path.as_os_str()))
    }

    /// The paths that only this compile holds.
    pub fn unshared_paths(&self) -> &[OsString] {
        &self.paths
    }

    /// Paths in lists that are shared with other compiles; some more than once.
    pub fn shared_paths(&self) -> impl Iterator<Item = &OsString> {
        self.shared_parts().chain(self.caller_compared()).chain(self.whole_shared_paths()).chain(self.node_inputs())
    }

    /// Files of which only parts were used, in shared lists.
    pub fn shared_parts(&self) -> impl Iterator<Item = &OsString> {
        self.parts.iter().flat_map(|list| list.iter())
    }

    /// Paths that were read as a whole, in shared lists.
    pub fn whole_shared_paths(&self) -> impl Iterator<Item = &OsString> {
        self.shared.iter().flat_map(|list| list.iter())
    }

    /// Paths that were read to determine the node's facts and classes.
    pub fn node_inputs(&self) -> &[OsString] {
        &self.node_inputs
    }

    /// Paths that the caller compares, in shared lists.
    pub fn caller_compared(&self) -> impl Iterator<Item = &OsString> {
        self.caller_compared.iter().flat_map(|list| list.iter())
    }

    /// Whether a file is among those that only this compile read as a whole.
    #[must_use]
    pub fn is_whole(&self, path: &OsStr) -> bool {
        self.whole_files.binary_search_by(|file| file.as_os_str().cmp(path)).is_ok()
    }

    /// All paths as one sorted list, for `ReadLog::add`.
    #[must_use]
    pub fn into_list(self) -> Arc<[OsString]> {
        let common: Vec<OsString> = self.shared_paths().cloned().collect();
        let mut all = self.paths;
        all.extend(common);
        all.sort_unstable();
        all.dedup();
        Arc::from(all)
    }

    /// Queries to processes and servers.
    #[must_use]
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// What was asked besides, not for the node's facts and classes.
    #[must_use]
    pub fn asked(&self) -> Asked {
        self.asked
    }

    /// Whether processes or servers were queried for the node's facts and classes.
    #[must_use]
    pub fn has_node_queries(&self) -> bool {
        self.has_node_queries
    }

    /// Whether something was read that can change without a change of a file.
    #[must_use]
    pub fn is_volatile(&self) -> bool {
        self.has_node_queries || !self.exchanges.is_empty()
    }

    /// Sets what was read for the node's facts and classes, replacing what was read for them before.
    pub fn set_node_inputs(&mut self, inputs: Reads) {
        self.has_node_queries = inputs.is_volatile();
        self.node_inputs = inputs.into_list();
    }

    /// Forgets all paths: the caller has recorded them elsewhere.
    pub fn forget_paths(&mut self) {
        *self = Reads {
            exchanges: std::mem::take(&mut self.exchanges),
            has_node_queries: self.has_node_queries,
            asked: self.asked,
            ..Reads::default()
        };
    }
}

/// Records the reads of one compile while it runs.
#[derive(Debug, Default)]
pub struct ReadLog {
    /// Keyed by the path as a string: comparing or hashing a `Path` takes it apart into components.
    paths: Mutex<FxHashSet<OsString>>,
    whole_files: Mutex<FxHashSet<OsString>>,
    shared: Mutex<Vec<Arc<[OsString]>>>,
    parts: Mutex<Vec<Arc<[OsString]>>>,
    caller_compared: Mutex<Vec<Arc<[OsString]>>>,
    exchanges: Mutex<Vec<Exchange>>,
    asked: Mutex<Asked>,
}

impl ReadLog {
    /// Records a question whose answer is not recorded.
    pub(super) fn ask(&self, asked: Asked) {
        self.asked.lock().add(asked);
    }

    /// Records that a path was listed or searched for.
    pub fn touch(&self, path: &Path) {
        insert(&self.paths, path);
    }

    /// Records that a file was read.
    pub(super) fn read(&self, path: &Path, used: Dependency) {
        match used {
            Dependency::Whole => {
                self.touch(path);
                insert(&self.whole_files, path);
            }
            Dependency::Parts => self.touch(path),
            Dependency::ComparedByCaller => {}
        }
    }

    /// Records paths (sorted as strings) as if each had been read.
    pub fn add(&self, paths: &Arc<[OsString]>, used: Dependency) {
        let lists = match used {
            Dependency::Whole => &self.shared,
            Dependency::Parts => &self.parts,
            Dependency::ComparedByCaller => &self.caller_compared,
        };
        lists.lock().push(paths.clone());
    }

    /// Records everything that an earlier step read, except the inputs of its node.
    pub fn add_reads(&self, reads: &Reads) {
        reads.paths.iter().for_each(|path| insert(&self.paths, Path::new(path)));
        reads.whole_files.iter().for_each(|path| insert(&self.whole_files, Path::new(path)));
        for (lists, used) in [
            (&reads.shared, Dependency::Whole),
            (&reads.parts, Dependency::Parts),
            (&reads.caller_compared, Dependency::ComparedByCaller),
        ] {
            lists.iter().for_each(|list| self.add(list, used));
        }
        reads.exchanges.iter().for_each(|exchange| self.record_exchange(exchange.clone()));
        self.ask(reads.asked);
    }

    /// Records the reply of a process or server. Two different replies to one query are both recorded.
    pub(super) fn record_exchange(&self, exchange: Exchange) {
        let mut exchanges = self.exchanges.lock();
        if !exchanges.contains(&exchange) {
            exchanges.push(exchange);
        }
    }

    /// Takes what was recorded since the last call.
    #[must_use]
    pub fn take(&self) -> Reads {
        let sorted = |set: &Mutex<FxHashSet<OsString>>| {
            let set = std::mem::take(&mut *set.lock());
            let mut list: Vec<OsString> = set.into_iter().collect();
            list.sort_unstable();
            list
        };
        let distinct = |lists: &Mutex<Vec<Arc<[OsString]>>>| {
            let mut lists = std::mem::take(&mut *lists.lock());
            lists.sort_unstable_by_key(|list| list.as_ptr().addr());
            lists.dedup_by_key(|list| list.as_ptr().addr());
            lists.shrink_to_fit();
            lists
        };
        Reads {
            paths: sorted(&self.paths),
            whole_files: sorted(&self.whole_files),
            shared: distinct(&self.shared),
            parts: distinct(&self.parts),
            caller_compared: distinct(&self.caller_compared),
            exchanges: std::mem::take(&mut *self.exchanges.lock()),
            asked: std::mem::take(&mut *self.asked.lock()),
            ..Reads::default()
        }
    }
}

fn insert(set: &Mutex<FxHashSet<OsString>>, path: &Path) {
    let mut set = set.lock();
    if !set.contains(path.as_os_str()) {
        set.insert(path.as_os_str().to_owned());
    }
}
