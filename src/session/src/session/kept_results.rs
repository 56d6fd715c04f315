//! Which results of earlier compiles still hold, for a caller that keeps them: catalogs as bytes, for example.
//!
//! In: compiles, changes of files, nodes with their present facts. Out: whether a compile would have the same result. Must not:
//! compile, keep catalogs.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::session::Compiled;
use crate::session::PendingChanges;
use crate::session::PreparedNode;
use crate::session::Session;
use crate::session::answers;
use crate::session::answers::CurrentAnswers;
use crate::session::input::NodeUse;
use crate::session::questions::Check;
use crate::session::questions::Questions;
use crate::session::questions::Recorded;
use catwalk_base::names::Name;
use catwalk_eval::FactsUse;

/// Why a kept result does not hold, or why a result is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// There was no compile yet, or what was kept of it has been dropped.
    New,
    /// The answers of this file or directory.
    File(Arc<Path>),
    /// Values of these facts.
    Facts(Vec<Name>),
    /// Any fact: the compile used all of them.
    AllFacts,
    /// What its certificate, its server or its classifiers say of the node.
    Node,
    /// The configuration of the site, or all files.
    Site,
    /// The compile asked the clock.
    Clock,
    /// The compile used random numbers.
    Random,
    /// The compile asked name servers.
    NameServers,
    /// The compile asked this process or service.
    Query(String),
    /// The compile collected exported resources.
    Exported,
    /// The compile failed.
    Failed,
    /// The compile is of a node of another environment, or of a test.
    Elsewhere,
}

impl Outdated {
    /// The kind of the reason in one word, for figures.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Outdated::New => "new",
            Outdated::File(_) => "file",
            Outdated::Facts(_) | Outdated::AllFacts => "facts",
            Outdated::Node => "node",
            Outdated::Site => "site",
            Outdated::Clock => "clock",
            Outdated::Random => "random",
            Outdated::NameServers => "name_servers",
            Outdated::Query(_) => "query",
            Outdated::Exported => "exported",
            Outdated::Failed => "failed",
            Outdated::Elsewhere => "elsewhere",
        }
    }
}

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outdated::New => write!(f, "there is no catalog of an earlier request"),
            Outdated::File(path) => write!(f, "{} has changed", path.display()),
            Outdated::Facts(names) => {
                let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
                write!(f, "the facts {} have changed", names.join(", "))
            }
            Outdated::AllFacts => write!(f, "a fact has changed, and the compile used all facts"),
            Outdated::Node => write!(f, "the classification, the trusted data or the server's facts have changed"),
            Outdated::Site => write!(f, "the configuration of the environment has changed"),
            Outdated::Clock => write!(f, "the compile asked for the time"),
            Outdated::Random => write!(f, "the compile used random numbers"),
            Outdated::NameServers => write!(f, "the compile asked name servers"),
            Outdated::Query(query) => write!(f, "the compile asked {query}"),
            Outdated::Exported => write!(f, "the compile collected exported resources"),
            Outdated::Failed => write!(f, "the last compile failed"),
            Outdated::Elsewhere => write!(f, "the node was compiled in an environment that a classifier assigned"),
        }
    }
}

/// The questions of compiles whose results a caller keeps, by the caller's keys (certnames, for example).
///
/// [`KeptResults::keep`] records a compile, [`KeptResults::follow`] drops what an edit affects, and [`KeptResults::check`] compares the
/// facts, trusted data and classification of a node that is requested again.
#[derive(Debug, Default)]
pub struct KeptResults {
    questions: Questions,
    nodes: FxHashMap<Arc<str>, (NodeUse, FactsUse)>,
}

impl KeptResults {
    /// Records a compile, in place of an earlier one.
    ///
    /// # Errors
    /// Its result must not be kept: nothing would show that it is outdated.
    pub fn keep(&mut self, key: &Arc<str>, compiled: &mut Compiled) -> Result<(), Outdated> {
        self.forget(key);
        if let Some(why) = volatile(compiled) {
            return Err(why);
        }
        let Compiled { certname, result: Ok(catalog), logs, reads, uses, .. } = compiled else {
            return Err(Outdated::Failed);
        };
        let is_recorded = uses.complete && uses.records_environment();
        let Some(node) = uses.node.take_if(|node| is_recorded && !node.has_assigned_environment()) else {
            return Err(Outdated::Elsewhere);
        };
        let logs_positions = answers::has_positions(logs);
        let catalog = (!logs_positions).then_some(&*catalog);
        let compile = Recorded { certname, reads, uses, catalog, logs_positions };
        self.questions.record(key, compile);
        self.nodes.insert(key.clone(), (*node, std::mem::take(&mut uses.facts)));
        Ok(())
    }

    /// Forgets a result.
    pub fn forget(&mut self, key: &Arc<str>) {
        if self.nodes.remove(key).is_some() {
            self.questions.remove(key);
        }
    }

    /// Forgets the results that changes may affect, and returns their keys with the reason. `session` reads the files after the changes.
    /// Results in which only lines have moved are among them.
    pub fn follow(&mut self, session: &Session, pending: &PendingChanges) -> Vec<(Arc<str>, Outdated)> {
        let mut keys: Vec<Arc<str>> = self.nodes.keys().cloned().collect();
        keys.sort_unstable();
        let mut outdated = Vec::new();
        if pending.all || pending.configuration.is_some() {
            outdated.extend(keys.into_iter().map(|key| (key, Outdated::Site)));
        } else {
            let mut current = CurrentAnswers::new(pending, session).with_all_scripts();
            let effects = self.questions.follow(session, &mut current, &pending.changes);
            let has_moved = |key: &Arc<str>| effects.moved.iter().any(|moved| moved.nodes.contains(key));
            // The files of facts and classes do not matter: the node is compared itself.
            let is_affected = |key: &Arc<str>| {
                let checks = self.questions.checks(&effects, key);
                [Check::Outdated, Check::Environment, Check::Hierarchies].iter().any(|check| checks.has(*check))
            };
            for key in keys.into_iter().filter(|key| is_affected(key) || has_moved(key)) {
                let why = self.questions.cause(&effects, &key).map_or(Outdated::Site, Outdated::File);
                outdated.push((key, why));
            }
        }
        outdated.iter().for_each(|(key, _)| self.forget(key));
        self.questions.remove_unused();
        outdated
    }

    /// Checks whether a compile of this node, which was prepared just now, would have the kept result.
    ///
    /// # Errors
    /// Something that the compile used of the node has changed, or there is no result.
    pub fn check(&self, key: &str, node: &PreparedNode) -> Result<(), Outdated> {
        let (used, facts) = self.nodes.get(key).ok_or(Outdated::New)?;
        if used.is_unchanged(node, facts) {
            return Ok(());
        }
        Err(match used.changed_facts(node, facts) {
            None => Outdated::Node,
            Some(_) if facts.all => Outdated::AllFacts,
            Some(names) => Outdated::Facts(names),
        })
    }
}

/// The question of a compile whose answer may change without a sign.
fn volatile(compiled: &Compiled) -> Option<Outdated> {
    let asked = compiled.reads.asked();
    match compiled.reads.exchanges().first() {
        Some(exchange) => Some(Outdated::Query(exchange.query.recipient())),
        None if compiled.collects => Some(Outdated::Exported),
        None if asked.clock => Some(Outdated::Clock),
        None if asked.random => Some(Outdated::Random),
        None if asked.name_servers => Some(Outdated::NameServers),
        None => None,
    }
}
