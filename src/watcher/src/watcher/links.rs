//! The symbolic links on the way to the paths that compiles use, and directories that are watched under several names.
//!
//! In: used paths. Out: for a path of an event, the used paths that it affects. Must not: watch.
//!
//! The system reports the change of a link in the link's directory, which may be outside of the site: with `data -> /x/current` and
//! `/x/current -> v2`, switching `current` is an event in `/x`. And it reports events of a directory under one name only, however
//! many links lead to it.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// More links on the way to one path than the system follows.
const MAX_LINKS: usize = 40;

/// A link or directory on the way that a link leads, and the used path that leads through it.
type Passage = (PathBuf, PathBuf);

/// Where a path leads.
#[derive(Clone, Debug)]
struct Resolved {
    /// The path without links.
    real: Arc<Path>,
    /// The links on the way, of parent directories, too.
    passages: Arc<[Passage]>,
}

/// The links on the way to used paths.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Examined paths.
    resolved: FxHashMap<PathBuf, Resolved>,
    /// The used paths that lead through a link, by the path of the link without links in its directory; also by each directory behind the
    /// first link and the end of the way, which may be replaced or missing.
    users: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// The other names of watched directories that have several.
    aliases: FxHashMap<PathBuf, Vec<PathBuf>>,
    /// Directories that are watched only because of links in them.
    only_for_links: BTreeSet<PathBuf>,
}

impl Links {
    /// Starts a new set of used paths; what was examined stays known.
    pub(super) fn begin(&mut self) {
        self.users.clear();
    }

    /// Adds a used path.
    pub(super) fn add(&mut self, path: &Path) {
        let Resolved { passages, .. } = self.resolve(path);
        for (link, user) in passages.iter() {
            self.users.entry(link.clone()).or_default().insert(user.clone());
        }
    }

    /// The used paths that a change at this path affects, because it is a link on the way to them or the end of the way.
    pub(super) fn users(&self, path: &Path) -> impl Iterator<Item = &PathBuf> {
        self.users.get(path).into_iter().flatten()
    }

    /// Whether a used path leads through a link at this path.
    pub(super) fn leads_through(&self, path: &Path) -> bool {
        self.users.contains_key(path)
    }

    /// Adds the directories in which changes of links are reported to those that are watched anyway. Others of their entries do not matter.
    pub(super) fn add_directories(&mut self, directories: &mut BTreeSet<PathBuf>, exists: impl Fn(&Path) -> bool) {
        let parents = self.users.keys().filter_map(|step| step.parent());
        // A watch on the root directory is useless.
        let nearest = |parent: &Path| parent.ancestors().find(|directory| exists(directory)).map(Path::to_path_buf);
        let parents: BTreeSet<PathBuf> = parents.filter_map(nearest).filter(|path| path.parent().is_some()).collect();
        self.only_for_links = parents.difference(directories).cloned().collect();
        directories.extend(parents);
    }

    /// Whether an event at this path has no effect: its directory is watched only because of links in it, and it is none.
    pub(super) fn is_irrelevant(&self, path: &Path) -> bool {
        path.parent().is_some_and(|directory| self.only_for_links.contains(directory)) && !self.leads_through(path)
    }

    /// Finds the names of each directory.
    pub(super) fn name_directories(&mut self, directories: &BTreeSet<PathBuf>) {
        let mut names: BTreeMap<Arc<Path>, Vec<PathBuf>> = BTreeMap::new();
        for directory in directories {
            names.entry(self.resolve(directory).real).or_default().push(directory.clone());
        }
        self.aliases.clear();
        for names in names.into_values().filter(|names| names.len() > 1) {
            for name in &names {
                self.aliases.insert(name.clone(), names.iter().filter(|other| *other != name).cloned().collect());
            }
        }
    }

    /// The other names of a watched directory.
    pub(super) fn aliases(&self, directory: &Path) -> &[PathBuf] {
        self.aliases.get(directory).map_or(&[], Vec::as_slice)
    }

    /// The other names of a path in a watched directory.
    pub(super) fn other_names(&self, path: &Path) -> Vec<PathBuf> {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
        self.aliases(directory).iter().map(|other| other.join(name)).collect()
    }

    /// Forgets what was examined through replaced paths.
    pub(super) fn forget(&mut self, is_replaced: impl Fn(&Path) -> bool) {
        self.resolved.retain(|path, resolved| {
            !is_replaced(path) && !resolved.passages.iter().any(|(link, _)| is_replaced(link))
        });
    }

