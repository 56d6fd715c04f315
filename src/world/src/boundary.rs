//! Which files may be read: those whose path without symbolic links is below one of some directories.
//!
//! In: directories, a path. Out: whether the path is below one of them without links, else [`OutsidePath`], which names the path
//! and where it leads. Must not: read anything outside of the directories: whether a file exists there, or is a link, makes no
//! difference to the answer.

use parking_lot::RwLock;
use std::ffi::OsString;
use std::fmt;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

use rustc_hash::FxHashMap;

use crate::World;

/// The most symbolic links in one path, as in Linux.
const MAX_LINKS: usize = 40;

/// A directory or file that may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    /// The path as the command line or the site names it.
    named: PathBuf,
    /// The path without symbolic links.
    real: PathBuf,
}

/// Directories and files that may be read, with all paths below them. Results are cached until [`Boundary::forget`].
#[derive(Debug, Default)]
pub struct Boundary {
    roots: Vec<Root>,
    /// The directory that relative paths start from.
    directory: PathBuf,
    /// Where a path leads if that is outside; `None`: the path may be read.
    paths: RwLock<FxHashMap<OsString, Option<PathBuf>>>,
    links: RwLock<FxHashMap<PathBuf, Option<PathBuf>>>,
}

/// A path that leads outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsidePath {
    /// The path.
    pub path: PathBuf,
    /// Where it leads: the first path that is below none of the directories, joined with the remaining components.
    pub target: PathBuf,
}

impl fmt::Display for OutsidePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, target) = (self.path.display(), self.target.display());
        match self.path == self.target {
            true => write!(f, "{path} is outside of the site and its modules"),
            false => write!(f, "{path} leads to {target}, which is outside of the site and its modules"),
        }
    }
}

impl Boundary {
    /// The boundary around these paths. Links in their own paths are followed. A path that is missing now may be read once it exists.
    /// Relative paths start from `directory`, the working directory of the process.
    pub fn around<'a>(paths: impl IntoIterator<Item = &'a Path>, directory: &Path, world: &dyn World) -> Boundary {
        let root = |path: &Path| {
            let named = directory.join(path);
            Root { real: real(&named, world), named }
        };
        let mut roots: Vec<Root> = paths.into_iter().map(root).collect();
        roots.sort_unstable_by(|a, b| a.named.cmp(&b.named));
        roots.dedup();
        Boundary { roots, directory: directory.to_path_buf(), ..Boundary::default() }
    }

    /// What may be read, without symbolic links.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(|root| root.real.as_path())
    }

    /// The directory that contains a path or is it, as the path names it; the innermost one.
    #[must_use]
    pub fn root_of(&self, path: &Path) -> Option<&Path> {
        let roots = self.roots.iter().flat_map(|root| [root.named.as_path(), root.real.as_path()]);
        roots.filter(|root| path.starts_with(root)).max_by_key(|root| root.components().count())
    }

    /// Forgets where paths lead: files have changed.
    pub fn forget(&self) {
        self.paths.write().clear();
        self.links.write().clear();
    }

    /// Checks that a path is below one of the directories. It need not exist.
    ///
    /// # Errors
    /// The path, or a link on the way, leads outside.
    pub fn admit(&self, path: &Path, world: &dyn World) -> Result<(), OutsidePath> {
        match self.outside_target(path, world) {
            None => Ok(()),
            Some(target) => Err(OutsidePath { path: path.to_path_buf(), target }),
        }
    }

    /// Whether a path is one of the directories or leads to one.
    #[must_use]
    pub(crate) fn is_above(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| root.named.starts_with(path) || root.real.starts_with(path))
    }

    fn outside_target(&self, path: &Path, world: &dyn World) -> Option<PathBuf> {
        if let Some(cached) = self.paths.read().get(path.as_os_str()) {
            return cached.clone();
        }
        let target = self.walk(path, world).err();
        let mut cached = self.paths.write();
        cached.insert(path.as_os_str().to_owned(), target.clone());
        target
    }

    /// Follows a path link by link as the system does. A link is read only below a root, where it belongs to the site; elsewhere
    /// the only directories passed are those that lead to a root, and none of these is a link.
    fn walk(&self, path: &Path, world: &dyn World) -> Result<PathBuf, PathBuf> {
        let (mut at, mut rest) = (PathBuf::new(), Vec::new());
        self.enter(&self.directory.join(path), &mut at, &mut rest);
        let mut links = 0;
        while let Some(part) = rest.pop() {
            if part == ".." {
                at.pop();
            } else {
                let next = at.join(&part);
                match Some(&next).filter(|_| self.contains(&at)).and_then(|next| self.link(next, world)) {
                    Some(target) => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(next);
                        }
                        self.enter(&target, &mut at, &mut rest);
                    }
                    None => at = next,
                }
            }
            if !self.contains(&at) && !self.roots.iter().any(|root| root.real.starts_with(&at)) {
                at.extend(rest.iter().rev());
                return Err(at);
            }
        }
        if self.contains(&at) { Ok(at) } else { Err(at) }
    }

    /// Starts a path, or continues at the target of a link: at a root if the path is below one.
    fn enter(&self, path: &Path, at: &mut PathBuf, rest: &mut Vec<OsString>) {
        let below = |root: &Path| path.strip_prefix(root).map(Path::to_path_buf).ok();
        let root = self.roots.iter().filter_map(|root| {
            let below = below(&root.named).or_else(|| below(&root.real))?;
            Some((root, below))
        });
        let below = match root.min_by_key(|(_, below)| below.components().count()) {
            Some((root, below)) => {
                at.clone_from(&root.real);
                below
            }
            None => {
                if path.has_root() {
                    *at = PathBuf::from("/");
                }
                path.to_path_buf()
            }
        };
        let parts = below.components().rev().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        });
        rest.extend(parts);
    }

    fn contains(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(&root.real))
    }

    fn link(&self, path: &Path, world: &dyn World) -> Option<PathBuf> {
        if let Some(cached) = self.links.read().get(path) {
            return cached.clone();
        }
        let target = world.link(path);
        self.links.write().insert(path.to_path_buf(), target.clone());
        target
    }
}

