//! After an edit: which nodes read what changed, and what their catalogs became.
//!
//! A node is compiled again when a path it read, listed or looked for in vain is among the changes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::diff;
use crate::diff::Diff;
use crate::session::Changes;
use crate::session::Compiled;
use crate::session::Session;
use crate::wire;
use crate::world::Reads;

/// What is kept of a node between edits.
#[derive(Debug, Default)]
struct NodeState {
    /// The last good catalog as a native document.
    catalog: Option<serde_json::Value>,
    reads: Reads,
    failed: bool,
}

/// All nodes of a site with their last catalogs.
#[derive(Debug, Default)]
pub struct State {
    nodes: IndexMap<Arc<str>, NodeState>,
}

/// What an edit did to one node.
#[derive(Debug)]
pub struct NodeUpdate {
    /// The node.
    pub certname: Arc<str>,
    /// What came of it.
    pub outcome: Outcome,
    /// What was logged on the way.
    pub logs: Vec<Diagnostic>,
    /// Time of its compile.
    pub elapsed: Duration,
}

/// What came of a compile, against what was there before.
#[derive(Debug)]
pub enum Outcome {
    /// The first catalog of a node, with its number of resources.
    First(usize),
    /// The catalog differs.
    Changed(Box<Diff>),
    /// It was compiled again and is the same; `recovered`: it had failed before.
    Same {
        /// The compile before this one failed.
        recovered: bool,
    },
    /// It does not compile; the last good catalog is kept.
    Failed(Box<Diagnostic>),
    /// The node is gone.
    Removed,
}

impl State {
    /// Compiles nodes and keeps what they gave.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub fn compile(&mut self, session: &Session, names: &[Arc<str>]) -> Result<Vec<NodeUpdate>, Reason> {
        let results = session.compile_all(names, &|_| ());
        results.into_iter().map(|compiled| self.keep(compiled)).collect()
    }

    /// Compiles the nodes that the changes may concern. `names` are the nodes that the site has now.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub fn update(
        &mut self,
        session: &Session,
        changes: &Changes,
        names: &[Arc<str>],
    ) -> Result<Vec<NodeUpdate>, Reason> {
        session.forget_changes(changes);
        let mut updates = Vec::new();
        let gone: Vec<Arc<str>> = self.nodes.keys().filter(|name| !names.contains(name)).cloned().collect();
        for certname in gone {
            self.nodes.shift_remove(&certname);
            updates.push(NodeUpdate { certname, outcome: Outcome::Removed, logs: Vec::new(), elapsed: Duration::ZERO });
        }
        let concerned = |name: &&Arc<str>| match self.nodes.get(*name) {
            None => true,
            Some(state) => {
                state.reads.volatile || changes.rescan || changes.paths.iter().any(|path| state.reads.concern(path))
            }
        };
        let names: Vec<Arc<str>> = names.iter().filter(concerned).cloned().collect();
        updates.extend(self.compile(session, &names)?);
        Ok(updates)
    }

    /// Every path that some node touched.
    pub fn touched(&self) -> impl Iterator<Item = &Path> {
        self.nodes.values().flat_map(|state| state.reads.touched())
    }

    fn keep(&mut self, compiled: Compiled) -> Result<NodeUpdate, Reason> {
        let state = self.nodes.entry(compiled.certname.clone()).or_default();
        state.reads = compiled.reads;
        let outcome = match compiled.result {
            Err(diagnostic) => {
                state.failed = true;
                Outcome::Failed(diagnostic)
            }
            Ok(catalog) => {
                let recovered = std::mem::take(&mut state.failed);
                let document = wire::native::document(&catalog)?;
                let outcome = match &state.catalog {
                    None => Outcome::First(catalog.len()),
                    Some(before) => {
                        let diff = diff::diff(before, &document);
                        if diff.is_empty() { Outcome::Same { recovered } } else { Outcome::Changed(Box::new(diff)) }
                    }
                };
                state.catalog = Some(document);
                outcome
            }
        };
        Ok(NodeUpdate { certname: compiled.certname, outcome, logs: compiled.logs, elapsed: compiled.elapsed })
    }
}
