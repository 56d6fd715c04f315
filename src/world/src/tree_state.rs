//! What the files below some directories looked like at one moment.
//!
//! In: directories. Out: a stamp of each path below them. Equal stamps of a file mean equal contents: they have its identity, its size and
//! the time of its last change, which the system sets with every write and which no program can set. The stamp of a directory has the names
//! and kinds of its entries. Must not: read contents.
//!
//! A server compiles each catalog against one state: [`crate::Disk::of_state`] refuses answers from files that have changed since.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ffi::OsString;
use std::hash::Hash;
use std::hash::Hasher;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use rustc_hash::FxHashMap;
use rustc_hash::FxHasher;

use crate::Entry;
use crate::Kind;
use crate::WorldError;
use crate::disk::kind_of_path as kind_of;
use crate::disk::list_directory;

/// The most paths in a state. Larger trees have no state: their files are then not protected against mixing.
const MAX_PATHS: usize = 1_000_000;

/// How deep directories are followed. Links can make cycles.
const MAX_DEPTH: usize = 64;

/// Directories of version control and of this program, which hold nothing that a catalog is made from.
const IGNORED: [&str; 5] = [".git", ".hg", ".svn", ".catwalk", crate::output::FOLDER];

/// A file at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    /// Images of file systems may have the same times in all of their files.
    device: u64,
    inode: u64,
    size: u64,
    /// Since 1970.
    changed: Duration,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stamp {
    File(FileStamp),
    /// A hash of the names and kinds of the entries.
    Directory(u64),
}

/// Directories whose files belong together, such as those of an environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trees {
    /// The directories, as compiles name them.
    pub roots: Vec<PathBuf>,
    /// Files and directories that are no part of them, such as a store that the server writes. Also paths that continue the name after
    /// `-` or `.`, such as the journals of a database.
    pub excluded: Vec<PathBuf>,
}

/// What the files below some directories looked like at one moment.
#[derive(Debug, Default)]
pub struct TreeState {
    trees: Trees,
    /// The roots, each with its path without links.
    real_roots: Vec<(PathBuf, PathBuf)>,
    stamps: FxHashMap<OsString, Stamp>,
    /// Directories that were not walked: links to a directory around the trees, and what is nested too deeply.
    unknown: Vec<PathBuf>,
    /// Whether there were too many paths.
    is_incomplete: bool,
}

impl FileStamp {
    /// The stamp of a file's metadata.
    #[cfg(unix)]
    pub(crate) fn new(meta: &std::fs::Metadata) -> FileStamp {
        use std::os::unix::fs::MetadataExt;
        let seconds = u64::try_from(meta.ctime()).unwrap_or(0);
        let nanoseconds = u32::try_from(meta.ctime_nsec()).unwrap_or(0);
        let changed = Duration::new(seconds, nanoseconds);
        FileStamp { device: meta.dev(), inode: meta.ino(), size: meta.len(), changed }
    }

    /// The stamp of a file's metadata.
    #[cfg(not(unix))]
    pub(crate) fn new(meta: &std::fs::Metadata) -> FileStamp {
        let changed = meta.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        FileStamp { device: 0, inode: 0, size: meta.len(), changed: changed.unwrap_or_default() }
    }

    #[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
    fn of_path(path: &Path) -> Option<FileStamp> {
        std::fs::metadata(path).ok().map(|meta| FileStamp::new(&meta))
    }

    /// The time of the last change of a path, since 1970.
    pub(crate) fn changed_at(path: &Path) -> Option<Duration> {
        FileStamp::of_path(path).map(|stamp| stamp.changed)
    }
}

impl Trees {
    fn excludes(&self, path: &Path) -> bool {
        let continues = |rest: &[u8]| matches!(rest.first(), None | Some(b'-' | b'.' | b'/'));
        let bytes = path.as_os_str().as_encoded_bytes();
        self.excluded
            .iter()
            .any(|excluded| bytes.strip_prefix(excluded.as_os_str().as_encoded_bytes()).is_some_and(continues))
    }
}

#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn real_path(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

fn is_ignored(name: &str) -> bool {
    IGNORED.contains(&name)
}

impl TreeState {
    /// Walks these trees. A file that changes meanwhile has a stamp from before or after the change. `locate`: where the file system has a
    /// path.
    #[must_use]
    pub(crate) fn record(trees: Trees, locate: &dyn Fn(&Path) -> PathBuf) -> TreeState {
        let mut state = TreeState { trees, ..TreeState::default() };
        for root in state.trees.roots.clone() {
            let real = real_path(&locate(&root)).unwrap_or_else(|| root.clone());
            state.real_roots.push((root, real));
        }
        for root in state.trees.roots.clone() {
            state.walk(&root, &locate(&root), &mut Vec::new(), MAX_DEPTH);
        }
        state
    }

    /// The trees of this state.
    #[must_use]
    pub fn trees(&self) -> &Trees {
        &self.trees
    }

