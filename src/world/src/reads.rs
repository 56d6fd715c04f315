//! Which files, processes and servers one compile depends on, and on which part of their contents.
//!
//! In: paths and answers, while a compile runs. Out: [`Reads`], which changes are compared with. Must not: read anything
//! itself.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use rustc_hash::FxHashSet;

use crate::Exchange;

/// What a compile depends on in an answer about a file or directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependency {
    /// All of it.
    Whole,
    /// Parts of the file, which the caller records elsewhere: new contents alone are no change; creating or removing the file
    /// is one.
    Parts,
    /// Nothing by itself: the caller records elsewhere what a change means.
    Elsewhere,
}

/// The external data that a compile has read.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Every path that was read, listed or looked for, found or not; sorted as strings.
    pub(super) touched: Vec<OsString>,
    /// Those of them that were read as a whole; sorted likewise.
    pub(super) whole: Vec<OsString>,
    /// More paths that were touched and read, in lists shared by many compiles; each list is sorted and appears once.
    pub(super) shared: Vec<Arc<[OsString]>>,
    /// More files that were touched, of which only parts were used; shared lists, too.
    pub(super) parts: Vec<Arc<[OsString]>>,
    /// More paths that were touched and are compared elsewhere; shared lists, too.
    pub(super) elsewhere: Vec<Arc<[OsString]>>,
    /// More paths that were read to find out the node's facts and classes; sorted.
    pub(super) given: Arc<[OsString]>,
    /// Queries to processes and servers: no file shows when their replies change.
    pub(super) outside: Vec<Exchange>,
    /// Whether processes or servers were queried for the node's facts and classes.
    pub(super) given_outside: bool,
    /// How often paths were added.
    pub(super) additions: u32,
}

impl Reads {
    /// Every path that was read, listed or looked for, found or not; some more than once.
    pub fn touched(&self) -> impl Iterator<Item = &Path> {
        self.touched.iter().chain(self.common()).map(Path::new)
    }

    /// The paths that only this compile holds.
    pub fn own(&self) -> &[OsString] {
        &self.touched
    }

    /// Paths in lists that are shared with other compiles; some more than once.
    pub fn common(&self) -> impl Iterator<Item = &OsString> {
        self.common_parts().chain(self.elsewhere()).chain(self.common_whole())
    }

    /// Files of which only parts were used, in shared lists.
    pub fn common_parts(&self) -> impl Iterator<Item = &OsString> {
        self.parts.iter().flat_map(|list| list.iter())
    }

    /// All other paths in shared lists.
    pub fn common_whole(&self) -> impl Iterator<Item = &OsString> {
        self.shared.iter().chain(std::iter::once(&self.given)).flat_map(|list| list.iter())
    }

    /// Paths that are compared elsewhere, in shared lists.
    pub fn elsewhere(&self) -> impl Iterator<Item = &OsString> {
        self.elsewhere.iter().flat_map(|list| list.iter())
    }

    /// Whether a file is among those that only this compile read as a whole.
    #[must_use]
    pub fn is_whole(&self, path: &OsString) -> bool {
        self.whole.binary_search(path).is_ok()
    }

    /// All paths as one sorted list, for [`ReadLog::add`].
    #[must_use]
    pub fn into_list(self) -> Arc<[OsString]> {
        let common: Vec<OsString> = self.common().cloned().collect();
        let mut all = self.touched;
        all.extend(common);
        all.sort_unstable();
        all.dedup();
        Arc::from(all)
    }

    /// How often paths were added to it.
    #[must_use]
    pub fn additions(&self) -> u32 {
        self.additions
    }

    /// Queries to processes and servers.
    #[must_use]
    pub fn outside(&self) -> &[Exchange] {
        &self.outside
    }

    /// Whether processes or servers were queried for the node's facts and classes.
    #[must_use]
    pub fn given_outside(&self) -> bool {
        self.given_outside
    }

    /// Whether something was read whose changes no file shows.
    #[must_use]
    pub fn is_volatile(&self) -> bool {
        self.given_outside || !self.outside.is_empty()
    }

    /// Sets what was read for the node's facts and classes, replacing what was read for them before.
    pub fn set_given(&mut self, given: Reads) {
        self.additions += 1;
        self.given_outside = given.is_volatile();
        self.given = given.into_list();
    }

    /// Adds paths that an answer depends on since an edit.
    pub fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.additions += 1;
        self.touched.extend(paths.into_iter().map(PathBuf::into_os_string));
        self.touched.sort_unstable();
        self.touched.dedup();
    }
}

/// Records the reads of one compile while it runs.
#[derive(Debug, Default)]
pub struct ReadLog {
    /// Keyed by the path as a string: comparing or hashing a `Path` takes it apart into components.
    touched: Mutex<FxHashSet<OsString>>,
    whole: Mutex<FxHashSet<OsString>>,
    shared: Mutex<Vec<Arc<[OsString]>>>,
    parts: Mutex<Vec<Arc<[OsString]>>>,
    elsewhere: Mutex<Vec<Arc<[OsString]>>>,
    outside: Mutex<Vec<Exchange>>,
}

impl ReadLog {
    /// Notes that a path was listed or looked for.
    pub fn touch(&self, path: &Path) {
        insert(&self.touched, path);
    }

    /// Notes that a file was read.
    pub(super) fn read(&self, path: &Path, used: Dependency) {
        match used {
            Dependency::Whole => {
                self.touch(path);
                insert(&self.whole, path);
            }
            Dependency::Parts => self.touch(path),
            Dependency::Elsewhere => {}
        }
    }

    /// Records paths (sorted as strings) as if each had been read.
    pub fn add(&self, paths: &Arc<[OsString]>, used: Dependency) {
        let lists = match used {
            Dependency::Whole => &self.shared,
            Dependency::Parts => &self.parts,
            Dependency::Elsewhere => &self.elsewhere,
        };
        lists.lock().unwrap_or_else(PoisonError::into_inner).push(paths.clone());
    }

    /// Records the reply of a process or server. Two different replies to one query are both recorded.
    pub(super) fn asked(&self, asked: Exchange) {
        let mut outside = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        if !outside.contains(&asked) {
            outside.push(asked);
        }
    }

    /// What was noted since the last call.
    #[must_use]
    pub fn take(&self) -> Reads {
        let sorted = |set: &Mutex<FxHashSet<OsString>>| {
            let set = std::mem::take(&mut *set.lock().unwrap_or_else(PoisonError::into_inner));
            let mut list: Vec<OsString> = set.into_iter().collect();
            list.sort_unstable();
            list
        };
        let distinct = |lists: &Mutex<Vec<Arc<[OsString]>>>| {
            let mut lists = std::mem::take(&mut *lists.lock().unwrap_or_else(PoisonError::into_inner));
            lists.sort_unstable_by_key(|list| list.as_ptr().addr());
            lists.dedup_by_key(|list| list.as_ptr().addr());
            lists.shrink_to_fit();
            lists
        };
        Reads {
            touched: sorted(&self.touched),
            whole: sorted(&self.whole),
            shared: distinct(&self.shared),
            parts: distinct(&self.parts),
            elsewhere: distinct(&self.elsewhere),
            outside: std::mem::take(&mut *self.outside.lock().unwrap_or_else(PoisonError::into_inner)),
            ..Reads::default()
        }
    }
}

fn insert(set: &Mutex<FxHashSet<OsString>>, path: &Path) {
    let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
    if !set.contains(path.as_os_str()) {
        set.insert(path.as_os_str().to_owned());
    }
}
