//! Which files may be read: those that are really below one of some directories, wherever the links on the way lead.
//!
//! In: directories, a path. Out: the path without links, or [`Outside`], which names both ends. Must not: read the file.
//! Symbolic links are resolved before the comparison: a link inside of a directory does not make what it points to part of it.

use std::fmt;
use std::path::Path;
use std::path::PathBuf;

use crate::world::Refused;
use crate::world::World;

/// Directories without links; what is below them may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    roots: Vec<PathBuf>,
}

/// Why a path is not admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The path, and the file that it really is, which is below none of the directories.
    Elsewhere(PathBuf, PathBuf),
    /// The path cannot be resolved: nothing is there, or a directory on the way cannot be searched.
    Unresolved(Refused),
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outside::Elsewhere(path, real) if path == real => {
                write!(f, "{} is outside of the site and its modules", path.display())
            }
            Outside::Elsewhere(path, real) => {
                write!(
                    f,
                    "{} leads to {}, which is outside of the site and its modules",
                    path.display(),
                    real.display()
                )
            }
            Outside::Unresolved(refused) => refused.fmt(f),
        }
    }
}

impl Boundary {
    /// The boundary around these directories. Links in their own paths are followed; a directory that is missing admits nothing.
    pub fn around<'a>(directories: impl IntoIterator<Item = &'a Path>, world: &dyn World) -> Boundary {
        let mut roots: Vec<PathBuf> = directories.into_iter().filter_map(|path| world.canonical(path).ok()).collect();
        roots.sort_unstable();
        roots.dedup();
        Boundary { roots }
    }

    /// The path without links, when that is below one of the directories.
    ///
    /// # Errors
    /// It is not, or nothing is there.
    pub fn admit(&self, path: &Path, world: &dyn World) -> Result<PathBuf, Outside> {
        let real = world.canonical(path).map_err(Outside::Unresolved)?;
        match self.holds(&real) {
            true => Ok(real),
            false => Err(Outside::Elsewhere(path.to_path_buf(), real)),
        }
    }

    /// Whether a path without links is one of the directories or below one.
    #[must_use]
    pub fn holds(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;
    use crate::world::Disk;

    #[test]
    fn links_count_as_what_they_lead_to() {
        let dir = tempfile::TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (site, other) = (root.join("site"), root.join("site-other"));
        std::fs::create_dir_all(site.join("modules")).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(site.join("a"), "a").unwrap();
        std::fs::write(other.join("b"), "b").unwrap();
        let link = |from: &Path, to: &str| std::os::unix::fs::symlink(from, site.join(to)).unwrap();
        link(&site.join("a"), "modules/inside");
        link(&other.join("b"), "outside");
        link(&other, "folder");
        link(Path::new("loop"), "loop");
        let world = Disk::new();
        let boundary = Boundary::around([site.as_path(), Path::new("/does/not/exist")], &world);
        assert_eq!(boundary.admit(&site.join("modules/inside"), &world), Ok(site.join("a")));
        assert_eq!(boundary.admit(&site.join("modules/../a"), &world), Ok(site.join("a")));
        for (path, real) in [("outside", "b"), ("folder/b", "b"), ("../site-other/b", "b")] {
            let path = site.join(path);
            assert_eq!(boundary.admit(&path, &world), Err(Outside::Elsewhere(path, other.join(real))));
        }
        assert!(matches!(boundary.admit(&site.join("loop"), &world), Err(Outside::Unresolved(_))));
        assert!(matches!(boundary.admit(&site.join("nothing"), &world), Err(Outside::Unresolved(Refused::Missing(_)))));
    }
}
