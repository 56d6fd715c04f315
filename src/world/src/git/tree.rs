//! A revision's files by path. Links are followed, submodules are entered, and chosen paths are read from the work tree.

use std::path::Component;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::DEFAULT_FILE_LIMIT;
use crate::Entry;
use crate::Kind;
use crate::WorldError;
use crate::disk::too_large;
use crate::git::Repository;
use crate::git::Revision;
use crate::git::git;
use crate::git::git_error;
use crate::git::objects::Objects;
use catwalk_base::diag::Reason;

/// The most links that are followed for one path.
const MAX_LINKS: usize = 40;
/// The depth to which nested submodules are entered.
const MAX_NESTED: usize = 8;

/// A submodule whose files are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSubmodule {
    /// Its path in the work tree.
    pub path: PathBuf,
    /// The commit that the revision refers to.
    pub commit: String,
    /// The reason why it cannot be read.
    pub why: String,
}

#[derive(Clone)]
enum Node {
    File { id: Arc<str>, from: usize, size: u64 },
    Link { id: Arc<str>, from: usize },
    Directory(Vec<Arc<str>>),
}

/// The entry at a path.
pub(crate) enum RevisionPath {
    /// The path is not in the revision: the disk has it, at this path.
    Disk(PathBuf),
    /// A file of the revision.
    File(Result<Arc<[u8]>, String>),
    /// A directory of the revision.
    Directory(Vec<Entry>),
    /// Nothing.
    Missing,
}

enum ResolvedPath<'a> {
    Disk(PathBuf),
    Node(&'a Node, String),
    Missing,
}

/// The files of a revision.
#[derive(Clone)]
pub struct Tree {
    /// The revision's name and commit.
    pub revision: Revision,
    /// Submodules that cannot be read.
    pub missing_submodules: Arc<[MissingSubmodule]>,
    top: PathBuf,
    real: PathBuf,
    /// Entries by their path relative to the top, with slashes.
    nodes: Arc<FxHashMap<String, Node>>,
    objects: Arc<[Arc<Objects>]>,
    /// Paths relative to the top whose contents come from the work tree, whatever the revision has there.
    overlay: Arc<FxHashMap<String, Kind>>,
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tree({}, {} paths)", self.revision.commit, self.nodes.len())
    }
}

struct TreeReader<'a> {
    repository: &'a Repository,
    nodes: FxHashMap<String, Node>,
    objects: Vec<Arc<Objects>>,
    missing_submodules: Vec<MissingSubmodule>,
}

impl Tree {
    pub(super) fn read(repository: &Repository, revision: &Revision) -> Result<Tree, Reason> {
        let mut reader =
            TreeReader { repository, nodes: FxHashMap::default(), objects: Vec::new(), missing_submodules: Vec::new() };
        reader.nodes.insert(String::new(), Node::Directory(Vec::new()));
        let listed = reader.list(&repository.top, &revision.commit, "", MAX_NESTED);
        listed.map_err(|why| git_error(format!("git cannot list {}: {why}", revision.display_name())))?;
        #[allow(clippy::iter_over_hash_type, reason = "each list is sorted by itself")]
        for node in reader.nodes.values_mut() {
            if let Node::Directory(names) = node {
                names.sort_unstable();
            }
        }
        Ok(Tree {
            revision: revision.clone(),
            missing_submodules: Arc::from(reader.missing_submodules),
            top: repository.top.clone(),
            real: repository.real.clone(),
            nodes: Arc::new(reader.nodes),
            objects: Arc::from(reader.objects),
            overlay: Arc::default(),
        })
    }

