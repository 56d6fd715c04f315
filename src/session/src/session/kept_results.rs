//! Which results of earlier compiles still hold, for a caller that keeps them: catalogs as bytes, for example.
//!
//! In: compiles, changes of files, nodes with their present facts. Out: whether a compile would have the same result. Must not:
//! compile, keep catalogs.

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
use catwalk_eval::FactsUse;

/// The questions of compiles whose results a caller keeps, by the caller's keys (certnames, for example).
///
/// [`KeptResults::keep`] records a compile, [`KeptResults::follow`] drops what an edit affects, and [`KeptResults::holds`] compares the
/// facts, trusted data and classification of a node that is requested again. The clock and random numbers are not compared.
#[derive(Debug, Default)]
pub struct KeptResults {
    questions: Questions,
    nodes: FxHashMap<Arc<str>, (NodeUse, FactsUse)>,
}

impl KeptResults {
    /// Records a compile, in place of an earlier one. `false`: its result must not be kept. It failed, is of a test case, has an
    /// assigned environment, collects exported resources, or asked processes or services.
    pub fn keep(&mut self, key: &Arc<str>, compiled: &mut Compiled) -> bool {
        self.forget(key);
        let Compiled { certname, result: Ok(catalog), logs, reads, uses, collects: false, .. } = compiled else {
            return false;
        };
        let is_recorded = uses.complete && uses.records_environment() && reads.exchanges().is_empty();
        let Some(node) = uses.node.take_if(|node| is_recorded && !node.has_assigned_environment()) else {
            return false;
        };
        let logs_positions = answers::has_positions(logs);
        let catalog = (!logs_positions).then_some(&*catalog);
        let compile = Recorded { certname, reads, uses, catalog, logs_positions };
        self.questions.record(key, compile);
        self.nodes.insert(key.clone(), (*node, std::mem::take(&mut uses.facts)));
        true
    }

    /// Forgets a result.
    pub fn forget(&mut self, key: &Arc<str>) {
        if self.nodes.remove(key).is_some() {
            self.questions.remove(key);
        }
    }

    /// Forgets the results that changes may affect, and returns their keys. `session` reads the files after the changes. Results in which
    /// only lines have moved are among them.
    pub fn follow(&mut self, session: &Session, pending: &PendingChanges) -> Vec<Arc<str>> {
        let mut keys: Vec<Arc<str>> = self.nodes.keys().cloned().collect();
        keys.sort_unstable();
        if !pending.all && pending.configuration.is_none() {
            let mut current = CurrentAnswers::new(pending, session);
            let effects = self.questions.follow(session, &mut current, &pending.changes);
            let has_moved = |key: &Arc<str>| effects.moved.iter().any(|moved| moved.nodes.contains(key));
            // The files of facts and classes do not matter: the node is compared itself.
            let is_affected = |key: &Arc<str>| {
                let checks = self.questions.checks(&effects, key);
                [Check::Outdated, Check::Environment, Check::Hierarchies].iter().any(|check| checks.has(*check))
            };
            keys.retain(|key| is_affected(key) || has_moved(key));
        }
        keys.iter().for_each(|key| self.forget(key));
        self.questions.remove_unused();
        keys
    }

    /// Whether a compile of this node, which was prepared just now, would have the kept result: everything that it used of the node is
    /// unchanged.
    #[must_use]
    pub fn holds(&self, key: &str, node: &PreparedNode) -> bool {
        self.nodes.get(key).is_some_and(|(used, facts)| used.is_unchanged(node, facts))
    }
}
