//! The catalogs that an environment keeps: a request for which nothing has changed that the compile used gets the same one.
//!
//! In: compiles with their documents, changes of files, nodes with their present facts. Out: documents, or the reason why the node must be
//! compiled. Must not: compile, record requests.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::records::CatalogRecord;
use catwalk_base::diag::Diagnostic;
use catwalk_catalog::Version;
use catwalk_formats::wire::native;
use catwalk_server::KeptFigures;
use catwalk_server::SharedEnd;
use catwalk_session::Compiled;
use catwalk_session::KeptResults;
use catwalk_session::Outdated;
use catwalk_session::PendingChanges;
use catwalk_session::PreparedNode;
use catwalk_session::Session;
use catwalk_world::Change;

/// A kept catalog.
pub(crate) struct KeptCatalog {
    /// The document up to its version and UUID.
    start: Vec<u8>,
    /// The document after its UUID.
    end: Arc<SharedEnd>,
    /// The messages of the compile, which are those of each request.
    pub(crate) logs: Vec<Diagnostic>,
    pub(crate) record: CatalogRecord,
    /// Whether the version is the output of a command.
    pub(crate) has_text_version: bool,
}

/// The number of a compile, which connects its document with its questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// The catalogs of one version of an environment, by certname and format.
#[derive(Default)]
pub(crate) struct KeptCatalogs {
    results: KeptResults,
    catalogs: FxHashMap<Arc<str>, (Ticket, Arc<KeptCatalog>)>,
    tickets: FxHashMap<Arc<str>, Ticket>,
    /// Why there is no catalog.
    reasons: FxHashMap<Arc<str>, Outdated>,
    /// The keys with a catalog, in the order in which they were kept; some more than once.
    order: VecDeque<(Arc<str>, Ticket)>,
    last: Ticket,
    bytes: usize,
}

/// The key of a catalog: the format is a part of it.
pub(crate) fn key(certname: &str, rich_data: bool) -> Arc<str> {
    // A certname has no spaces.
    Arc::from(format!("{certname} {}", if rich_data { "rich" } else { "plain" }))
}

impl KeptCatalog {
    /// Splits a document. `None`: it is not one that `write_for_agent` wrote with this version and UUID.
    pub(crate) fn new(
        document: &[u8],
        (version, uuid): (&Version, &str),
        logs: Vec<Diagnostic>,
        record: CatalogRecord,
    ) -> Option<KeptCatalog> {
        let members = native::run_members(version, uuid);
        let at = document.windows(members.len()).position(|window| window == members.as_bytes())?;
        let (start, rest) = document.split_at_checked(at)?;
        let end = Arc::new(SharedEnd::new(rest.get(members.len()..)?).ok()?);
        Some(KeptCatalog {
            start: start.to_vec(),
            end,
            logs,
            record,
            has_text_version: matches!(version, Version::Text(_)),
        })
    }

    /// The document with a new version and UUID: its beginning, and its end.
    pub(crate) fn document(&self, version: &Version, uuid: &str) -> (Vec<u8>, Arc<SharedEnd>) {
        let members = native::run_members(version, uuid);
        ([self.start.as_slice(), members.as_bytes()].concat(), self.end.clone())
    }

    /// The number of bytes in memory, about.
    fn size(&self) -> usize {
        let messages: usize = self.logs.iter().map(|line| size_of::<Diagnostic>() + line.message.len()).sum();
        self.start.len() + self.end.size() + self.record.size() + messages
    }
}

impl KeptCatalogs {
    /// The catalog of a node that was prepared just now.
    ///
    /// # Errors
    /// It must be compiled: a question has another answer, or there is no catalog.
    pub(crate) fn find(&self, key: &str, node: &PreparedNode) -> Result<Arc<KeptCatalog>, Outdated> {
        self.results.check(key, node).map_err(|why| match why {
            Outdated::New => self.reasons.get(key).cloned().unwrap_or(Outdated::New),
            why => why,
        })?;
        let kept = self.catalogs.get(key).filter(|(ticket, _)| self.tickets.get(key) == Some(ticket));
        kept.map(|(_, catalog)| catalog.clone()).ok_or(Outdated::New)
    }

    /// Records the questions of a compile. `None`: its catalog is not kept.
    pub(crate) fn begin(&mut self, key: &Arc<str>, compiled: &mut Compiled) -> Option<Ticket> {
        self.remove(key);
        match self.results.keep(key, compiled) {
            Err(why) => {
                self.reasons.insert(key.clone(), why);
                None
            }
            Ok(()) => {
                self.last.0 += 1;
                self.tickets.insert(key.clone(), self.last);
                Some(self.last)
            }
        }
    }

    /// Keeps the catalog of a compile unless a later one has begun. Of all, the oldest are forgotten that have more than `limit` bytes
    /// together.
    pub(crate) fn put(&mut self, key: &Arc<str>, ticket: Ticket, catalog: KeptCatalog, limit: usize) {
        if self.tickets.get(key) != Some(&ticket) {
            return;
        }
        self.bytes += catalog.size();
        if let Some((_, before)) = self.catalogs.insert(key.clone(), (ticket, Arc::new(catalog))) {
            self.bytes -= before.size();
        }
        self.order.push_back((key.clone(), ticket));
        while self.bytes > limit || self.order.len() > 2 * self.catalogs.len() + 64 {
            let Some((oldest, ticket)) = self.order.pop_front() else { break };
            if self.tickets.get(&oldest) != Some(&ticket) {
                continue;
            }
            if self.bytes > limit {
                self.remove(&oldest);
            } else {
                self.order.push_back((oldest, ticket));
            }
        }
    }

    /// The last compile that has begun to be kept.
    pub(crate) fn last(&self) -> Ticket {
        self.last
    }

    /// Takes the catalogs of compiles up to a number for the next version. What later ones read may be unknown to it.
    pub(crate) fn take(&mut self, until: Ticket) -> KeptCatalogs {
        let rest = KeptCatalogs { last: self.last, ..KeptCatalogs::default() };
        let mut taken = std::mem::replace(self, rest);
        let late: Vec<Arc<str>> =
            taken.tickets.iter().filter(|(_, ticket)| **ticket > until).map(|(key, _)| key.clone()).collect();
        late.iter().for_each(|key| taken.remove(key));
        taken
    }

    /// Forgets what changes of files affect. `session` reads the files after the changes.
    pub(crate) fn follow(&mut self, session: &Session, changes: Vec<Change>) {
        let pending = PendingChanges { changes, all: false, configuration: None };
        for (key, why) in self.results.follow(session, &pending) {
            self.remove(&key);
            self.reasons.insert(key, why);
        }
    }

    fn remove(&mut self, key: &Arc<str>) {
        self.results.forget(key);
        self.reasons.remove(key);
        self.tickets.remove(key);
        if let Some((_, catalog)) = self.catalogs.remove(key) {
            self.bytes -= catalog.size();
        }
    }

    /// The number of catalogs, and of their bytes.
    pub(crate) fn figures(&self) -> KeptFigures {
        KeptFigures { catalogs: self.catalogs.len(), bytes: self.bytes }
    }
}