    /// Returns this revision with the files at these paths replaced by those of the work tree. Paths outside the work tree are ignored.
    #[must_use]
    pub fn with_work_tree_files<'a>(&self, paths: impl IntoIterator<Item = (&'a Path, Kind)>) -> Tree {
        let mut overlay = (*self.overlay).clone();
        for (path, kind) in paths {
            if let Some(below) = self.below(path) {
                overlay.insert(below.to_owned(), kind);
            }
        }
        Tree { overlay: Arc::new(overlay), ..self.clone() }
    }

    /// A path relative to the top, as a string.
    fn below<'a>(&self, path: &'a Path) -> Option<&'a str> {
        let below = path.strip_prefix(&self.top).or_else(|_| path.strip_prefix(&self.real)).ok()?;
        below.to_str()
    }

    /// The file, directory or other entry at a path. `limit`: the size in bytes above which files are refused.
    pub(crate) fn locate(&self, path: &Path, limit: u64) -> RevisionPath {
        match self.find(path) {
            ResolvedPath::Disk(path) => RevisionPath::Disk(path),
            ResolvedPath::Missing => RevisionPath::Missing,
            ResolvedPath::Node(Node::File { size, .. }, _) if *size > limit => {
                RevisionPath::File(Err(too_large(limit)))
            }
            ResolvedPath::Node(Node::File { id, from, .. }, _) => RevisionPath::File(self.blob(id, *from, limit)),
            ResolvedPath::Node(Node::Directory(names), at) => RevisionPath::Directory(self.entries(names, &at)),
            // A cycle of links.
            ResolvedPath::Node(Node::Link { .. }, _) => RevisionPath::Missing,
        }
    }

    /// The kind of the entry at a path, without reading it.
    pub(crate) fn kind(&self, path: &Path) -> Result<Kind, PathBuf> {
        match self.find(path) {
            ResolvedPath::Disk(path) => Err(path),
            ResolvedPath::Node(Node::File { .. }, _) => Ok(Kind::File),
            ResolvedPath::Node(Node::Directory(_), _) => Ok(Kind::Directory),
            ResolvedPath::Node(Node::Link { .. }, _) | ResolvedPath::Missing => Ok(Kind::Missing),
        }
    }

    /// The path without links; `Err`: where on the disk it leads.
    pub(crate) fn canonical(&self, path: &Path) -> Result<Option<PathBuf>, PathBuf> {
        match self.find(path) {
            ResolvedPath::Disk(path) => Err(path),
            ResolvedPath::Node(Node::Link { .. }, _) | ResolvedPath::Missing => Ok(None),
            ResolvedPath::Node(_, at) if at.is_empty() => Ok(Some(self.real.clone())),
            ResolvedPath::Node(_, at) => Ok(Some(self.real.join(at))),
        }
    }

    /// Where the link at a path leads, if it is a link; `Err`: the path on the disk that has the answer.
    pub(crate) fn link(&self, path: &Path) -> Result<Option<PathBuf>, PathBuf> {
        let Some(below) = self.below(path) else { return Err(path.to_path_buf()) };
        let is_overlaid = |path: &String| Path::new(below).starts_with(path);
        if !self.overlay.is_empty() && self.overlay.keys().any(is_overlaid) {
            return Err(path.to_path_buf());
        }
        Ok(match self.nodes.get(below) {
            Some(Node::Link { id, from }) => {
                let target = self.blob(id, *from, DEFAULT_FILE_LIMIT).unwrap_or_default();
                Some(PathBuf::from(String::from_utf8_lossy(&target).into_owned()))
            }
            _ => None,
        })
    }

    /// The refusal of a program that differs between the revision and the disk, whose file would be run.
    pub(crate) fn refuses(
        &self,
        program: &Path,
        limit: u64,
        on_disk: impl Fn(&Path) -> Option<Arc<[u8]>>,
    ) -> Option<WorldError> {
        let location = if program.is_absolute() { self.locate(program, limit) } else { return None };
        let text = match location {
            RevisionPath::Disk(_) => return None,
            RevisionPath::File(Ok(bytes)) if on_disk(program).is_some_and(|found| *found == *bytes) => return None,
            RevisionPath::File(_) | RevisionPath::Directory(_) => "differs from the work tree",
            RevisionPath::Missing => "does not exist",
        };
        let text = format!(
            "running {}: it {text} in {}, and programs run from the work tree",
            program.display(),
            self.revision.display_name()
        );
        Some(WorldError::NotAllowed(Arc::from(text)))
    }

    fn blob(&self, id: &Arc<str>, from: usize, limit: u64) -> Result<Arc<[u8]>, String> {
        let objects = self.objects.get(from).ok_or("no such repository")?;
        objects.blob(id, limit)
    }

    fn entries(&self, names: &[Arc<str>], at: &str) -> Vec<Entry> {
        let kind = |name: &str| match self.nodes.get(&join(at, name)) {
            Some(Node::File { .. }) => Kind::File,
            Some(Node::Directory(_)) => Kind::Directory,
            Some(Node::Link { .. }) => match self.kind(&self.top.join(at).join(name)) {
                Ok(kind) => kind,
                Err(path) => disk_kind(&path),
            },
            None => Kind::Missing,
        };
        let link = |name: &str| matches!(self.nodes.get(&join(at, name)), Some(Node::Link { .. }));
        let entry = |name: &Arc<str>| Entry { name: name.clone(), kind: kind(name), link: link(name) };
        let mut entries: Vec<Entry> = names.iter().map(entry).collect();
        // The order of the map does not matter: entries are sorted by name.
        let mut overlay: Vec<(&String, &Kind)> = self.overlay.iter().collect();
        overlay.sort_unstable_by_key(|(path, _)| *path);
        for (path, kind) in overlay {
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
            if parent == at && !name.is_empty() {
                entries.retain(|entry| *entry.name != *name);
                entries.push(Entry { name: Arc::from(name), kind: *kind, link: false });
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    fn find(&self, path: &Path) -> ResolvedPath<'_> {
        let Some(below) = self.below(path) else { return ResolvedPath::Disk(path.to_path_buf()) };
        if self.overlay.is_empty()
            && let Some(node) = self.nodes.get(below)
            && !matches!(node, Node::Link { .. })
        {
            return ResolvedPath::Node(node, below.to_owned());
        }
        self.walk(Path::new(below))
    }

    /// Follows a path step by step: links, `..`, and directories of the work tree may be on the way.
    fn walk(&self, below: &Path) -> ResolvedPath<'_> {
        let mut rest: Vec<Step> = steps(below);
        let mut at = String::new();
        let mut links = 0;
        while let Some(step) = rest.pop() {
            match step {
                Step::Root(path) => return ResolvedPath::Disk(path),
                Step::Up if at.is_empty() => {
                    let mut path = self.top.parent().unwrap_or(&self.top).to_path_buf();
                    path.extend(rest.iter().rev().map(Step::name));
                    return ResolvedPath::Disk(path);
                }
                Step::Up => at.truncate(at.rfind('/').unwrap_or(0)),
                Step::Name(name) => {
                    let next = join(&at, &name);
                    if self.overlay.contains_key(&next) {
                        let mut path = self.top.join(&next);
                        path.extend(rest.iter().rev().map(Step::name));
                        return ResolvedPath::Disk(path);
                    }
                    match self.nodes.get(&next) {
                        None => {
                            // A directory that exists only because it contains a path of the work tree.
                            return self.resolve_missing(&next, &rest);
                        }
                        Some(Node::Directory(_)) => at = next,
                        Some(Node::File { .. }) if !rest.is_empty() => return ResolvedPath::Missing,
                        Some(node @ Node::File { .. }) => return ResolvedPath::Node(node, next),
                        Some(Node::Link { id, from }) => {
                            links += 1;
                            let Ok(target) = self.blob(id, *from, DEFAULT_FILE_LIMIT) else {
                                return ResolvedPath::Missing;
                            };
                            let target = String::from_utf8_lossy(&target).into_owned();
                            if links > MAX_LINKS {
                                return ResolvedPath::Missing;
                            }
                            match self.below(Path::new(&target)) {
                                Some(inside) => {
                                    at.clear();
                                    rest.extend(steps(Path::new(inside)));
                                }
                                None if target.starts_with('/') => {
                                    let mut path = PathBuf::from(&target);
                                    path.extend(rest.iter().rev().map(Step::name));
                                    return ResolvedPath::Disk(path);
                                }
                                None => rest.extend(steps(Path::new(&target))),
                            }
                        }
                    }
                }
            }
        }
        match self.nodes.get(&at) {
            Some(node) => ResolvedPath::Node(node, at),
            None => ResolvedPath::Missing,
        }
    }

    /// A path that the revision does not have, but that may lead to a path of the work tree.
    fn resolve_missing(&self, next: &str, rest: &[Step]) -> ResolvedPath<'_> {
        let mut full = self.top.join(next);
        full.extend(rest.iter().rev().map(Step::name));
        let relative = self.below(&full).unwrap_or_default();
        let is_replaced =
            |path: &str| relative == path || relative.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        let contains_replaced = |path: &str| path.strip_prefix(relative).is_some_and(|rest| rest.starts_with('/'));
        if self.overlay.keys().any(|path| is_replaced(path) || contains_replaced(path)) {
            ResolvedPath::Disk(full)
        } else {
            ResolvedPath::Missing
        }
    }
}

