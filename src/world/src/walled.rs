//! Access control: a wall decides which questions a world answers.
//!
//! In: a question. Out: the answer of the world behind the wall, or the wall's refusal. Must not: let an unknown question pass. A world
//! with a wall has no world below, so a question that is not listed here is answered as if nothing existed; each wall matches
//! [`Question`] without a wildcard, so a new question compiles only once both walls decide on it.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::Command;
use crate::Dependency;
use crate::Entry;
use crate::HttpRequest;
use crate::HttpResponse;
use crate::Kind;
use crate::Output;
use crate::ReadLog;
use crate::World;
use crate::WorldError;
use crate::dns;

/// A question that a wall decides on. The clock, random numbers, the memory of this process and whether there is a PuppetDB are
/// never refused.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Question<'q> {
    /// The bytes of a file.
    Read(&'q Path),
    /// The entries of a directory.
    List(&'q Path),
    /// The kind of the entry at a path.
    Kind(&'q Path),
    /// A path without symbolic links.
    Canonical(&'q Path),
    /// Where a link leads.
    Link(&'q Path),
    /// An environment variable.
    Env(&'q str),
    /// The names of all environment variables.
    EnvNames,
    /// A process.
    Run(&'q Command),
    /// The domain name system.
    Resolve(&'q dns::Question),
    /// A page of a web server.
    Fetch(&'q HttpRequest),
    /// A query of PuppetDB.
    PuppetDb,
}

/// Decides which questions are answered.
pub(crate) trait Wall {
    /// Permits a question or refuses it. Paths may be looked up in `world`, which has no wall.
    ///
    /// # Errors
    /// The question is refused.
    fn permit(&self, question: Question<'_>, world: &dyn World) -> Result<(), WorldError>;

    /// Hides from a listing what the code may not see.
    fn conceal(&self, _directory: &Path, entries: Arc<[Entry]>, _world: &dyn World) -> Arc<[Entry]> {
        entries
    }
}

/// A world behind a wall.
pub(crate) trait WalledWorld: Send + Sync {
    /// The world behind the wall, which answers permitted questions.
    type Inner: World + ?Sized;

    /// The world behind the wall.
    fn behind(&self) -> &Self::Inner;

    /// The wall, if it is in force now, and the world in which it looks up paths.
    fn wall(&self) -> Option<(&dyn Wall, &dyn World)>;
}

fn permit(walled: &impl WalledWorld, question: Question<'_>) -> Result<(), WorldError> {
    walled.wall().map_or(Ok(()), |(wall, world)| wall.permit(question, world))
}

impl<W: WalledWorld> World for W {
    fn below(&self) -> Option<&dyn World> {
        None
    }

    fn read_for(&self, path: &Path, used: Dependency) -> Result<Arc<[u8]>, WorldError> {
        permit(self, Question::Read(path))?;
        self.behind().read_for(path, used)
    }

    fn list_for(&self, path: &Path, used: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        permit(self, Question::List(path))?;
        let entries = self.behind().list_for(path, used)?;
        Ok(match self.wall() {
            None => entries,
            Some((wall, world)) => wall.conceal(path, entries, world),
        })
    }

    fn kind(&self, path: &Path) -> Kind {
        match permit(self, Question::Kind(path)) {
            Ok(()) => self.behind().kind(path),
            Err(_) => Kind::Missing,
        }
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, WorldError> {
        permit(self, Question::Canonical(path))?;
        self.behind().canonical(path)
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        permit(self, Question::Link(path)).ok()?;
        self.behind().link(path)
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        permit(self, Question::Env(name)).ok()?;
        self.behind().env(name)
    }

    fn env_names(&self) -> Vec<Arc<str>> {
        match permit(self, Question::EnvNames) {
            Ok(()) => self.behind().env_names(),
            Err(_) => Vec::new(),
        }
    }

    fn run(&self, command: &Command) -> Result<Output, WorldError> {
        permit(self, Question::Run(command))?;
        self.behind().run(command)
    }

    fn resolve(&self, question: &dns::Question) -> Result<dns::Answer, WorldError> {
        permit(self, Question::Resolve(question))?;
        self.behind().resolve(question)
    }

    fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, WorldError> {
        permit(self, Question::Fetch(request))?;
        self.behind().fetch(request)
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, WorldError> {
        permit(self, Question::PuppetDb)?;
        self.behind().puppetdb(query)
    }

    fn has_puppetdb(&self) -> bool {
        self.behind().has_puppetdb()
    }

    fn now(&self) -> Duration {
        self.behind().now()
    }

    fn random(&self) -> u128 {
        self.behind().random()
    }

    fn memory(&self) -> Option<u64> {
        self.behind().memory()
    }

    fn generation(&self) -> Option<u64> {
        self.behind().generation()
    }

    fn read_log(&self) -> Option<&ReadLog> {
        self.behind().read_log()
    }
}
