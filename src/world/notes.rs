//! Notes about answers: which files, processes and servers one compile depends on, and on what of them.
//!
//! In: paths and answers, while a compile runs. Out: [`Reads`], which a change is matched with. Must not: ask the world.

use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;

use rustc_hash::FxHashSet;

use crate::world::Asked;

/// What a compile depends on in an answer about a file or directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Used {
    /// All of it.
    Whole,
    /// Parts of the file, which the caller notes elsewhere: another text alone is no change. That the file comes or goes is one.
    Parts,
    /// Nothing by itself: the caller notes elsewhere what a change of it means.
    Elsewhere,
}

/// What a compile asked of the outside.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// Every path that was read, listed or looked for, found or not; sorted by their texts.
    pub(super) touched: Vec<OsString>,
    /// Those of them that were read as a whole; sorted likewise.
    pub(super) whole: Vec<OsString>,
    /// More paths that were touched and read, noted together by many compiles; each list is sorted, and each is there once.
    pub(super) shared: Vec<Arc<[OsString]>>,
    /// More files that were touched, of which only parts were used; likewise.
    pub(super) parts: Vec<Arc<[OsString]>>,
    /// More paths that were touched, of which it is known elsewhere whether their answers are the same; likewise.
    pub(super) elsewhere: Vec<Arc<[OsString]>>,
    /// More paths that were asked for to know the node that a catalog is for; sorted.
    pub(super) given: Arc<[OsString]>,
    /// Questions to processes and servers: no file tells when their answers change.
    pub(super) outside: Vec<Asked>,
    /// The same was asked to know the node.
    pub(super) given_outside: bool,
    /// How often paths were added.
    pub(super) additions: u32,
}

impl Reads {
    /// Every path that was read, listed or looked for, found or not; some more than once.
    pub fn touched(&self) -> impl Iterator<Item = &Path> {
        self.touched.iter().chain(self.common()).map(Path::new)
    }

    /// The paths that it notes by itself.
    pub fn own(&self) -> &[OsString] {
        &self.touched
    }

    /// Those that are noted together with other compiles; some more than once.
    pub fn common(&self) -> impl Iterator<Item = &OsString> {
        self.common_parts().chain(self.elsewhere()).chain(self.common_whole())
    }

    /// Files of which only parts were used, as they are noted together with other compiles.
    pub fn common_parts(&self) -> impl Iterator<Item = &OsString> {
        self.parts.iter().flat_map(|list| list.iter())
    }

    /// All other paths that are noted together with other compiles.
    pub fn common_whole(&self) -> impl Iterator<Item = &OsString> {
        self.shared.iter().chain(std::iter::once(&self.given)).flat_map(|list| list.iter())
    }

    /// Paths of which it is told elsewhere what they mean, as they are noted together with other compiles.
    pub fn elsewhere(&self) -> impl Iterator<Item = &OsString> {
        self.elsewhere.iter().flat_map(|list| list.iter())
    }

    /// Whether a file was read as a whole, as far as it is noted here by itself.
    #[must_use]
    pub fn is_whole(&self, path: &OsString) -> bool {
        self.whole.binary_search(path).is_ok()
    }

    /// The same as one sorted list, for [`Notes::add`].
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

    /// Questions to processes and servers.
    #[must_use]
    pub fn outside(&self) -> &[Asked] {
        &self.outside
    }

    /// Whether processes or servers were asked to know the node.
    #[must_use]
    pub fn given_outside(&self) -> bool {
        self.given_outside
    }

    /// Whether no file tells when an answer changes.
    #[must_use]
    pub fn is_volatile(&self) -> bool {
        self.given_outside || !self.outside.is_empty()
    }

    /// What was asked to know the node, in the place of what was asked for that before.
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

/// What one compile notes while it runs.
#[derive(Debug, Default)]
pub struct Notes {
    /// By the text of the path: comparing or hashing a `Path` takes it apart into components.
    touched: Mutex<FxHashSet<OsString>>,
    whole: Mutex<FxHashSet<OsString>>,
    shared: Mutex<Vec<Arc<[OsString]>>>,
    parts: Mutex<Vec<Arc<[OsString]>>>,
    elsewhere: Mutex<Vec<Arc<[OsString]>>>,
    outside: Mutex<Vec<Asked>>,
}

impl Notes {
    /// Notes that a path was listed or looked for.
    pub fn touch(&self, path: &Path) {
        insert(&self.touched, path);
    }

    /// Notes that a file was read.
    pub(super) fn read(&self, path: &Path, used: Used) {
        match used {
            Used::Whole => {
                self.touch(path);
                insert(&self.whole, path);
            }
            Used::Parts => self.touch(path),
            Used::Elsewhere => {}
        }
    }

    /// Notes paths (sorted by their texts) as if each had been asked for.
    pub fn add(&self, paths: &Arc<[OsString]>, used: Used) {
        let lists = match used {
            Used::Whole => &self.shared,
            Used::Parts => &self.parts,
            Used::Elsewhere => &self.elsewhere,
        };
        lists.lock().unwrap_or_else(PoisonError::into_inner).push(paths.clone());
    }

    /// Notes the answer of a process or server. One that answers the same question in two ways is noted with both.
    pub(super) fn asked(&self, asked: Asked) {
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