    /// Whether the trees had too many files, so that nothing is known about them.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// `entered`: the directories, without links, that links on the way led to.
    fn walk(&mut self, directory: &Path, on_disk: &Path, entered: &mut Vec<PathBuf>, depth: usize) {
        let Ok(entries) = list_directory(on_disk) else {
            // It exists, but this process may not list it.
            if kind_of(on_disk) == Kind::Directory {
                self.unknown.push(directory.to_path_buf());
            }
            return;
        };
        let hash = self.hash_entries(directory, &entries);
        if self.stamps.len() >= MAX_PATHS {
            self.is_incomplete = true;
        }
        if self.is_incomplete {
            return;
        }
        if depth == 0 {
            return self.unknown.push(directory.to_path_buf());
        }
        self.stamps.insert(directory.as_os_str().to_owned(), Stamp::Directory(hash));
        for entry in entries.iter().filter(|entry| !is_ignored(&entry.name)) {
            let (path, on_disk) = (directory.join(&*entry.name), on_disk.join(&*entry.name));
            if self.trees.excludes(&path) {
                continue;
            }
            match entry.kind {
                Kind::Directory if entry.link => match real_path(&on_disk) {
                    Some(target) if !self.is_around(&target, directory, entered) => {
                        entered.push(target);
                        self.walk(&path, &on_disk, entered, depth - 1);
                        entered.pop();
                    }
                    _ => self.unknown.push(path),
                },
                Kind::Directory => self.walk(&path, &on_disk, entered, depth - 1),
                Kind::File => {
                    if let Some(stamp) = FileStamp::of_path(&on_disk) {
                        self.stamps.insert(path.into_os_string(), Stamp::File(stamp));
                    }
                }
                Kind::Missing => {}
            }
        }
    }

    /// Whether the target of a link in a directory contains that directory, a root, or what links on the way led to: following it would
    /// not end.
    fn is_around(&self, target: &Path, directory: &Path, entered: &[PathBuf]) -> bool {
        let is_above = |path: &PathBuf| path.starts_with(target);
        real_path(directory).as_ref().is_none_or(is_above)
            || entered.iter().any(is_above)
            || self.real_roots.iter().any(|(_, real)| is_above(real))
    }

