//! What untrusted code may ask: files below some directories, the clock, random bytes; nothing else.
//!
//! In: a question. Out: nothing where it is allowed; else [`Refused::Untrusted`], which also ends the compile that asked
//! ([`meter::forbid`]), so that no `rescue` hides it. Must not: look at anything outside of the directories: whether a file exists there, or is a
//! link, makes no difference to the answer.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::PoisonError;
use std::sync::RwLock;

use rustc_hash::FxHashMap;

use crate::diag::FORBIDDEN;
use crate::meter;
use crate::world::Entry;
use crate::world::Kind;
use crate::world::Refused;
use crate::world::World;

/// Links that follow each other are given up after this many, as Linux does.
const MAX_LINKS: usize = 40;
/// Longest part of a command, address or path in a message, in characters.
const MAX_SHOWN: usize = 200;
/// Environment variables that are not set for untrusted code without this being an attempt: stdlib looks at them.
const UNSET: &[&str] = &["STDLIB_LOG_DEPRECATIONS"];

/// Paths that do not exist for untrusted code without this being an attempt: values of Puppet's settings depend on them.
const UNSEEN: &[&str] = &["/etc/puppetlabs/code", "/etc/puppetlabs/code/hiera.yaml", "/etc/puppet/code/hiera.yaml"];

/// A directory or file that may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    /// Its path as the command line or the site names it.
    given: PathBuf,
    /// The directories without symbolic links.
    real: PathBuf,
}

/// The rules for untrusted code. Answers about paths are kept until [`Guard::forget`].
#[derive(Debug, Default)]
pub struct Guard {
    roots: Vec<Root>,
    /// The directory that relative paths start from.
    directory: PathBuf,
    programs: Vec<PathBuf>,
    /// Whether a path may be read: `Some`: where it leads, which is outside.
    paths: RwLock<FxHashMap<OsString, Option<PathBuf>>>,
    links: RwLock<FxHashMap<PathBuf, Option<PathBuf>>>,
}

