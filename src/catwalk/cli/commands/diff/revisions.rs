//! The sides of `catwalk diff REV [REV]`: revisions read from git's objects, and the working tree.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::commands::diff::Arguments;
use crate::cli::commands::diff::Sides;
use crate::cli::commands::diff::comparison_error;
use crate::cli::commands::diff::have_same_configuration;
use crate::cli::options;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_compare::Inputs;
use catwalk_compare::OldSide;
use catwalk_compare::Side;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::site;
use catwalk_session::site::Site;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::git::MissingSubmodule;
use catwalk_world::git::Repository;
use catwalk_world::git::Tree;

/// The maximum number of submodules in a note.
const NAMED: usize = 8;

/// The name of the working tree.
pub(super) const WORKTREE: &str = "working tree";

pub(super) fn open(args: &Arguments) -> Result<Sides, Reason> {
    let mut opener = RevisionOpener::new(args)?;
    if opener.repository.bare && args.revisions.len() < 2 {
        let text = format!("{} is a bare repository, without a working tree", opener.repository.top.display());
        return Err(Reason::usage(text).help("name two revisions: catwalk diff HEAD~1 HEAD"));
    }
    let name = args.revisions.first().map_or("HEAD", String::as_str);
    let (old, old_label) = opener.open_revision(name).map_err(|reason| match &args.site.environment {
        Some(first) if reason.code == Code::GIT => reason.help(format!(
            "nor is there an environment {name} beside {first}: --set environmentpath=DIR names their directory"
        )),
        _ => reason,
    })?;
    let (new, new_label) = match args.revisions.get(1) {
        Some(name) => opener.open_revision(name)?,
        None => (opener.open_worktree()?, WORKTREE.to_owned()),
    };
    let inputs = have_same_configuration(&old.session, &new.session).then(|| {
        let site = new.session.options.root.iter().chain(&new.session.site.nodes);
        Inputs::new(old.world.clone(), new.world.clone(), site.cloned().collect())
    });
    Ok(Sides {
        old: OldSide::Session(Box::new(old)),
        new,
        labels: (old_label, new_label),
        inputs,
        only_old: Vec::new(),
        close: Box::new(|| Ok(())),
        notes: opener.notes,
    })
}

/// The new side of a comparison with saved catalogs: a revision if one is named, else the working tree.
pub(super) fn open_new_side(args: &Arguments) -> Result<(Side, String, Vec<String>), Reason> {
    match args.revisions.as_slice() {
        [] => {
            let disk = Arc::new(Disk::new());
            let options = options::for_comparison(&args.site, disk.as_ref())?;
            let label = options.root.as_ref().map_or_else(|| WORKTREE.to_owned(), |root| root.display().to_string());
            Ok((Side::new(Session::open(options, disk.clone())?, disk), label, Vec::new()))
        }
        [name] => {
            let mut opener = RevisionOpener::new(args)?;
            let (side, label) = opener.open_revision(name)?;
            Ok((side, label, opener.notes))
        }
        _ => Err(Reason::usage("saved catalogs are compared with one revision, or with the working tree")),
    }
}

struct RevisionOpener<'a> {
    args: &'a Arguments,
    disk: Arc<Disk>,
    options: Options,
    root: PathBuf,
    repository: Repository,
    untracked: Option<BTreeSet<PathBuf>>,
    notes: Vec<String>,
}

