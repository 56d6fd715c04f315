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
use crate::boundary::OutsidePath;
use crate::walled::Question;
use crate::walled::Wall;
use catwalk_base::diag::FORBIDDEN;
use catwalk_base::meter;

/// How much of a command, address or path a message quotes, in characters.
const MAX_SHOWN: usize = 200;
/// Environment variables that are unset for untrusted code; reading them is not a violation: stdlib reads the first, and every
/// environment the second.
const UNSET: &[&str] = &["STDLIB_LOG_DEPRECATIONS", "PUPPETLIB"];

/// Paths that are missing for untrusted code; looking at them is not a violation: values of Puppet's settings depend on them.
const UNSEEN: &[&str] = &["/etc/puppetlabs/code", "/etc/puppetlabs/code/hiera.yaml", "/etc/puppet/code/hiera.yaml"];

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

    fn read(&self, path: &Path, world: &dyn World) -> Result<(), WorldError> {
        self.boundary.admit(path, world).map_err(|outside| self.refuse(&describe_read(&outside)))
    }

    /// Checks that untrusted code may know the kind of a path. It may for the directories that lead to readable paths, too.
    fn look(&self, path: &Path, world: &dyn World) -> Result<(), WorldError> {
        if self.boundary.is_above(path) {
            return Ok(());
        }
        let is_unseen = UNSEEN.iter().any(|unseen| path.as_os_str() == *unseen);
        match is_unseen && !self.admits(path, world) {
            true => Err(WorldError::Missing(path.to_path_buf())),
            false => self.read(path, world),
        }
    }

    fn run(&self, argv: &[String]) -> Result<(), WorldError> {
        let program = argv.first().map(Path::new);
        let refused = self.refuse(&format!("start processes: {}", display_text(&argv.join(" "))));
        // During evaluation, `refuse` ends the compile. When it returns, Catwalk itself starts the program.
        match program.is_some_and(|program| self.programs.iter().any(|named| named == program)) {
            true => Ok(()),
            false => Err(refused),
        }
    }

    fn network(&self, target: &str) -> Result<(), WorldError> {
        Err(self.refuse(&format!("use the network: {}", display_text(target))))
    }

    fn env(&self, name: &str) -> Result<(), WorldError> {
        match UNSET.contains(&name) {
            true => Err(WorldError::NotAllowed(Arc::from(name))),
            false => Err(self.refuse(&format!("see environment variables: {}", display_text(name)))),
        }
    }

    fn refuse(&self, action: &str) -> WorldError {
        let text: Arc<str> = Arc::from(format!("{FORBIDDEN}{action}"));
        meter::forbid(&text);
        WorldError::Untrusted(text)
    }
}

impl Wall for Guard {
    fn permit(&self, question: Question<'_>, world: &dyn World) -> Result<(), WorldError> {
        match question {
            Question::Read(path) | Question::List(path) | Question::Canonical(path) => self.read(path, world),
            Question::Kind(path) => self.look(path, world),
            // The directory of a link contains the path that the link leads to.
            Question::Link(path) => self.read(path.parent().unwrap_or(path), world),
            Question::Env(name) => self.env(name),
            Question::EnvNames => self.env("*"),
            Question::Run(command) => self.run(&command.argv),
            Question::Resolve(question) => self.network(&format!("the name {}", question.name)),
            Question::Fetch(page) => self.network(&page.url),
            Question::PuppetDb => self.network("PuppetDB"),
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

fn describe_read(OutsidePath { path, led }: &OutsidePath) -> String {
    let (path, led) = (path.to_string_lossy(), led.to_string_lossy());
    if path == led {
        return format!("read outside of the site: {}", display_text(&path));
    }
    format!("read outside of the site: {} leads to {}", display_text(&path), display_text(&led))
}

/// The beginning of a string, for messages.
fn display_text(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}
