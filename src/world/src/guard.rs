//! The rules for untrusted code, which may read files below some directories, the clock and random bytes, and nothing else.
//!
//! In: a question. Out: nothing if it is allowed; else [`WorldError::Untrusted`], which also ends the compile ([`meter::forbid`]),
//! so that no `rescue` hides it. Must not: read anything outside of the directories.

use std::borrow::Cow;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Boundary;
use crate::Entry;
use crate::Kind;
use crate::World;
use crate::WorldError;
use crate::access::AccessPolicy;
use crate::access::Question;
use crate::boundary::OutsidePath;
use catwalk_base::diag::FORBIDDEN;
use catwalk_base::meter;

/// How much of a command, address or path a message quotes, in characters.
const MAX_QUOTED: usize = 200;
/// Environment variables that are unset for untrusted code; reading them is not a violation: stdlib reads the first, and every
/// environment the second.
const HIDDEN_VARIABLES: &[&str] = &["STDLIB_LOG_DEPRECATIONS", "PUPPETLIB"];

/// Paths that are missing for untrusted code; looking at them is not a violation: values of Puppet's settings depend on them.
const HIDDEN_PATHS: &[&str] = &[
    "/opt/puppetlabs/puppet/lib",
    "/usr/share/puppet",
    "/etc/puppetlabs/code",
    "/etc/puppetlabs/code/hiera.yaml",
    "/etc/puppet/code/hiera.yaml",
];

/// The rules for untrusted code.
#[derive(Debug)]
pub struct Guard {
    boundary: Boundary,
    programs: Vec<PathBuf>,
}

impl Guard {
    /// The rules for code that may read what is below these paths. A path that is missing now may be read once it exists. Relative
    /// paths start from `directory`, the working directory of the process.
    pub fn new<'a>(roots: impl IntoIterator<Item = &'a Path>, directory: &Path, world: &dyn World) -> Guard {
        Guard { boundary: Boundary::around(roots, directory, world), programs: Vec::new() }
    }

    /// Adds programs that Catwalk itself may start, such as the classifier that the user named; code of the site may not.
    #[must_use]
    pub fn with_programs(self, programs: Vec<PathBuf>) -> Guard {
        Guard { programs, ..self }
    }

    /// What may be read, without symbolic links.
    pub fn roots(&self) -> impl Iterator<Item = &Path> {
        self.boundary.roots()
    }

    /// The directory that may be read and contains a path or is it, as the path names it.
    #[must_use]
    pub fn root_of(&self, path: &Path) -> Option<&Path> {
        self.boundary.root_of(path)
    }

    /// The programs that the user named and that may be started.
    #[must_use]
    pub fn programs(&self) -> &[PathBuf] {
        &self.programs
    }

    /// Forgets which paths may be read: files have changed.
    pub fn forget(&self) {
        self.boundary.forget();
    }

    /// Whether a path may be read; nothing is reported.
    pub fn admits(&self, path: &Path, world: &dyn World) -> bool {
        self.boundary.admit(path, world).is_ok()
    }

    fn permit_read(&self, path: &Path, world: &dyn World) -> Result<(), WorldError> {
        self.boundary.admit(path, world).map_err(|outside| self.refuse(&describe_read(&outside)))
    }

    /// Checks that untrusted code may know the kind of a path. It may for the directories that lead to readable paths, too.
    fn permit_kind(&self, path: &Path, world: &dyn World) -> Result<(), WorldError> {
        if self.boundary.is_above(path) {
            return Ok(());
        }
        let is_hidden = HIDDEN_PATHS.iter().any(|hidden| path.as_os_str() == *hidden);
        match is_hidden && !self.admits(path, world) {
            true => Err(WorldError::Missing(path.to_path_buf())),
            false => self.permit_read(path, world),
        }
    }

    fn permit_run(&self, argv: &[String]) -> Result<(), WorldError> {
        let program = argv.first().map(Path::new);
        let refused = self.refuse(&format!("start processes: {}", excerpt(&argv.join(" "))));
        // During evaluation, `refuse` ends the compile. When it returns, Catwalk itself starts the program.
        match program.is_some_and(|program| self.programs.iter().any(|named| named == program)) {
            true => Ok(()),
            false => Err(refused),
        }
    }

    fn refuse_network(&self, target: &str) -> Result<(), WorldError> {
        Err(self.refuse(&format!("use the network: {}", excerpt(target))))
    }

    fn refuse_env(&self, name: &str) -> Result<(), WorldError> {
        match HIDDEN_VARIABLES.contains(&name) {
            true => Err(WorldError::NotAllowed(Arc::from(name))),
            false => Err(self.refuse(&format!("see environment variables: {}", excerpt(name)))),
        }
    }

    fn refuse(&self, action: &str) -> WorldError {
        let text: Arc<str> = Arc::from(format!("{FORBIDDEN}{action}"));
        meter::forbid(&text);
        WorldError::Untrusted(text)
    }
}

impl AccessPolicy for Guard {
    fn permit(&self, question: Question<'_>, world: &dyn World) -> Result<(), WorldError> {
        match question {
            Question::Read(path) | Question::List(path) | Question::Canonical(path) => self.permit_read(path, world),
            Question::Kind(path) => self.permit_kind(path, world),
            // The directory of a link contains the path that the link leads to.
            Question::Link(path) => self.permit_read(path.parent().unwrap_or(path), world),
            Question::Env(name) => self.refuse_env(name),
            Question::EnvNames => self.refuse_env("*"),
            Question::Run(command) => self.permit_run(&command.argv),
            Question::Resolve(question) => self.refuse_network(&format!("the name {}", question.name)),
            Question::Fetch(page) => self.refuse_network(&page.url),
            Question::SearchLdap(search) => self.refuse_network(&search.url),
            Question::PuppetDb => self.refuse_network("PuppetDB"),
        }
    }

    /// Hides the kind of links that lead outside of the directories: such a link is listed as a file if its name has an extension, else as
    /// a directory.
    fn conceal(&self, directory: &Path, entries: Arc<[Entry]>, world: &dyn World) -> Arc<[Entry]> {
        let is_outside = |entry: &Entry| !self.admits(&directory.join(&*entry.name), world);
        if !entries.iter().any(is_outside) {
            return entries;
        }
        let concealed = |entry: &Entry| match is_outside(entry) {
            true => {
                Entry { kind: if entry.name.contains('.') { Kind::File } else { Kind::Directory }, ..entry.clone() }
            }
            false => entry.clone(),
        };
        entries.iter().map(concealed).collect()
    }
}

fn describe_read(OutsidePath { path, target }: &OutsidePath) -> String {
    let (path, target) = (path.to_string_lossy(), target.to_string_lossy());
    if path == target {
        return format!("read outside of the site: {}", excerpt(&path));
    }
    format!("read outside of the site: {} leads to {}", excerpt(&path), excerpt(&target))
}

/// The beginning of a string, for messages.
fn excerpt(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}