impl<'a> RevisionOpener<'a> {
    fn new(args: &'a Arguments) -> Result<RevisionOpener<'a>, Reason> {
        let disk = Arc::new(Disk::new());
        // The program itself starts git, even if the code of the site is untrusted.
        let git = Arc::new(Disk::new());
        let key = options::key_source();
        let mut options = Options { key, ..options::with_optional_site(&args.site, disk.as_ref())? };
        options.settings.relationship_origins = true;
        let here = args.site.site.as_deref().map_or_else(options::current_dir, options::absolute)?;
        let repository = match Repository::bare(&here, git.clone()) {
            // The revision defines the site.
            Some(bare) => {
                options.root = Some(here);
                bare
            }
            None => {
                options = options::for_comparison(&args.site, disk.as_ref())?;
                let Some(root) = &options.root else {
                    return Err(
                        Reason::usage("no site: `diff` compares two revisions of a site").help("give --site DIR")
                    );
                };
                Repository::open(root, git)?
            }
        };
        let root = options.root.clone().unwrap_or_default();
        Ok(RevisionOpener { args, disk, options, root, repository, untracked: None, notes: Vec::new() })
    }

    fn open_worktree(&self) -> Result<Side, Reason> {
        Ok(Side::new(Session::open(self.options.clone(), self.disk.clone())?, self.disk.clone()))
    }

    fn open_revision(&mut self, name: &str) -> Result<(Side, String), Reason> {
        let revision = self.repository.revision(name)?;
        let label = revision.display_name();
        let tree = self.repository.tree(&revision)?;
        if Disk::with_revision(tree.clone()).kind(&self.root) != Kind::Directory {
            return Err(comparison_error(format!("{label} has no directory {}", self.root.display())));
        }
        let tree = self.with_site(tree, &label)?;
        let tree = self.with_modules(tree, &label)?;
        let world = Arc::new(Disk::with_revision(tree));
        let session = Session::open(self.options.clone(), world.clone())?;
        Ok((Side::new(session, world), label))
    }

    /// Adds configuration that a revision does not contain, because it was added later or is not tracked.
    fn with_site(&mut self, tree: Tree, label: &str) -> Result<Tree, Reason> {
        let options = &self.options;
        let mut paths: Vec<PathBuf> =
            [&options.facts, &options.trusted, &options.server_facts].into_iter().flatten().cloned().collect();
        paths.extend(self.args.site.replay.as_deref().map(options::absolute).transpose()?);
        let file = self.root.join(site::FILE);
        let before = self.disk_of(&tree);
        if before.kind(&file) == Kind::Missing && self.disk.kind(&file) == Kind::File {
            self.notes.push(format!("{label} has no {}: that of the working tree is used", site::FILE));
            paths.push(file);
        }
        let tree = tree.with_work_tree_files(self.with_kinds(&paths));
        let world = self.disk_of(&tree);
        let site = Site::open(&self.root, &world)?;
        let mut paths = Vec::new();
        for (setting, path) in [("nodes", site.nodes), ("trusted", site.trusted), ("server_facts", site.server_facts)] {
            let Some(path) = path else { continue };
            if world.kind(&path) == Kind::Missing && self.disk.kind(&path) != Kind::Missing {
                let relative = path.strip_prefix(&self.root).unwrap_or(&path).display();
                self.notes.push(format!("{label} has no {relative} (`{setting}`): that of the working tree is used"));
                paths.push(path);
            }
        }
        Ok(tree.with_work_tree_files(self.with_kinds(&paths)))
    }

    /// A revision's files, restricted to readable paths.
    fn disk_of(&self, tree: &Tree) -> Disk {
        let disk = Disk::with_revision(tree.clone());
        if self.options.untrusted {
            self.options.confine(&disk);
        }
        disk
    }

    fn with_kinds<'p>(&self, paths: &'p [PathBuf]) -> Vec<(&'p Path, Kind)> {
        paths.iter().map(|path| (path.as_path(), self.disk.kind(path))).collect()
    }

    /// Modules may be in submodules, or installed from a Puppetfile and not tracked.
    fn with_modules(&mut self, tree: Tree, label: &str) -> Result<Tree, Reason> {
        let modulepath = self.modulepath(&tree)?;
        let mut tree = tree;
        let mut gaps: Vec<MissingSubmodule> = tree.missing_submodules.to_vec();
        if self.args.modules_from_worktree {
            if self.repository.bare {
                let text = "a bare repository has no working tree to take modules from";
                return Err(Reason::usage(text).help("leave out --modules-from-worktree"));
            }
            if self.untracked.is_none() {
                self.untracked = Some(self.repository.untracked()?);
            }
            let is_in_modulepath =
                |path: &Path| modulepath.iter().any(|folder| path.starts_with(folder) || folder.starts_with(path));
            let untracked = self.untracked.iter().flatten().filter(|path| is_in_modulepath(path)).cloned();
            let mut paths: Vec<PathBuf> = untracked.collect();
            let is_filled = |gap: &MissingSubmodule| self.disk.list(&gap.path).is_ok_and(|entries| !entries.is_empty());
            let (filled, empty): (Vec<MissingSubmodule>, Vec<MissingSubmodule>) = gaps.into_iter().partition(is_filled);
            paths.extend(filled.into_iter().map(|gap| gap.path));
            gaps = empty;
            tree = tree.with_work_tree_files(self.with_kinds(&paths));
        }
        for gap in gaps.iter().take(NAMED) {
            let path = gap.path.strip_prefix(&self.root).unwrap_or(&gap.path).display();
            self.notes.push(format!("{label}: the submodule {path} is missing: {}", gap.why));
        }
        Ok(tree)
    }

    /// The modulepath of a revision; empty if its environment cannot be opened.
    fn modulepath(&self, tree: &Tree) -> Result<Vec<PathBuf>, Reason> {
        let opened = self.open_session(tree)?.open_environment();
        Ok(opened.map(|environment| environment.modulepath.clone()).unwrap_or_default())
    }

    fn open_session(&self, tree: &Tree) -> Result<Session, Reason> {
        Session::open(self.options.clone(), Arc::new(Disk::with_revision(tree.clone())))
    }
}