impl Guard {
    /// The rules for code that may read what is below these paths. A path that is missing now may be read once it exists. Relative
    /// paths start from `directory`, the working directory of the process.
    pub fn new<'a>(roots: impl IntoIterator<Item = &'a Path>, directory: &Path, world: &dyn World) -> Guard {
        let root = |given: &Path| {
            let given = directory.join(given);
            Root { real: real(&given, world), given }
        };
        let mut roots: Vec<Root> = roots.into_iter().map(root).collect();
        roots.sort_unstable_by(|a, b| a.given.cmp(&b.given));
        roots.dedup();
        Guard { roots, directory: directory.to_path_buf(), ..Guard::default() }
    }

    /// Adds programs that Catwalk itself may start, such as the classifier that the user named; code of the site may not.
    #[must_use]
    pub fn with_programs(self, programs: Vec<PathBuf>) -> Guard {
        Guard { programs, ..self }
    }

    /// A guard with these rules and an empty cache.
    #[must_use]
    pub fn fresh(&self) -> Guard {
        let (roots, directory) = (self.roots.clone(), self.directory.clone());
        Guard { roots, directory, programs: self.programs.clone(), ..Guard::default() }
    }

    /// What may be read, without symbolic links.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(|root| root.real.as_path())
    }

    /// Whether the user named programs that may be started.
    #[must_use]
    pub fn has_programs(&self) -> bool {
        !self.programs.is_empty()
    }

    /// Forgets which paths may be read: files have changed.
    pub fn forget(&self) {
        self.paths.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.links.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Whether a path may be read; nothing is reported.
    pub fn admits(&self, path: &Path, world: &dyn World) -> bool {
        self.leads_outside(path, world).is_none()
    }

    /// Allows reading at a path.
    ///
    /// # Errors
    /// It is outside of the directories, or a link leads out.
    pub fn read(&self, path: &Path, world: &dyn World) -> Result<(), Refused> {
        match self.leads_outside(path, world) {
            None => Ok(()),
            Some(led) => Err(self.refuse(&outside(path, &led))),
        }
    }

    /// Allows asking what is at a path: also of the directories that lead to what may be read, which exist for that reason.
    ///
    /// # Errors
    /// As [`Guard::read`].
    pub fn look(&self, path: &Path, world: &dyn World) -> Result<(), Refused> {
        let leads_inside = |root: &Root| root.given.starts_with(path) || root.real.starts_with(path);
        if self.roots.iter().any(leads_inside) {
            return Ok(());
        }
        let is_unseen = UNSEEN.iter().any(|unseen| path.as_os_str() == *unseen);
        match is_unseen && !self.admits(path, world) {
            true => Err(Refused::Missing(path.to_path_buf())),
            false => self.read(path, world),
        }
    }

    /// The entries of a directory. What a link that leads out leads to is not looked at: with an extension it is listed as a file,
    /// without one as a directory.
    pub fn hide(&self, directory: &Path, entries: Arc<[Entry]>, world: &dyn World) -> Arc<[Entry]> {
        let hidden: Vec<usize> = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| self.leads_outside(&directory.join(&*entry.name), world).is_some())
            .map(|(at, _)| at)
            .collect();
        if hidden.is_empty() {
            return entries;
        }
        let mut entries = entries.to_vec();
        for at in hidden {
            if let Some(entry) = entries.get_mut(at) {
                entry.kind = if entry.name.contains('.') { Kind::File } else { Kind::Directory };
            }
        }
        Arc::from(entries)
    }

    /// Allows starting a program.
    ///
    /// # Errors
    /// Code asks for it, or the user did not name it.
    pub fn run(&self, argv: &[String]) -> Result<(), Refused> {
        let program = argv.first().map(Path::new);
        let refused = self.refuse(&format!("start processes: {}", shown(&argv.join(" "))));
        // A compile has ended by now: the program itself asks.
        match program.is_some_and(|program| self.programs.iter().any(|named| named == program)) {
            true => Ok(()),
            false => Err(refused),
        }
    }

    /// Refuses the network.
    #[must_use]
    pub fn network(&self, what: &str) -> Refused {
        self.refuse(&format!("use the network: {}", shown(what)))
    }

    /// Refuses an environment variable, or all (`*`).
    pub fn env(&self, name: &str) {
        if !UNSET.contains(&name) {
            let _ = self.refuse(&format!("see environment variables: {}", shown(name)));
        }
    }

    fn refuse(&self, what: &str) -> Refused {
        let text: Arc<str> = Arc::from(format!("{FORBIDDEN}{what}"));
        meter::forbid(&text);
        Refused::Untrusted(text)
    }

    fn leads_outside(&self, path: &Path, world: &dyn World) -> Option<PathBuf> {
        if let Some(known) = self.paths.read().unwrap_or_else(PoisonError::into_inner).get(path.as_os_str()) {
            return known.clone();
        }
        let led = self.walk(path, world).err();
        let mut known = self.paths.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(path.as_os_str().to_owned(), led.clone());
        led
    }

    /// Follows a path link by link as the system does: each link is read below a root, where it is the site's own text; elsewhere
    /// only the directories that lead to a root are passed, which are no links.
    fn walk(&self, path: &Path, world: &dyn World) -> Result<PathBuf, PathBuf> {
        let (mut at, mut rest) = (PathBuf::new(), Vec::new());
        self.enter(&self.directory.join(path), &mut at, &mut rest);
        let mut links = 0;
        while let Some(part) = rest.pop() {
            if part == ".." {
                at.pop();
            } else {
                let next = at.join(&part);
                match Some(&next).filter(|_| self.holds(&at)).and_then(|next| self.link(next, world)) {
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
            if !self.holds(&at) && !self.roots.iter().any(|root| root.real.starts_with(&at)) {
                at.extend(rest.iter().rev());
                return Err(at);
            }
        }
        if self.holds(&at) { Ok(at) } else { Err(at) }
    }

    /// Starts a path, or goes on with where a link leads: at a root when it is below one.
    fn enter(&self, path: &Path, at: &mut PathBuf, rest: &mut Vec<OsString>) {
        let below = |root: &Path| path.strip_prefix(root).map(Path::to_path_buf).ok();
        let root = self.roots.iter().filter_map(|root| {
            let below = below(&root.given).or_else(|| below(&root.real))?;
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

    fn holds(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(&root.real))
    }

    fn link(&self, path: &Path, world: &dyn World) -> Option<PathBuf> {
        if let Some(known) = self.links.read().unwrap_or_else(PoisonError::into_inner).get(path) {
            return known.clone();
        }
        let target = world.link(path);
        self.links.write().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf(), target.clone());
        target
    }
}

/// A path without links; what does not exist yet is added as it is written.
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

fn outside(path: &Path, led: &Path) -> String {
    let (path, led) = (path.to_string_lossy(), led.to_string_lossy());
    if path == led {
        return format!("read outside of the site: {}", shown(&path));
    }
    format!("read outside of the site: {} leads to {}", shown(&path), shown(&led))
}

/// The start of a text.
fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;
    use crate::world::Disk;

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
        let guard = Guard::new([alias.as_path(), shared.as_path()], &site, &world);
        let walk = |path: &Path| guard.walk(path, &world);
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
        for (path, led) in [
            ("relative", "secret"),
            ("dangling", "nothing"),
            ("../../secret", "secret"),
            ("..", "real"),
            ("../../alias", "alias"),
            ("elsewhere", "alias/site/modules"),
            ("../../alias/../secret", "alias/../secret"),
            ("loop", "real/site/loop"),
        ] {
            assert_eq!(walk(&site.join(path)), Err(top.join(led)), "{path}");
        }
        assert_eq!(walk(Path::new("/etc/passwd")), Err(PathBuf::from("/etc/passwd")));
    }
}