/// A path without links; components that do not exist are kept unchanged.
fn real(path: &Path, world: &dyn World) -> PathBuf {
    let mut missing = Vec::new();
    for above in path.ancestors() {
        if let Ok(mut found) = world.canonical(above) {
            found.extend(missing.iter().rev());
            return found;
        }
        missing.extend(above.file_name());
    }
    path.to_path_buf()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;
    use crate::Disk;

    #[test]
    fn a_path_is_followed_without_looking_outside() {
        let dir = tempfile::TempDir::new().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let (site, shared) = (top.join("real/site"), top.join("shared"));
        std::fs::create_dir_all(site.join("modules")).unwrap();
        std::fs::create_dir_all(&shared).unwrap();
        std::fs::write(top.join("secret"), "").unwrap();
        let link = |to: &Path, from: &Path| std::os::unix::fs::symlink(to, from).unwrap();
        let alias = top.join("alias");
        link(&top.join("real"), &alias);
        let alias = alias.join("site");
        for (to, from) in [
            ("../../secret", "relative"),
            ("../../nothing", "dangling"),
            ("modules", "inside"),
            ("loop", "loop"),
            ("../../shared/x", "shared"),
            ("../../alias/site/modules", "elsewhere"),
        ] {
            link(Path::new(to), &site.join(from));
        }
        link(&alias.join("modules"), &site.join("back"));
        let world = Disk::new();
        let boundary = Boundary::around([alias.as_path(), shared.as_path()], &site, &world);
        let walk = |path: &Path| boundary.walk(path, &world);
        for (path, real) in [
            (alias.clone(), site.clone()),
            (site.join("a/b"), site.join("a/b")),
            (PathBuf::from("modules/../a"), site.join("a")),
            (alias.join("inside/a"), site.join("modules/a")),
            (site.join("back/../a"), site.join("a")),
            (site.join("../../shared/y"), shared.join("y")),
            (site.join("shared"), shared.join("x")),
        ] {
            assert_eq!(walk(&path), Ok(real), "{}", path.display());
        }
        for (path, target) in [
            ("relative", "secret"),
            ("dangling", "nothing"),
            ("../../secret", "secret"),
            ("..", "real"),
            ("../../alias", "alias"),
            ("elsewhere", "alias/site/modules"),
            ("../../alias/../secret", "alias/../secret"),
            ("loop", "real/site/loop"),
            ("../site-other/b", "real/site-other/b"),
        ] {
            assert_eq!(walk(&site.join(path)), Err(top.join(target)), "{path}");
        }
        assert_eq!(boundary.admit(&site.join("inside"), &world), Ok(()));
        let outside = boundary.admit(&site.join("relative"), &world).unwrap_err();
        let text = format!("{} leads to {}, which", site.join("relative").display(), top.join("secret").display());
        assert!(outside.to_string().starts_with(&text), "{outside}");
        assert_eq!(walk(Path::new("/etc/passwd")), Err(PathBuf::from("/etc/passwd")));
    }
}
