//! The questions that code may ask of the world: files, environment, processes, servers, the clock.

use std::ffi::OsString;
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
use crate::WorldError;
use crate::dns;
use crate::worker::restricted::ScriptCalls;
use catwalk_base::secrets::SecretCollection;

/// The list of all questions. A world overrides those that it answers; the others go to the world below. Without a world below,
/// files are missing, no program is started and no server is reached.
pub trait World: Send + Sync {
    /// The world that answers the questions that this one does not answer.
    fn below(&self) -> Option<&dyn World>;

    /// The calls of isolated scripts that are served in this world; `None`: it is not the world of a compile that such scripts call. A
    /// world without a world below answers for the one that it wraps, or the restriction of such calls is lost.
    fn script_calls(&self) -> Option<&ScriptCalls> {
        self.below().and_then(World::script_calls)
    }

    /// The collection for the secrets of the code that this world is handed to: that of its compile, or the machine's.
    fn secrets(&self) -> &Arc<SecretCollection>;

    /// The bytes of a file, of which the caller depends on `used`. An unchanged file is always the same `Arc`, so caches may compare
    /// by pointer.
    ///
    /// # Errors
    /// Missing or unreadable file.
    fn read_for(&self, path: &Path, used: Dependency) -> Result<Arc<[u8]>, WorldError> {
        match self.below() {
            Some(world) => world.read_for(path, used),
            None => Err(WorldError::Missing(path.to_path_buf())),
        }
    }

    /// The entries of a directory, sorted by name, of which the caller depends on `used`.
    ///
    /// # Errors
    /// Missing or unreadable directory.
    fn list_for(&self, path: &Path, used: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        match self.below() {
            Some(world) => world.list_for(path, used),
            None => Err(WorldError::Missing(path.to_path_buf())),
        }
    }

    /// The kind of the entry at a path.
    fn kind(&self, path: &Path) -> Kind {
        self.below().map_or(Kind::Missing, |world| world.kind(path))
    }

    /// The path without symbolic links, `.` and `..`, as the system resolves it.
    ///
    /// # Errors
    /// The path does not exist, a directory on the way cannot be searched, or links form a cycle.
    fn canonical(&self, path: &Path) -> Result<PathBuf, WorldError> {
        match self.below() {
            Some(world) => world.canonical(path),
            None if self.kind(path) == Kind::Missing => Err(WorldError::Missing(path.to_path_buf())),
            None => Ok(path.to_path_buf()),
        }
    }

    /// Where a symbolic link leads, as it is written in the link; `None` for everything else. The directories on the way to it
    /// must not be links.
    fn link(&self, path: &Path) -> Option<PathBuf> {
        self.below().and_then(|world| world.link(path))
    }

    /// An environment variable.
    fn env(&self, name: &str) -> Option<Arc<str>> {
        self.below().and_then(|world| world.env(name))
    }

    /// The names of all environment variables, in their order. The value of each is a separate question.
    fn env_names(&self) -> Vec<Arc<str>> {
        self.below().map_or_else(Vec::new, World::env_names)
    }

    /// Runs a process.
    ///
    /// # Errors
    /// It cannot be started, or this world runs no processes.
    fn run(&self, command: &Command) -> Result<Output, WorldError> {
        match self.below() {
            Some(world) => world.run(command),
            None => Err(not_allowed(&format!("running {}", command.argv.join(" ")))),
        }
    }

    /// Looks up a DNS record. Repeating a question returns the same answer until the caches are cleared.
    ///
    /// # Errors
    /// No server answers, or this world has no network.
    fn resolve(&self, question: &dns::Question) -> Result<dns::Answer, WorldError> {
        match self.below() {
            Some(world) => world.resolve(question),
            None => {
                let dns::Question { record, name, .. } = question;
                Err(not_allowed(&format!("the question for {record} {name} (no name servers in this world)")))
            }
        }
    }

    /// Gets a page from a web server.
    ///
    /// # Errors
    /// No server answers, or this world has no network.
    fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, WorldError> {
        match self.below() {
            Some(world) => world.fetch(request),
            None => Err(not_allowed(&format!("getting {}", request.url))),
        }
    }

    /// Searches an LDAP directory. Repeating a search returns the same answer until something that was read has changed. A password that
    /// is read from a file is reported to `secrets`.
    ///
    /// # Errors
    /// The server does not answer, or refuses the search, or this world has no network.
    fn search_ldap(&self, search: &LdapSearch, secrets: &SecretCollection) -> Result<Arc<[LdapEntry]>, WorldError> {
        match self.below() {
            Some(world) => world.search_ldap(search, secrets),
            None => Err(not_allowed(&format!("searching {}", search.url))),
        }
    }

    /// Sends a query to PuppetDB, a string of PQL or an AST, and returns its result.
    ///
    /// # Errors
    /// There is no PuppetDB, it does not answer, or it refuses the query.
    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, WorldError> {
        match self.below() {
            Some(world) => world.puppetdb(query),
            None => Err(not_allowed("asking PuppetDB")),
        }
    }

    /// Whether this world has a PuppetDB. If not, the function `puppetdb_query` does not exist.
    fn has_puppetdb(&self) -> bool {
        self.below().is_some_and(World::has_puppetdb)
    }

    /// The wall clock: time since 1970-01-01 UTC.
    fn now(&self) -> Duration {
        self.below().map_or(Duration::ZERO, World::now)
    }

    /// Random bytes, for values that differ in every compile (`catalog_uuid`).
    fn random(&self) -> u128 {
        self.below().map_or(0, World::random)
    }

    /// The resident memory of this process in bytes, where that is known. Used only for the memory limit.
    fn memory(&self) -> Option<u64> {
        self.below().and_then(World::memory)
    }

    /// A number that changes when an answer may have changed. While it stays the same, results derived from answers may be
    /// reused. `None`: unknown.
    fn generation(&self) -> Option<u64> {
        self.below().and_then(World::generation)
    }

    /// The world in which the clock and random numbers are asked without a record, for what is new in each catalog anyway: its UUID and its
    /// version. `None`: this one, which records nothing.
    fn unrecorded(&self) -> Option<&dyn World> {
        self.below().and_then(World::unrecorded)
    }

    /// The log in which this compile records its reads, if any.
    fn read_log(&self) -> Option<&ReadLog> {
        self.below().and_then(World::read_log)
    }

    /// The bytes of a file that the caller depends on as a whole.
    ///
    /// # Errors
    /// As [`World::read_for`].
    fn read(&self, path: &Path) -> Result<Arc<[u8]>, WorldError> {
        self.read_for(path, Dependency::Whole)
    }

    /// The entries of a directory that the caller depends on as a whole.
    ///
    /// # Errors
    /// As [`World::list_for`].
    fn list(&self, path: &Path) -> Result<Arc<[Entry]>, WorldError> {
        self.list_for(path, Dependency::Whole)
    }

    /// Records paths as if each had been read, when a cached result that depends on them is reused.
    fn record_reads(&self, paths: &Arc<[OsString]>, used: Dependency) {
        if let Some(log) = self.read_log() {
            log.add(paths, used);
        }
    }
}

fn not_allowed(action: &str) -> WorldError {
    WorldError::NotAllowed(Arc::from(action))
}