    fn resolve(&mut self, path: &Path) -> Resolved {
        if let Some(known) = self.resolved.get(path) {
            return known.clone();
        }
        let resolved = match (path.parent(), path.components().next_back()) {
            (Some(parent), Some(last)) => {
                let above = self.resolve(parent);
                let (real, steps) = follow(&above.real, last);
                let passages = match steps.as_slice() {
                    [] => above.passages,
                    steps => {
                        let own = steps.iter().map(|step| (step.clone(), path.to_path_buf()));
                        above.passages.iter().cloned().chain(own).collect()
                    }
                };
                Resolved { real: Arc::from(real), passages }
            }
            _ => Resolved { real: Arc::from(path), passages: Arc::from([]) },
        };
        self.resolved.insert(path.to_path_buf(), resolved.clone());
        resolved
    }
}

/// The end of the way that an entry of a directory leads to, and the steps of the way if the entry is a link: links, and directories behind
/// the first. All paths are without links.
fn follow(directory: &Path, entry: Component<'_>) -> (PathBuf, Vec<PathBuf>) {
    let mut at = directory.to_path_buf();
    let (mut steps, mut links) = (Vec::new(), 0);
    let mut rest = vec![PathBuf::from(entry.as_os_str())];
    while let Some(part) = rest.pop() {
        match part.components().next() {
            None | Some(Component::CurDir) => continue,
            Some(Component::ParentDir) => {
                at.pop();
                continue;
            }
            Some(Component::RootDir | Component::Prefix(_)) => {
                at = part;
                continue;
            }
            Some(Component::Normal(_)) => at.push(part),
        }
        #[allow(clippy::disallowed_methods, reason = "a hint, which decides nothing")]
        let target = std::fs::read_link(&at).ok().filter(|_| links < MAX_LINKS);
        if target.is_some() || links > 0 {
            steps.push(at.clone());
        }
        if let Some(target) = target {
            links += 1;
            at.pop();
            rest.extend(target.components().rev().map(|part| PathBuf::from(part.as_os_str())));
        }
    }
    (at, steps)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;

    #[test]
    fn each_link_of_a_chain_affects_the_used_path() {
        let dir = tempfile::TempDir::new().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for folder in ["site/modules", "x/v1/deep", "shared"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        let link = |to: &Path, from: &str| std::os::unix::fs::symlink(to, top.join(from)).unwrap();
        link(Path::new("v1"), "x/current");
        link(&top.join("x/current"), "site/data");
        link(Path::new("../shared"), "site/a");
        link(Path::new("../shared"), "site/b");
        link(Path::new("loop"), "site/loop");
        link(Path::new("gone/file"), "site/dangling");
        let mut links = Links::default();
        let at = |path: &str| top.join(path);
        for path in ["site/data/deep/a.yaml", "site/modules/m", "site/a/x", "site/b/x", "site/loop/x", "site/dangling"]
        {
            links.add(&at(path));
        }
        let users = |links: &Links, path: &str| links.users(&at(path)).cloned().collect::<Vec<_>>();
        for (path, used) in [
            ("site/data", "site/data"),
            ("x/current", "site/data"),
            ("x/v1", "site/data"),
            ("x", "site/data"),
            ("site/a", "site/a"),
            ("site/loop", "site/loop"),
            ("site/gone/file", "site/dangling"),
            ("site/gone", "site/dangling"),
        ] {
            assert_eq!(users(&links, path), [at(used)], "{path}");
        }
        assert_eq!(users(&links, "shared"), [at("site/a"), at("site/b")]);
        assert!(users(&links, "site/modules").is_empty() && users(&links, "site").is_empty());
        let mut directories = BTreeSet::from([at("site")]);
        links.add_directories(&mut directories, |_| true);
        assert!(directories.contains(&at("x")) && links.is_irrelevant(&at("x/other")));
        assert!(!links.is_irrelevant(&at("x/current")) && !links.is_irrelevant(&at("site/other")));
        links.name_directories(&[at("site/a"), at("site/b"), at("site")].into());
        assert_eq!(links.other_names(&at("site/b/f")), [at("site/a/f")]);
        assert!(links.other_names(&at("site/f")).is_empty());
        // After a switch, the old end has no effect.
        std::fs::remove_file(at("x/current")).unwrap();
        link(Path::new("v2"), "x/current");
        links.forget(|path| path == at("x/current"));
        links.begin();
        links.add(&at("site/data/deep/a.yaml"));
        assert_eq!(links.users(&at("x/v2")).count() + links.users(&at("x/v1")).count(), 1);
    }
}
