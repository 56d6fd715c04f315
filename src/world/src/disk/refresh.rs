//! Reads files and directories again whose cached contents may be outdated.
//!
//! In: paths that may have changed. Out: the paths whose cached answers have changed. Must not: read a path that is not cached.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ffi::OsString;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::machine::Cache;
use super::machine::Machine;
use super::read::kind_of;
use super::read::list;
use crate::Change;
use crate::Entry;
use crate::Guard;
use crate::Kind;
use crate::access::AccessPolicy;
use crate::access::Question;

impl Machine {
    /// [`super::Disk::refresh`]. A path that the guard no longer admits becomes missing or refused.
    pub(super) fn refresh(&self, paths: Option<&BTreeSet<PathBuf>>, guard: Option<&Guard>) -> Vec<Change> {
        let permit = |question: Question<'_>| guard.map_or(Ok(()), |guard| guard.permit(question, self));
        let mut changes = BTreeSet::new();
        let mut add =
            |path: &OsString, contents_only| changes.insert(Change { path: PathBuf::from(path), contents_only });
        let affected = paths.map(|paths| self.affected_paths(paths));
        fn affected_keys<T>(cache: &Cache<T>, affected: Option<&AffectedPaths<'_>>) -> Vec<OsString> {
            let Some((exact, folders)) = affected else { return keys(cache, |_| true) };
            let below = |path: &OsStr| match folders.len() {
                1..8 => folders.iter().any(|folder| is_below(path, folder)),
                _ => Path::new(path).ancestors().any(|above| folders.contains(above.as_os_str())),
            };
            if folders.is_empty() {
                let cache = cache.read();
                return exact
                    .iter()
                    .filter(|path| cache.contains_key(**path))
                    .map(|path| OsString::from(*path))
                    .collect();
            }
            keys(cache, |path| exact.contains(path) || below(path))
        }
        let affected = affected.as_ref();
        for path in affected_keys(&self.kinds, affected) {
            let now = permit(Question::Kind(Path::new(&path)))
                .map_or(Kind::Missing, |()| kind_of(&self.on_disk(Path::new(&path))));
            self.kind_belongs(Path::new(&path), now);
            if replace(&self.kinds, &path, now, |old, now| old == now).is_some() {
                add(&path, false);
            }
        }
        for path in affected_keys(&self.lists, affected) {
            // A link in the listing may have a new target.
            let now = permit(Question::List(Path::new(&path))).and_then(|()| list(&self.on_disk(Path::new(&path))));
            self.entries_belong(Path::new(&path), &now);
            if replace(&self.lists, &path, now, |old, now| old == now).is_some() {
                add(&path, false);
            }
        }
        for path in affected_keys(&self.files, affected) {
            let read = |()| self.read_stamped(&self.on_disk(Path::new(&path)));
            let (now, stamp) = permit(Question::Read(Path::new(&path))).map_or_else(|why| (Err(why), None), read);
            self.file_belongs(Path::new(&path), stamp);
            if let Some(old) = replace(&self.files, &path, now, |old, now| old == now) {
                let is = self.files.read().get(&path).is_some_and(Result::is_ok);
                add(&path, old.is_ok() && is);
            }
        }
        if paths.is_none() {
            self.names.write().clear();
        }
        if !changes.is_empty() || paths.is_none() {
            self.begin_generation();
        }
        changes.into_iter().collect()
    }

    /// The paths that events on these paths may affect: the paths themselves, the directories that contain them, and everything
    /// below those that are or were directories.
    fn affected_paths<'a>(&self, paths: &'a BTreeSet<PathBuf>) -> AffectedPaths<'a> {
        let mut exact = FxHashSet::default();
        let mut folders = FxHashSet::default();
        let kinds = self.kinds.read();
        let files = self.files.read();
        let lists = self.lists.read();
        for path in paths {
            exact.insert(path.as_os_str());
            // Up to the nearest directory whose listing contains the path: the directories in between may be new, too.
            let mut below = path.as_path();
            while let Some(folder) = below.parent() {
                exact.insert(folder.as_os_str());
                let holds = |entries: &Arc<[Entry]>| {
                    let name = below.file_name().and_then(OsStr::to_str);
                    entries.binary_search_by(|entry| Some(entry.name.as_ref()).cmp(&name)).is_ok()
                };
                if matches!(lists.get(folder.as_os_str()), Some(Ok(entries)) if holds(entries)) {
                    break;
                }
                if kinds.get(folder.as_os_str()).is_some_and(|kind| *kind != Kind::Directory) {
                    folders.insert(folder.as_os_str());
                }
                below = folder;
            }
            let was_file = matches!(files.get(path.as_os_str()), Some(Ok(_)))
                || kinds.get(path.as_os_str()).is_some_and(|kind| *kind == Kind::File);
            let was_folder = kinds.get(path.as_os_str()).is_some_and(|kind| *kind == Kind::Directory);
            let kind = kind_of(&self.on_disk(path));
            if was_folder || !(was_file || kind == Kind::File) || kind == Kind::Directory {
                folders.insert(path.as_os_str());
            }
        }
        (exact, folders)
    }
}

/// Affected paths, and folders that are affected with everything below them.
type AffectedPaths<'a> = (FxHashSet<&'a OsStr>, FxHashSet<&'a OsStr>);

fn keys<T>(cache: &Cache<T>, matches: impl Fn(&OsStr) -> bool) -> Vec<OsString> {
    let cache = cache.read();
    #[allow(clippy::iter_over_hash_type, reason = "the changes are sorted")]
    cache.keys().filter(|path| matches(path)).cloned().collect()
}

fn is_below(path: &OsStr, folder: &OsStr) -> bool {
    let (path, folder) = (path.as_encoded_bytes(), folder.as_encoded_bytes());
    path.starts_with(folder) && path.get(folder.len()).is_none_or(|next| *next == b'/')
}

/// Replaces a cached answer and returns the old one; an equal answer keeps its `Arc`.
fn replace<T>(cache: &Cache<T>, path: &OsString, now: T, same: impl Fn(&T, &T) -> bool) -> Option<T> {
    let mut cache = cache.write();
    let cached = cache.get_mut(path)?;
    (!same(cached, &now)).then(|| std::mem::replace(cached, now))
}
