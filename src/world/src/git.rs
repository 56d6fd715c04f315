//! Revisions of a git repository as directories: their files are read from git's objects, nothing is checked out.
//!
//! In: a directory below a work tree, names of revisions. Out: [`Tree`]: the entries of a revision by path. `git` runs once to list a
//! revision's files, and as one long-running process that provides the contents. Submodules are read from their own repositories
//! where these exist. Must not: change anything in the repository.

mod objects;
mod tree;

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::Command;
use crate::Kind;
use crate::Runs;
use crate::World;
use crate::excerpt;
use crate::git::objects::Objects;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

pub use tree::MissingSubmodule;
pub(super) use tree::RevisionPath;
pub use tree::Tree;

/// The time limit of a git command.
const LIMIT: Duration = Duration::from_secs(300);

/// The limit on the list of a revision's files, in bytes: enough for some million files.
const OUTPUT: usize = 256 << 20;

/// A repository with a work tree, or a bare one.
pub struct Repository {
    /// The directory of the work tree as the caller named it, or that of the bare repository: revisions appear at this path.
    pub top: PathBuf,
    /// Whether it has no work tree.
    pub bare: bool,
    /// The top of the work tree, without symbolic links.
    real: PathBuf,
    /// Contents, of this repository and those of its submodules, by the directory that git runs in.
    objects: Mutex<Vec<(PathBuf, Arc<Objects>)>>,
    world: Arc<dyn World>,
}

/// A revision: its name and its commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The name as the user wrote it.
    pub name: String,
    /// The full hash of the commit.
    pub commit: String,
}

impl Revision {
    /// `main (1a2b3c4)`
    #[must_use]
    pub fn display_name(&self) -> String {
        let short = self.commit.get(..10).unwrap_or(&self.commit);
        if self.commit.starts_with(&self.name) { short.to_owned() } else { format!("{} ({short})", self.name) }
    }
}

fn git_error(text: impl Into<std::borrow::Cow<'static, str>>) -> Reason {
    Reason::new(Code::GIT, text)
}

impl Repository {
    /// The repository whose work tree a directory is in, or that is bare. The world runs `git`.
    ///
    /// # Errors
    /// The directory is in no repository, or `git` cannot be run.
    pub fn open(directory: &Path, world: Arc<dyn World>) -> Result<Repository, Reason> {
        if let Some(bare) = Repository::bare(directory, world.clone()) {
            return Ok(bare);
        }
        let output = git(world.as_ref(), directory, &["rev-parse", "--show-toplevel", "--show-prefix"]);
        let answer = output.map_err(|why| {
            let text = format!("{} is in no git work tree: {why}", directory.display());
            git_error(text).help("`--environment A B` and `--against DIR` compare without git")
        })?;
        let mut lines = answer.lines();
        let real = PathBuf::from(lines.next().unwrap_or_default());
        let below = Path::new(lines.next().unwrap_or_default()).components().count();
        let top = directory.ancestors().nth(below).unwrap_or(&real).to_path_buf();
        Ok(Repository { top, bare: false, real, objects: Mutex::default(), world })
    }

    /// The bare repository that a directory is, or would be in if a revision were checked out there.
    #[must_use]
    pub fn bare(directory: &Path, world: Arc<dyn World>) -> Option<Repository> {
        let existing = directory.ancestors().find(|path| world.kind(path) == Kind::Directory)?;
        let answer =
            git(world.as_ref(), existing, &["rev-parse", "--is-bare-repository", "--absolute-git-dir"]).ok()?;
        let (bare, real) = answer.split_once('\n')?;
        let real = PathBuf::from(real);
        // No file of a revision is below the directory of the repository itself.
        let top = [existing.to_path_buf(), real.clone()]
            .into_iter()
            .find(|top| world.kind(&top.join("HEAD")) == Kind::File)?;
        (bare == "true").then(|| Repository { top, bare: true, real, objects: Mutex::default(), world })
    }

    /// The commit of a revision's name.
    ///
    /// # Errors
    /// The name refers to no commit.
    pub fn revision(&self, name: &str) -> Result<Revision, Reason> {
        let object = format!("{name}^{{commit}}");
        let output =
            git(self.world.as_ref(), &self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &object]);
        match output {
            // Without --quiet, older versions print the option itself first.
            Ok(text) => {
                let commit = text.lines().last().unwrap_or_default().to_owned();
                Ok(Revision { name: name.to_owned(), commit })
            }
            Err(why) => {
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                let text = format!("no such revision in {}: {name}{why}", self.top.display());
                Err(git_error(text).help("`git branch -a` and `git tag` name some; in a shallow clone, fetch it first: git fetch --unshallow"))
            }
        }
    }

    /// The revision as a tree of files.
    ///
    /// # Errors
    /// Git cannot list the files.
    pub fn tree(&self, revision: &Revision) -> Result<Tree, Reason> {
        Tree::read(self, revision)
    }

    /// Files and whole directories of the work tree that are not tracked, ignored ones included.
    ///
    /// # Errors
    /// Git cannot list the files.
    pub fn untracked(&self) -> Result<BTreeSet<PathBuf>, Reason> {
        let output = git(self.world.as_ref(), &self.top, &["ls-files", "--others", "--directory", "-z"]);
        let text = output.map_err(|why| git_error(format!("git cannot list files that are not tracked: {why}")))?;
        let paths = text.split('\0').filter(|path| !path.is_empty());
        Ok(paths.map(|path| self.top.join(path.trim_end_matches('/'))).collect())
    }

    /// Contents of the repository whose work tree is in a directory. Trees share them: a file that is the same in two
    /// revisions has the same bytes in memory.
    fn objects(&self, directory: &Path) -> Arc<Objects> {
        let mut all = self.objects.lock();
        if let Some((_, objects)) = all.iter().find(|(at, _)| at == directory) {
            return objects.clone();
        }
        let objects = Arc::new(Objects::new(directory));
        all.push((directory.to_path_buf(), objects.clone()));
        objects
    }
}

/// Options that keep git from starting programs and using the network, whatever the configuration of the repository says.
pub(crate) const SAFE: [&str; 9] = [
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "-c",
    "core.sshCommand=false",
];

/// Runs git in a directory and returns what it prints without the last end of line, or its error message.
fn git(world: &dyn World, directory: &Path, arguments: &[&str]) -> Result<String, String> {
    let directory = directory.to_string_lossy();
    let mut argv = vec!["git".to_owned()];
    argv.extend(SAFE.iter().chain(&["-C", &directory]).map(|word| (*word).to_owned()));
    argv.extend(arguments.iter().map(|word| (*word).to_owned()));
    let command = Command { argv, stdin: None, limit: LIMIT, output: OUTPUT, runs: Runs::Incidental };
    let output = world.run(&command).map_err(|refused| format!("git cannot be run: {refused}"))?;
    let message = String::from_utf8_lossy(&output.stderr);
    match output.status {
        Some(0) => Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()),
        Some(_) => Err(excerpt(message.trim()).trim_start_matches("fatal: ").to_owned()),
        None => Err("git took too long".to_owned()),
    }
}
