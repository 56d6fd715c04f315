//! A world that records what one compile reads, for comparison with later changes.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::Asked;
use crate::Command;
use crate::Dependency;
use crate::Entry;
use crate::Exchange;
use crate::HttpRequest;
use crate::HttpResponse;
use crate::Kind;
use crate::LdapEntry;
use crate::LdapSearch;
use crate::Output;
use crate::Query;
use crate::ReadLog;
use crate::Reads;
use crate::Reply;
use crate::Runs;
use crate::World;
use crate::WorldError;
use crate::dns;
use catwalk_base::secrets::SecretCollection;

/// A world that records questions and passes them to the world below.
pub struct RecordingWorld {
    below: Arc<dyn World>,
    log: ReadLog,
    /// The collection of the compile, if the world below is not that of the compile.
    secrets: Option<Arc<SecretCollection>>,
}

impl RecordingWorld {
    /// Wraps a world for a part of a compile, whose secrets the world below collects.
    #[must_use]
    pub fn new(below: Arc<dyn World>) -> RecordingWorld {
        RecordingWorld { below, log: ReadLog::default(), secrets: None }
    }

    /// Wraps a world for one compile, with the collection of its secrets.
    #[must_use]
    pub fn for_compile(below: Arc<dyn World>, secrets: Arc<SecretCollection>) -> RecordingWorld {
        RecordingWorld { below, log: ReadLog::default(), secrets: Some(secrets) }
    }

    /// Records everything that an earlier step of the same compile read.
    pub fn add_reads(&self, reads: &Reads) {
        self.log.add_reads(reads);
    }

    /// The world below: questions to it are not recorded here.
    #[must_use]
    pub fn inner(&self) -> Arc<dyn World> {
        self.below.clone()
    }

    /// Takes the reads since the last call.
    #[must_use]
    pub fn take_reads(&self) -> Reads {
        self.log.take()
    }

    /// Queries a process or server and records its reply.
    fn send(&self, query: Query) -> Reply {
        let reply = query.send(self.below.as_ref(), self.secrets());
        self.log.record_exchange(Exchange { query, reply: reply.clone() });
        reply
    }
}

impl World for RecordingWorld {
    fn below(&self) -> Option<&dyn World> {
        Some(self.below.as_ref())
    }

    fn read_log(&self) -> Option<&ReadLog> {
        Some(&self.log)
    }

    fn secrets(&self) -> &Arc<SecretCollection> {
        self.secrets.as_ref().unwrap_or_else(|| self.below.secrets())
    }

    fn read_for(&self, path: &Path, used: Dependency) -> Result<Arc<[u8]>, WorldError> {
        self.log.read(path, used);
        self.below.read_for(path, used)
    }

    fn list_for(&self, path: &Path, used: Dependency) -> Result<Arc<[Entry]>, WorldError> {
        if used != Dependency::ComparedByCaller {
            self.log.touch(path);
        }
        self.below.list_for(path, used)
    }

    fn kind(&self, path: &Path) -> Kind {
        self.log.touch(path);
        self.below.kind(path)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, WorldError> {
        self.log.touch(path);
        self.below.canonical(path)
    }

    fn run(&self, command: &Command) -> Result<Output, WorldError> {
        if command.runs != Runs::Decisive {
            return self.below.run(command);
        }
        let reply = self.send(Query::Run(command.clone()));
        // A changed program may print something different.
        let program = command.argv.first().map(Path::new).filter(|program| program.is_absolute());
        if let Some(program) = program.filter(|program| self.kind(program) == Kind::File) {
            // Changes of a program that can be run but not read are not detected.
            let _ = self.read(program);
        }
        match reply {
            Reply::Run(answer) => answer,
            _ => self.below.run(command),
        }
    }

    fn resolve(&self, question: &dns::Question) -> Result<dns::Answer, WorldError> {
        self.log.ask(Asked { name_servers: true, ..Asked::default() });
        self.below.resolve(question)
    }

    fn now(&self) -> Duration {
        self.log.ask(Asked { clock: true, ..Asked::default() });
        self.below.now()
    }

    fn random(&self) -> u128 {
        self.log.ask(Asked { random: true, ..Asked::default() });
        self.below.random()
    }

    fn unrecorded(&self) -> Option<&dyn World> {
        Some(self.below.unrecorded().unwrap_or(self.below.as_ref()))
    }

    fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, WorldError> {
        match self.send(Query::Fetch(request.clone())) {
            Reply::Fetch(answer) => answer,
            _ => self.below.fetch(request),
        }
    }

    fn search_ldap(&self, search: &LdapSearch, secrets: &SecretCollection) -> Result<Arc<[LdapEntry]>, WorldError> {
        match self.send(Query::SearchLdap(search.clone())) {
            Reply::SearchLdap(answer) => answer,
            _ => self.below.search_ldap(search, secrets),
        }
    }

    fn puppetdb(&self, query: &serde_json::Value) -> Result<serde_json::Value, WorldError> {
        match self.send(Query::PuppetDb(query.to_string())) {
            Reply::PuppetDb(answer) => answer,
            _ => self.below.puppetdb(query),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::Change;

    #[test]
    fn a_change_affects_the_compiles_that_read_the_path() {
        let paths = |paths: &[&str]| -> Arc<[OsString]> { paths.iter().map(OsString::from).collect() };
        let world = RecordingWorld::new(Arc::new(crate::Memory::new([("/site/a.yaml", "a"), ("/site/b.txt", "b")])));
        let _ = (world.kind(Path::new("/site/missing")), world.list(Path::new("/site")));
        let _ = (world.read(Path::new("/site/b.txt")), world.read_for(Path::new("/site/a.yaml"), Dependency::Parts));
        world.record_reads(&paths(&["/site/shared"]), Dependency::Whole);
        world.record_reads(&paths(&["/site/shared"]), Dependency::Whole);
        world.record_reads(&paths(&["/site/c.pp"]), Dependency::Parts);
        let reads = world.take_reads();
        for (path, expected) in [
            ("/site/missing", true),
            ("/site/b.txt", true),
            ("/site/a.yaml", true),
            ("/site/c.pp", true),
            ("/site/shared", true),
            ("/site/other", false),
            ("/site", true),
        ] {
            let changes = [Change { path: path.into(), contents_only: true }];
            assert_eq!(reads.meets(&changes), expected, "{path}");
        }
        assert!(reads.is_whole("/site/b.txt".as_ref()) && !reads.is_whole("/site/a.yaml".as_ref()));
        assert!(
            reads.shared_parts().eq(["/site/c.pp"]) && reads.whole_shared_paths().all(|path| path == "/site/shared")
        );
    }
}
