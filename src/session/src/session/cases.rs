//! Test nodes that are followed through edits like the site's nodes: a node is recompiled when its inputs change.
//!
//! In: all current test nodes, changes. Out: the results of their compiles. Must not: know expectations and snapshots.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use indexmap::IndexSet;
use sha2::Digest;
use sha2::Sha256;

use crate::session::ExportedFrom;
use crate::session::PendingChanges;
use crate::session::Session;
use crate::session::TestNode;
use crate::session::Uses;
use crate::session::answers;
use crate::session::answers::CurrentAnswers;
use crate::session::answers::NodeRecord;
use crate::session::differ::diff_catalogs;
use crate::session::questions::Check;
use crate::session::questions::Questions;
use crate::session::questions::Recorded;
use crate::session::update::Outcome;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;

/// The state of a test node between edits.
struct CaseState {
    node: TestNode,
    /// A digest of the test node and of everything else that its result depends on.
    digest: [u8; 32],
    /// `None`: not compiled yet.
    compile: Option<CaseCompile>,
    /// The last successful catalog, if catalogs are kept.
    catalog: Option<Catalog>,
    /// Why the last compile failed, as Puppet prints it.
    failure: Option<String>,
}

struct CaseCompile {
    is_volatile: bool,
    uses: Uses,
    logs: Vec<Diagnostic>,
    failed: bool,
    collects: bool,
}

/// Test nodes with the inputs of their compiles.
#[derive(Default)]
pub struct Cases {
    states: IndexMap<Arc<str>, CaseState>,
    /// The questions of their compiles.
    questions: Questions,
    /// Test nodes that must be compiled.
    waiting: IndexSet<Arc<str>>,
    /// Whether catalogs are kept, to compare later ones with them.
    keeps_catalogs: bool,
}

/// The result of a test node.
pub struct CaseResult<'a> {
    /// The name of the case.
    pub name: &'a Arc<str>,
    /// The catalog, or the error.
    pub result: &'a Result<Catalog, Box<Diagnostic>>,
    /// The messages that the compile logged.
    pub logs: &'a [Diagnostic],
    /// The comparison with the last successful catalog, if catalogs are kept.
    pub outcome: Option<Outcome>,
    /// The time of the compile.
    pub elapsed: Duration,
}

impl Cases {
    /// No test nodes; catalogs of later ones are kept.
    #[must_use]
    pub fn with_catalogs() -> Cases {
        Cases { keeps_catalogs: true, ..Cases::default() }
    }

    /// The last successful catalog of a test node, if catalogs are kept.
    #[must_use]
    pub fn catalog(&self, name: &str) -> Option<&Catalog> {
        self.states.get(name)?.catalog.as_ref()
    }

    /// Sets the test nodes by name, each with a description of everything else that its result depends on. Unchanged ones keep their
    /// state.
    pub fn set(&mut self, cases: Vec<(Arc<str>, TestNode, String)>) {
        let mut before = std::mem::take(&mut self.states);
        let names: IndexSet<&Arc<str>> = cases.iter().map(|(name, ..)| name).collect();
        self.waiting.retain(|name| names.contains(name));
        for (name, node, description) in cases {
            let digest = Sha256::digest(format!("{node:?} {description}")).into();
            let state = match before.swap_remove(&name) {
                Some(state) if state.digest == digest => state,
                Some(state) => CaseState { node, digest, compile: None, ..state },
                None => CaseState { node, digest, compile: None, catalog: None, failure: None },
            };
            if state.compile.is_none() {
                self.waiting.insert(name.clone());
            }
            self.states.insert(name, state);
        }
        before.keys().for_each(|name| self.questions.remove(name));
    }

    /// Finds the test nodes that these changes affect; they wait for a compile.
    pub fn check(&mut self, session: &Session, pending: &PendingChanges) {
        let mut answers = CurrentAnswers::new(pending, session);
        let effects = self.questions.follow(session, &mut answers, &pending.changes);
        let site = session.options.exported == Some(ExportedFrom::Site);
        for (name, state) in &mut self.states {
            let Some(compile) = &mut state.compile else { continue };
            let always = (site && compile.collects) || compile.is_volatile;
            let checks = self.questions.checks(&effects, name);
            // A hierarchy is compared with facts of the site's nodes, which are not those of a test node.
            let mut is_affected = pending.all
                || pending.configuration.is_some()
                || (always && !pending.changes.is_empty())
                || checks.has(Check::Outdated)
                || checks.has(Check::Hierarchies);
            if !is_affected && !checks.is_empty() {
                let CaseCompile { uses, logs, failed, .. } = compile;
                let mut record = NodeRecord { certname: &state.node.certname, uses, logs, failed: *failed };
                // Positions of resources are not compared.
                match answers.check_node(session, &mut record, checks) {
                    Some(new) => self.questions.extend(name, new),
                    None => is_affected = true,
                }
            }
            if is_affected {
                state.compile = None;
                self.waiting.insert(name.clone());
            }
        }
    }

    /// Whether no test node waits for a compile.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Compiles up to `max` waiting test nodes and calls `take` with each result.
    ///
    /// # Errors
    /// The error of `take`, or a catalog that cannot be written as a document.
    pub fn compile(
        &mut self,
        session: &Session,
        max: usize,
        take: &mut dyn FnMut(CaseResult<'_>) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let rest = self.waiting.split_off(max.min(self.waiting.len()));
        let names = std::mem::replace(&mut self.waiting, rest);
        let nodes: Vec<TestNode> =
            names.iter().filter_map(|name| self.states.get(name)).map(|state| state.node.clone()).collect();
        for (name, compiled) in names.iter().zip(session.compile_test_nodes(&nodes)) {
            let Some(state) = self.states.get_mut(name) else { continue };
            let failure = compiled.result.as_ref().err().map(|why| why.puppet_text(session.sources()));
            let outcome = match (&compiled.result, &state.catalog) {
                _ if !self.keeps_catalogs => None,
                (Err(error), _) => {
                    Some(Outcome::Failed { error: error.clone(), is_repeated: failure == state.failure })
                }
                (Ok(catalog), None) => Some(Outcome::First(catalog.len())),
                (Ok(catalog), Some(before)) => {
                    let diff = diff_catalogs(before, catalog)?;
                    Some(match diff.is_empty() {
                        true => Outcome::Same { recovered: state.failure.is_some() },
                        false => Outcome::Changed(Box::new(diff)),
                    })
                }
            };
            let (result, logs, elapsed) = (&compiled.result, &compiled.logs, compiled.elapsed);
            let done = take(CaseResult { name, result, logs, outcome, elapsed });
            state.failure = failure;
            let is_volatile = compiled.reads.is_volatile();
            let (mut reads, mut uses) = (compiled.reads, compiled.uses);
            let failed = state.failure.is_some();
            let logs_positions = failed || answers::has_positions(&compiled.logs);
            let (certname, catalog) = (&compiled.certname, None);
            let recorded = Recorded { certname, reads: &mut reads, uses: &mut uses, catalog, logs_positions };
            self.questions.record(name, recorded);
            let (logs, collects) = (compiled.logs, compiled.collects);
            state.compile = Some(CaseCompile { is_volatile, uses, logs, failed, collects });
            if let Ok(catalog) = compiled.result
                && self.keeps_catalogs
            {
                state.catalog = Some(catalog);
            }
            done?;
        }
        self.questions.remove_unused();
        Ok(())
    }

    /// Every path that a compile has read or searched for.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        self.questions.paths().map(Path::to_path_buf).collect()
    }
}