    fn hash_entries(&self, directory: &Path, entries: &[Entry]) -> u64 {
        let mut hasher = FxHasher::default();
        let own = |entry: &&Entry| {
            !is_ignored(&entry.name)
                && (self.trees.excluded.is_empty() || !self.trees.excludes(&directory.join(&*entry.name)))
        };
        for entry in entries.iter().filter(own) {
            (&*entry.name, entry.kind == Kind::Directory, entry.kind == Kind::Missing).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The path below the roots as they are named, if a path is below one of them and part of its tree.
    fn key(&self, path: &Path) -> Option<PathBuf> {
        if self.is_incomplete {
            return None;
        }
        // Data can name `nodes/../common.yaml`.
        let path = &*catwalk_base::source::path::normalize_path(path);
        let below = self.real_roots.iter().find_map(|(named, real)| {
            let rest = path.strip_prefix(named).or_else(|_| path.strip_prefix(real)).ok()?;
            let ignored = rest.components().any(|part| part.as_os_str().to_str().is_some_and(is_ignored));
            (!ignored).then(|| if rest.as_os_str().is_empty() { named.clone() } else { named.join(rest) })
        })?;
        let is_known = !self.trees.excludes(&below) && !self.unknown.iter().any(|unknown| below.starts_with(unknown));
        is_known.then_some(below)
    }

    fn stamp(&self, key: &Path) -> Option<&Stamp> {
        self.stamps.get(key.as_os_str())
    }

    /// Whether the kind of a path is that of this state. Paths outside of the trees have no state: any kind is right.
    pub(crate) fn has_kind(&self, path: &Path, kind: Kind) -> bool {
        let Some(key) = self.key(path) else { return true };
        let recorded = match self.stamp(&key) {
            Some(Stamp::File(_)) => Kind::File,
            Some(Stamp::Directory(_)) => Kind::Directory,
            None => Kind::Missing,
        };
        recorded == kind
    }

    /// Whether the entries of a directory are those of this state.
    pub(crate) fn has_entries(&self, path: &Path, entries: &Result<std::sync::Arc<[Entry]>, WorldError>) -> bool {
        let Some(key) = self.key(path) else { return true };
        match (self.stamp(&key), entries) {
            (Some(Stamp::Directory(hash)), Ok(entries)) => self.hash_entries(&key, entries) == *hash,
            (Some(Stamp::File(_)) | None, Err(_)) => true,
            _ => false,
        }
    }

    /// Whether a file that was read is that of this state. `stamp`: that of the open file after it was read; `None`: it was not opened.
    pub(crate) fn has_file(&self, path: &Path, on_disk: &Path, stamp: Option<FileStamp>) -> bool {
        let Some(key) = self.key(path) else { return true };
        match (self.stamp(&key), stamp) {
            (Some(Stamp::File(recorded)), Some(read)) => *recorded == read,
            // It may not be opened.
            (Some(Stamp::File(recorded)), None) => FileStamp::of_path(on_disk) == Some(*recorded),
            (Some(Stamp::Directory(_)) | None, None) => true,
            (Some(Stamp::Directory(_)) | None, Some(_)) => false,
        }
    }

    /// Whether a path leads to the same file or directory as in this state.
    pub(crate) fn has_target(&self, path: &Path, on_disk: &Path) -> bool {
        let Some(key) = self.key(path) else { return true };
        match self.stamp(&key) {
            Some(Stamp::File(recorded)) => FileStamp::of_path(on_disk) == Some(*recorded),
            Some(Stamp::Directory(_)) => self.has_entries(path, &list_directory(on_disk)),
            None => FileStamp::of_path(on_disk).is_none(),
        }
    }

    /// Whether the files are the same as in another state.
    #[must_use]
    pub fn is_equal(&self, other: &TreeState) -> bool {
        !self.is_incomplete && !other.is_incomplete && self.trees == other.trees && self.stamps == other.stamps
    }

    /// The paths that differ from another state, as the roots are named.
    #[must_use]
    pub fn differences(&self, other: &TreeState) -> BTreeSet<PathBuf> {
        let mut paths = BTreeSet::new();
        if self.is_incomplete || other.is_incomplete {
            return paths;
        }
        #[allow(clippy::iter_over_hash_type, reason = "the differences are sorted")]
        for (path, stamp) in &self.stamps {
            if other.stamps.get(path) != Some(stamp) {
                paths.insert(PathBuf::from(path));
            }
        }
        let known = |path: &&OsString| !self.stamps.contains_key(path.as_os_str() as &OsStr);
        paths.extend(other.stamps.keys().filter(known).map(PathBuf::from));
        paths
    }

    /// The files that have changed in the time `age` before `now`, both since 1970. A time after `now` is that of a wrong clock and says
    /// nothing.
    pub fn changed_lately(&self, now: Duration, age: Duration) -> impl Iterator<Item = &Path> {
        let since = now.saturating_sub(age);
        self.stamps.iter().filter_map(move |(path, stamp)| match stamp {
            Stamp::File(stamp) if stamp.changed > since && stamp.changed <= now + age => Some(Path::new(path)),
            _ => None,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]
mod tests {
    use super::*;

    fn state(root: &Path) -> TreeState {
        let trees = Trees { roots: vec![root.to_path_buf()], excluded: vec![root.join("site.db")] };
        TreeState::record(trees, &Path::to_path_buf)
    }

    fn names(root: &Path, paths: &BTreeSet<PathBuf>) -> Vec<String> {
        paths.iter().map(|path| path.strip_prefix(root).unwrap().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn every_kind_of_change_is_a_difference_and_nothing_else_is() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let write = |path: &str, text: &str| {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), text).unwrap();
        };
        write("a/one", "1");
        write("a/two", "2");
        write("b/three", "3");
        let before = state(root);
        assert!(before.differences(&state(root)).is_empty());
        for unrelated in ["site.db", "site.db-wal", ".git/index.lock", ".catwalk/key"] {
            write(unrelated, "x");
        }
        assert!(before.differences(&state(root)).is_empty());
        std::thread::sleep(Duration::from_millis(20));
        write("a/one", "9");
        assert_eq!(names(root, &state(root).differences(&before)), ["a/one"]);
        std::fs::remove_file(root.join("a/two")).unwrap();
        write("b/four", "4");
        assert_eq!(names(root, &state(root).differences(&before)), ["a", "a/one", "a/two", "b", "b/four"]);
    }

    #[cfg(unix)]
    #[test]
    fn answers_from_changed_files_are_not_of_the_state() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for release in ["releases/1", "releases/2"] {
            std::fs::create_dir_all(at(release)).unwrap();
            std::fs::write(at(release).join("f"), release).unwrap();
        }
        std::os::unix::fs::symlink("releases/1", at("current")).unwrap();
        let state = state(&at("current"));
        let file = at("current/f");
        let stamp = || FileStamp::of_path(&file);
        assert!(state.has_file(&file, &file, stamp()) && state.has_kind(&at("current/new"), Kind::Missing));
        assert!(
            state.has_file(&at("releases/1/f"), &at("releases/1/f"), stamp()),
            "the path without links is known, too"
        );
        assert!(state.has_file(&at("elsewhere"), &at("elsewhere"), stamp()), "outside of the trees");
        std::os::unix::fs::symlink("releases/2", at("next")).unwrap();
        std::fs::rename(at("next"), at("current")).unwrap();
        assert!(!state.has_file(&file, &file, stamp()) && !state.has_target(&file, &file));
        std::fs::write(at("current/new"), "").unwrap();
        assert!(!state.has_kind(&at("current/new"), Kind::File));
        assert!(!state.has_entries(&at("current"), &list_directory(&at("current"))));
    }
}
