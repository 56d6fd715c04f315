//! Updates the catalogs of all nodes after an edit.
//!
//! A node is recompiled if an input of its compile has changed: the contents of a file, a directory's entries, whether a path exists; of
//! manifests only the definitions that it used, without comments; of data only the keys that it looked up; the facts that it used, its
//! classification, and the responses of processes and servers. If only lines have moved, the positions in its catalog are updated.

mod node_state;
mod outcome;

use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

pub use outcome::NodeUpdate;
pub use outcome::Outcome;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use crate::session::Compiled;
use crate::session::ExportedFrom;
use crate::session::PendingChanges;
use crate::session::Session;
use crate::session::answers;
use crate::session::answers::CurrentAnswers;
use crate::session::compile::PreparedNodes;
use crate::session::questions::Check;
use crate::session::questions::Checks;
use crate::session::questions::Effects;
use crate::session::questions::MovedFile;
use crate::session::questions::Questions;
use crate::session::update::node_state::NodeState;
use crate::session::update::node_state::exported_resources;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_catalog::Exports;

/// All nodes of a site with their last catalogs.
#[derive(Debug, Default)]
pub struct State {
    nodes: IndexMap<Arc<str>, NodeState>,
    /// The questions of their compiles.
    questions: Questions,
    /// Nodes whose last compile is not recorded in the questions yet.
    unrecorded: FxHashSet<Arc<str>>,
    /// Moved lines that catalogs do not contain yet.
    moved: Vec<MovedFile>,
    /// How often the set of paths has changed.
    paths_version: u64,
    /// Whether a node was removed, and with it its exported resources.
    has_removed_node: bool,
    /// Updates that are not reported yet.
    unreported: Option<HeldUpdates>,
    /// Changes since [`State::take_news`] was called.
    news: Mutex<PendingChanges>,
}

/// Updates that are not reported yet, since files may be half-written.
#[derive(Debug)]
struct HeldUpdates {
    /// When the first change of these updates was found.
    since: Instant,
    updates: IndexMap<Arc<str>, NodeUpdate>,
}

/// The nodes of an update, by what must be done with them.
#[derive(Default)]
struct CheckedNodes {
    /// Nodes with changed inputs.
    to_compile: Vec<Arc<str>>,
    /// Nodes that may depend on external data, which must be queried.
    to_query: Vec<(Arc<str>, Checks)>,
}

/// More changes than this are reported as a change of everything.
const MAX_NEWS: usize = 10_000;

/// Runs the passed work, and may read the previous state meanwhile.
pub(crate) type WorkRunner<'a> = &'a mut dyn FnMut(&State, &mut dyn FnMut());

/// Called after each compile with the number of nodes to compile.
pub(crate) type Progress<'a> = &'a (dyn Fn(usize) + Sync);