fn disk_kind(path: &Path) -> Kind {
    #[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Kind::Directory,
        Ok(_) => Kind::File,
        Err(_) => Kind::Missing,
    }
}

enum Step {
    Root(PathBuf),
    Up,
    Name(String),
}

impl Step {
    fn name(&self) -> &str {
        match self {
            Step::Root(_) => "/",
            Step::Up => "..",
            Step::Name(name) => name,
        }
    }
}

/// The steps of a path, the last one first.
fn steps(path: &Path) -> Vec<Step> {
    let step = |part: Component<'_>| match part {
        Component::Normal(name) => Some(Step::Name(name.to_string_lossy().into_owned())),
        Component::ParentDir => Some(Step::Up),
        Component::RootDir => Some(Step::Root(path.to_path_buf())),
        Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().rev().filter_map(step).collect()
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}/{name}") }
}

impl TreeReader<'_> {
    /// Adds the files of a commit below `at`.
    fn list(&mut self, directory: &Path, commit: &str, at: &str, depth: usize) -> Result<(), String> {
        let from = self.objects.len();
        let text = git(
            self.repository.world.as_ref(),
            directory,
            &["ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit],
        )?;
        self.objects.push(self.repository.objects(directory));
        let mut modules = Vec::new();
        for line in text.split('\0').filter(|line| !line.is_empty()) {
            // `MODE TYPE ID SIZE<tab>PATH`
            let Some((head, path)) = line.split_once('\t') else { continue };
            let mut words = head.split_ascii_whitespace();
            let (Some(mode), Some(_), Some(id)) = (words.next(), words.next(), words.next()) else { continue };
            let size = words.next().and_then(|size| size.parse().ok()).unwrap_or(0);
            let path = join(at, path);
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", &path));
            if let Some(Node::Directory(names)) = self.nodes.get_mut(parent) {
                names.push(Arc::from(name));
            }
            let node = match mode {
                "040000" => Node::Directory(Vec::new()),
                "120000" => Node::Link { id: Arc::from(id), from },
                "160000" => {
                    modules.push((path.clone(), id.to_owned()));
                    Node::Directory(Vec::new())
                }
                _ => Node::File { id: Arc::from(id), from, size },
            };
            self.nodes.insert(path, node);
        }
        for (path, commit) in modules {
            if let Err(why) = self.enter_submodule(directory, at, &path, &commit, depth) {
                self.missing_submodules.push(MissingSubmodule { path: self.repository.top.join(&path), commit, why });
            }
        }
        Ok(())
    }

    /// Enters a submodule: its repository is in the work tree, or among git's own files.
    fn enter_submodule(
        &mut self,
        outer: &Path,
        at: &str,
        path: &str,
        commit: &str,
        depth: usize,
    ) -> Result<(), String> {
        if depth == 0 {
            return Err("too many submodules in each other".to_owned());
        }
        let world = self.repository.world.clone();
        let mut candidates = vec![self.repository.top.join(path)];
        if let Ok(common) = git(world.as_ref(), outer, &["rev-parse", "--git-common-dir"]) {
            let inner = path.strip_prefix(at).unwrap_or(path).trim_start_matches('/');
            candidates.push(outer.join(common).join("modules").join(inner));
        }
        let object = format!("{commit}^{{commit}}");
        let mut why = "it was never checked out here (git submodule update --init)".to_owned();
        for candidate in candidates {
            // Without its own repository, git would use the outer one.
            let git_directory = candidate.join(".git");
            let is_own =
                [&git_directory, &candidate.join("objects")].iter().any(|path| world.kind(path) != Kind::Missing);
            if !is_own {
                continue;
            }
            match git(world.as_ref(), &candidate, &["cat-file", "-e", &object]) {
                Ok(_) => return self.list(&candidate, commit, path, depth - 1),
                Err(_) => {
                    let short = commit.get(..10).unwrap_or(commit);
                    why = format!(
                        "its repository here does not have the commit {short} (git submodule update, or fetch)"
                    );
                }
            }
        }
        Err(why)
    }
}
