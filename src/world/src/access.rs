//! Access control: a policy decides which questions a world answers.
//!
//! In: a question. Out: the answer of the guarded world, or the policy's refusal. Must not: let an unknown question pass. A guarded world
//! has no world below, so a question that is not listed here is answered as if nothing existed; each policy matches [`Question`] without a
//! wildcard, so a new question compiles only once both policies decide on it.

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
use crate::LdapEntry;
use crate::LdapSearch;
use crate::Output;
use crate::ReadLog;
use crate::World;
use crate::WorldError;
use crate::dns;
use crate::worker::restricted::ScriptCalls;
use catwalk_base::secrets::SecretCollection;

/// A question that a policy decides on. The clock, random numbers, the memory of this process and whether there is a PuppetDB are
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
    /// A search in a directory.
    SearchLdap(&'q LdapSearch),
    /// A query of PuppetDB.
    PuppetDb,
}

/// Decides which questions are answered.
pub(crate) trait AccessPolicy {
    /// Permits a question or refuses it. Paths may be looked up in `world`, which has no policy.
    ///
    /// # Errors
    /// The question is refused.
    fn permit(&self, question: Question<'_>, world: &dyn World) -> Result<(), WorldError>;

    /// Hides from a listing what the code may not see.
    fn conceal(&self, _directory: &Path, entries: Arc<[Entry]>, _world: &dyn World) -> Arc<[Entry]> {
        entries
    }
}

/// A world whose answers a policy restricts.
pub(crate) trait GuardedWorld: Send + Sync {
    /// The world that answers permitted questions.
    type Inner: World + ?Sized;

    /// The world that answers permitted questions.
    fn inner(&self) -> &Self::Inner;

    /// The calls of isolated scripts that are served in this world.
    fn script_calls(&self) -> Option<&ScriptCalls> {
        None
    }

    /// The policy, if it is in force now, and the world in which it looks up paths.
    fn policy(&self) -> Option<(&dyn AccessPolicy, &dyn World)>;
}

fn permit(world: &impl GuardedWorld, question: Question<'_>) -> Result<(), WorldError> {
    world.policy().map_or(Ok(()), |(policy, unguarded)| policy.permit(question, unguarded))
}

impl<W: GuardedWorld> World for W {
    fn below(&self) -> Option<&dyn World> {
        None
    }

    fn script_calls(&self) -> Option<&ScriptCalls> {
        GuardedWorld::script_calls(self).or_else(|| self.inner().script_calls())
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        self.inner().secrets()
    }

    fn read_for(&self, path: &Path, used: Dependency) -> Result<Arc<[u8]>, WorldError> {
        permit(self, Question::Read(path))?;
        self.inner().read_for(path, used)
    }

    fn list_for(&self, path: &Path, used: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        permit(self, Question::List(path))?;
        let entries = self.inner().list_for(path, used)?;
        Ok(match self.policy() {
            None => entries,
            Some((policy, world)) => policy.conceal(path, entries, world),
        })
    }

    fn kind(&self, path: &Path) -> Kind {
        match permit(self, Question::Kind(path)) {
            Ok(()) => self.inner().kind(path),
            Err(_) => Kind::Missing,
        }
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, WorldError> {
        permit(self, Question::Canonical(path))?;
        self.inner().canonical(path)
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        permit(self, Question::Link(path)).ok()?;
        self.inner().link(path)
    }

    fn env(&self, name: &str) -> Option<Arc<str>> {
        permit(self, Question::Env(name)).ok()?;
        self.inner().env(name)
    }

    fn env_names(&self) -> Vec<Arc<str>> {
        match permit(self, Question::EnvNames) {
            Ok(()) => self.inner().env_names(),
            Err(_) => Vec::new(),
        }
    }

    fn run(&self, command: &Command) -> Result<Output, WorldError> {
        permit(self, Question::Run(command))?;
        self.inner().run(command)
    }

    fn resolve(&self, question: &dns::Question) -> Result<dns::Answer, WorldError> {
        permit(self, Question::Resolve(question))?;
        self.inner().resolve(question)
    }

    fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, WorldError> {
        permit(self, Question::Fetch(request))?;
        self.inner().fetch(request)
    }

    fn search_ldap(&self, search: &LdapSearch, secrets: &SecretCollection) -> Result<Arc<[LdapEntry]>, WorldError> {
        permit(self, Question::SearchLdap(search))?;
        self.inner().search_ldap(search, secrets)
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, WorldError> {
        permit(self, Question::PuppetDb)?;
        self.inner().puppetdb(query)
    }

    fn has_puppetdb(&self) -> bool {
        self.inner().has_puppetdb()
    }

    fn now(&self) -> Duration {
        self.inner().now()
    }

    fn random(&self) -> u128 {
        self.inner().random()
    }

    fn memory(&self) -> Option<u64> {
        self.inner().memory()
    }

    fn generation(&self) -> Option<u64> {
        self.inner().generation()
    }

    fn unrecorded(&self) -> Option<&dyn World> {
        self.inner().unrecorded()
    }

    fn read_log(&self) -> Option<&ReadLog> {
        self.inner().read_log()
    }
}