impl State {
    /// Compiles nodes and stores their results.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub fn compile(&mut self, session: &Session, names: &[Arc<str>]) -> Result<Vec<NodeUpdate>, Reason> {
        self.compile_with_runner(session, names, &mut |_, work| work(), &|_| ())
    }

    /// Runs the work inside `beside`, so that the previous state can be read meanwhile.
    ///
    /// # Errors
    /// As [`State::compile`].
    pub fn compile_with_runner(
        &mut self,
        session: &Session,
        names: &[Arc<str>],
        run: WorkRunner<'_>,
        done: Progress<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        self.compile_prepared(session, (names, &PreparedNodes::default()), run, done)
    }

    /// Some of the nodes may be prepared already.
    fn compile_prepared(
        &mut self,
        session: &Session,
        (names, prepared): (&[Arc<str>], &PreparedNodes),
        run: WorkRunner<'_>,
        done: Progress<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        if session.options.exported == Some(ExportedFrom::Site) {
            return self.compile_collecting(session, (names, prepared), run, done);
        }
        let compiled = |_: &Compiled| {
            done(names.len());
            false
        };
        let mut results = Vec::new();
        run(self, &mut || results = session.compile_each_of(names, prepared, compiled));
        results.into_iter().map(|compiled| self.keep(compiled, session)).collect()
    }

    /// Recompiles the nodes whose inputs have changed. `names` are the current nodes of the site; the changes are those that
    /// [`Session::refresh`] found since the last update.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub fn update(&mut self, session: &Session, names: &[Arc<str>]) -> Result<Vec<NodeUpdate>, Reason> {
        self.update_with_runner(session, names, &mut |_, work| work(), &|_| ())
    }

    /// Runs the work inside `beside`, so that the previous state can be read meanwhile.
    ///
    /// # Errors
    /// As [`State::update`].
    pub fn update_with_runner(
        &mut self,
        session: &Session,
        names: &[Arc<str>],
        run: WorkRunner<'_>,
        done: Progress<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        if self.unreported.is_none() {
            for state in self.nodes.values_mut() {
                state.reported = None;
            }
        }
        let updates = self.update_now(session, names, run, done)?;
        // A node is reported once: its last state compared with the last reported one.
        let mut all = self.unreported.take().map(|held| held.updates).unwrap_or_default();
        for update in updates {
            all.shift_remove(&update.certname);
            all.insert(update.certname.clone(), update);
        }
        Ok(all.into_values().collect())
    }

    /// Delays the report of these updates: more files have changed meanwhile, so that some may be half-written. The next update returns
    /// them, each node compared with what was reported before. `since`: when the first change of these updates was found.
    pub fn hold(&mut self, updates: Vec<NodeUpdate>, since: Instant) {
        let updates: IndexMap<_, _> = updates.into_iter().map(|update| (update.certname.clone(), update)).collect();
        self.unreported = (!updates.is_empty()).then_some(HeldUpdates { since, updates });
    }

    /// When the first change of the delayed updates was found; `None` without delayed updates.
    #[must_use]
    pub fn held_since(&self) -> Option<Instant> {
        self.unreported.as_ref().map(|held| held.since)
    }

    fn update_now(
        &mut self,
        session: &Session,
        names: &[Arc<str>],
        run: WorkRunner<'_>,
        done: Progress<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        // Messages that refer to old files have been printed.
        session.cache.forget_stale();
        let pending = session.take_pending();
        self.add_news(&pending);
        let (mut updates, is_same_set) = self.remove_missing_nodes(names);
        self.update_positions();
        self.record_questions();
        let mut answers = CurrentAnswers::new(&pending, session);
        let effects = match pending.all {
            true => Effects::default(),
            false => self.questions.follow(session, &mut answers, &pending.changes),
        };
        let unmovable = self.unmovable_nodes(&effects);
        let mut checked = CheckedNodes::default();
        for name in names {
            let checks = self.questions.checks(&effects, name);
            let is_new = !is_same_set && !self.nodes.contains_key(name);
            if pending.all || is_new || checks.has(Check::Outdated) || unmovable.contains(name) {
                checked.to_compile.push(name.clone());
            } else {
                self.check_node(session, name, (checks, &pending), &mut answers, &mut checked);
            }
        }
        let CheckedNodes { mut to_compile, to_query } = checked;
        let prepared = PreparedNodes::default();
        if !to_query.is_empty() {
            to_compile.extend(self.changed_externally(session, &to_query, &mut answers, run));
            let selected: FxHashSet<Arc<str>> = to_compile.drain(..).collect();
            to_compile.extend(names.iter().filter(|name| selected.contains(*name)).cloned());
            answers.move_changed_nodes(&prepared);
        }
        self.moved = effects.moved;
        if !to_compile.is_empty() || self.has_removed_node {
            let outdated: FxHashSet<&Arc<str>> = to_compile.iter().collect();
            self.moved.iter_mut().for_each(|moved| moved.nodes.retain(|name| !outdated.contains(name)));
            updates.extend(self.compile_prepared(session, (&to_compile, &prepared), run, done)?);
            // Nodes that collect exported resources were compiled, too: their lines are those of the present files.
            let compiled: FxHashSet<&Arc<str>> = updates.iter().map(|update| &update.certname).collect();
            self.moved.iter_mut().for_each(|moved| moved.nodes.retain(|name| !compiled.contains(name)));
        }
        Ok(updates)
    }

    /// Removes the nodes that are not among `names`; returns their updates, and whether the nodes are exactly these.
    fn remove_missing_nodes(&mut self, names: &[Arc<str>]) -> (Vec<NodeUpdate>, bool) {
        if names.len() == self.nodes.len() && names.iter().all(|name| self.nodes.contains_key(name)) {
            return (Vec::new(), true);
        }
        let current: FxHashSet<&Arc<str>> = names.iter().collect();
        let missing: Vec<Arc<str>> = self.nodes.keys().filter(|name| !current.contains(name)).cloned().collect();
        let mut updates = Vec::new();
        for certname in missing {
            self.nodes.shift_remove(&certname);
            self.questions.remove(&certname);
            self.has_removed_node = true;
            updates.push(NodeUpdate { certname, outcome: Outcome::Removed, logs: Vec::new(), elapsed: Duration::ZERO });
        }
        (updates, false)
    }

    /// Compares what depends on a node whose questions have unchanged answers.
    fn check_node(
        &mut self,
        session: &Session,
        name: &Arc<str>,
        (checks, pending): (Checks, &PendingChanges),
        answers: &mut CurrentAnswers,
        checked: &mut CheckedNodes,
    ) {
        let Some(state) = self.nodes.get_mut(name) else { return };
        let is_volatile = state.reads.is_volatile() && !pending.changes.is_empty();
        if checks.is_empty() && !is_volatile && pending.configuration.is_none() {
            return;
        }
        let Some(new) = state.check(name, session, answers, checks) else {
            return checked.to_compile.push(name.clone());
        };
        self.questions.extend(name, new);
        if answers.needs_queries(&state.reads, checks) {
            checked.to_query.push((name.clone(), checks));
        }
    }

    /// The nodes whose facts, classification or responses of processes and servers have changed.
    fn changed_externally(
        &mut self,
        session: &Session,
        names: &[(Arc<str>, Checks)],
        answers: &mut CurrentAnswers,
        run: WorkRunner<'_>,
    ) -> Vec<Arc<str>> {
        let state: &State = self;
        let known = |(name, checks): &(Arc<str>, Checks)| {
            state.nodes.get_key_value(name).map(|(name, state)| (name, &state.reads, *checks))
        };
        run(state, &mut || answers.query_again(session, names.iter().filter_map(known)));
        let mut changed = Vec::new();
        for (name, checks) in names {
            let Some(state) = self.nodes.get_mut(name) else { continue };
            if answers.external_inputs_hold(name, (&mut state.reads, *checks), &mut state.uses) {
                self.questions.record_node_inputs(name, &mut state.reads);
            } else {
                changed.push(name.clone());
            }
        }
        changed
    }

    /// Adds changes to those that [`State::take_news`] returns.
    fn add_news(&mut self, pending: &PendingChanges) {
        let news = self.news.get_mut();
        news.all |= pending.all || news.changes.len() + pending.changes.len() > MAX_NEWS;
        news.configuration = news.configuration.or(pending.configuration);
        match news.all {
            true => news.changes.clear(),
            false => news.changes.extend(pending.changes.iter().cloned()),
        }
    }

    /// The changes since the last call, for callers that watch more than nodes.
    pub fn take_news(&self) -> PendingChanges {
        std::mem::take(&mut *self.news.lock())
    }

    /// The nodes with a resource whose new line is unknown.
    fn unmovable_nodes(&self, effects: &Effects) -> FxHashSet<Arc<str>> {
        let mut nodes = FxHashSet::default();
        for moved in effects.moved.iter().filter(|moved| !moved.is_complete) {
            let can_move = |name: &Arc<str>| {
                let catalog = self.nodes.get(name).and_then(|state| state.catalog.as_ref());
                catalog.is_none_or(|catalog| answers::can_move_lines(catalog, &moved.lines))
            };
            nodes.extend(moved.nodes.iter().filter(|name| !can_move(name)).cloned());
        }
        nodes
    }

    /// Records the questions of the last compiles.
    fn record_questions(&mut self) {
        let mut names: Vec<Arc<str>> = self.unrecorded.drain().collect();
        names.sort_unstable();
        for name in names {
            if let Some(state) = self.nodes.get_mut(&name) {
                self.questions.record(&name, state.recorded(&name));
            }
        }
    }

    /// Updates positions in catalogs of nodes for which an edit has only moved lines. [`State::prepare`] and the next update call it,
    /// too.
    pub fn update_positions(&mut self) {
        for moved in std::mem::take(&mut self.moved) {
            for name in moved.nodes {
                if let Some(catalog) = self.nodes.get_mut(&name).and_then(|state| state.catalog.as_mut()) {
                    debug_assert!(answers::can_move_lines(catalog, &moved.lines), "moved lines of {name}");
                    answers::move_lines(catalog, &moved.lines);
                }
            }
        }
    }

    /// Ends an update and prepares for the next one: updates positions in catalogs and the questions. Call it when idle.
    pub fn prepare(&mut self) {
        self.update_positions();
        if self.unreported.is_none() {
            self.nodes.values_mut().for_each(|state| state.reported = None);
        }
        self.record_questions();
        self.questions.remove_unused();
        self.paths_version += u64::from(self.questions.take_has_new_paths());
    }

    /// A number that changes when [`State::paths`] returns different paths, after [`State::prepare`].
    #[must_use]
    pub fn paths_version(&self) -> u64 {
        self.paths_version
    }

    /// Every path that a node has read or searched for; after [`State::prepare`] each once, with some paths of earlier compiles.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let unrecorded = self.unrecorded.iter().filter_map(|name| self.nodes.get(name));
        unrecorded.flat_map(|state| state.reads.paths()).chain(self.questions.paths())
    }

    /// The last successful catalog of a node.
    #[must_use]
    pub fn catalog(&self, certname: &str) -> Option<&Catalog> {
        self.nodes.get(certname)?.catalog.as_ref()
    }

    /// The error of a node that does not compile.
    #[must_use]
    pub fn failure(&self, certname: &str) -> Option<&Diagnostic> {
        self.nodes.get(certname)?.failure.as_deref()
    }

    /// What was logged when a node was last compiled.
    #[must_use]
    pub fn logs(&self, certname: &str) -> &[Diagnostic] {
        self.nodes.get(certname).map_or(&[], |state| &state.logs)
    }

    /// The nodes, and which of them do not compile.
    pub fn nodes(&self) -> impl Iterator<Item = (&Arc<str>, Option<&Diagnostic>)> {
        self.nodes.iter().map(|(name, state)| (name, state.failure.as_deref()))
    }

    /// As [`Session::compile_all`] with exported resources of the site. All nodes that collect are recompiled if any exported resource may
    /// have changed, so that the result does not depend on earlier compiles.
    fn compile_collecting(
        &mut self,
        session: &Session,
        (names, prepared): (&[Arc<str>], &PreparedNodes),
        run: WorkRunner<'_>,
        done: Progress<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        session.begin_exports();
        let mut results: IndexMap<Arc<str>, Compiled> = IndexMap::new();
        let mut exported = std::mem::take(&mut self.has_removed_node);
        let collects = |state: &NodeState| state.collects;
        let known = |name: &Arc<str>, nodes: &IndexMap<Arc<str>, NodeState>| nodes.get(name).is_some_and(collects);
        let plain: Vec<Arc<str>> = names.iter().filter(|name| !known(name, &self.nodes)).cloned().collect();
        exported |= plain.len() < names.len();
        let mut plainly = Vec::new();
        let compiled = |compiled: &Compiled| {
            done(names.len());
            compiled.collects
        };
        run(self, &mut || plainly = session.compile_each_of(&plain, prepared, compiled));
        for result in plainly {
            exported |= result.collects;
            let before = self.nodes.get(&result.certname).map(|state| state.exports.clone());
            exported |= before != Some(exported_resources(&result.result));
            results.insert(result.certname.clone(), result);
        }
        if exported {
            let kept = self.nodes.iter().filter(|(name, state)| state.collects && !results.contains_key(*name));
            let collecting: Vec<Arc<str>> = kept
                .map(|(name, _)| name.clone())
                .chain(results.values().filter(|result| result.collects).map(|result| result.certname.clone()))
                .collect();
            let others: IndexMap<Arc<str>, Option<Arc<Exports>>> = self
                .nodes
                .iter()
                .filter(|(name, _)| !results.contains_key(*name) && !collecting.contains(name))
                .map(|(name, state)| (name.clone(), state.exports.clone()))
                .collect();
            run(self, &mut || session.settle(&collecting, &others, prepared, &mut results));
        }
        results.sort_keys();
        results.into_values().map(|compiled| self.keep(compiled, session)).collect()
    }

    fn keep(&mut self, compiled: Compiled, session: &Session) -> Result<NodeUpdate, Reason> {
        self.unrecorded.insert(compiled.certname.clone());
        self.nodes.entry(compiled.certname.clone()).or_default().keep(compiled, session.sources())
    }
}
