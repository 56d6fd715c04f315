//! The path of a file or directory to write, and which part of it the user chose.

use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

/// A path to write to: a directory that the user chose, and the rest of the path. Symbolic links are followed in the first part only: the
/// rest may come from a repository or be created by Catwalk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    base: PathBuf,
    below: PathBuf,
}

impl Place {
    /// A path that the user named, for example on the command line: it may be a symbolic link or lead through some.
    #[must_use]
    pub fn named(path: impl Into<PathBuf>) -> Place {
        Place { base: path.into(), below: PathBuf::new() }
    }

    /// A path below a directory that the user named. `None` if `below` is absolute or leaves the directory by `..`.
    #[must_use]
    pub fn below(base: impl Into<PathBuf>, below: impl AsRef<Path>) -> Option<Place> {
        Some(Place { base: base.into(), below: normal(below.as_ref())? })
    }

    /// A path that the user named, in which links below `root` are not followed: the contents of `root` belong to others.
    #[must_use]
    pub fn named_within(path: impl Into<PathBuf>, root: &Path) -> Place {
        let path = path.into();
        let below = path.strip_prefix(root).ok().and_then(|below| Place::below(root, below));
        below.unwrap_or(Place { base: path, below: PathBuf::new() })
    }

    /// The place of a file or directory in this one.
    #[must_use]
    pub fn join(&self, name: &str) -> Place {
        Place { base: self.base.clone(), below: self.below.join(name) }
    }

    /// The place of the directory that contains this one. `None`: it has none.
    #[must_use]
    pub fn parent(&self) -> Option<Place> {
        let (base, below) = match self.is_named() {
            true => (self.base.parent()?.to_path_buf(), PathBuf::new()),
            false => (self.base.clone(), self.below.parent()?.to_path_buf()),
        };
        Some(Place { base, below })
    }

    /// The whole path.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        // Joining an empty path would add a `/`.
        if self.is_named() { self.base.clone() } else { self.base.join(&self.below) }
    }

    /// Whether the user named the whole path.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.below.as_os_str().is_empty()
    }

    /// The part in which links are followed.
    pub(super) fn base(&self) -> &Path {
        &self.base
    }

    /// The names below the base.
    pub(super) fn names(&self) -> Vec<std::ffi::OsString> {
        self.below.components().map(|part| part.as_os_str().to_owned()).collect()
    }
}

/// A relative path without `.` and `..`. `None` if it is absolute or leads out of its directory.
pub(super) fn normal(path: &Path) -> Option<PathBuf> {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => found.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !found.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_the_chosen_part_is_the_base() {
        let place = Place::named_within("/site/a/./b", Path::new("/site"));
        assert_eq!((place.base(), place.path()), (Path::new("/site"), PathBuf::from("/site/a/b")));
        for outside in ["/other/a", "/site/../a", "a"] {
            let place = Place::named_within(outside, Path::new("/site"));
            assert!(place.is_named() && place.path() == Path::new(outside), "{outside}");
        }
        assert_eq!(Place::below("/site", "a/../b").unwrap().path(), PathBuf::from("/site/b"));
        for outside in ["..", "a/../../b", "/etc"] {
            assert_eq!(Place::below("/site", outside), None, "{outside}");
        }
    }
}
