//! After an edit: which nodes read what changed, and what their catalogs became.
//!
//! A node is compiled again when an answer of the outside that its compile got is another one now: the text of a file, a
//! directory's entries, whether something is there; of manifests only the definitions it used, without comments, of data
//! only the keys it asked for; the facts it asked for, what the classifier says, what processes and servers answer. Where lines moved and nothing else, the places in its catalog follow.

mod node_state;
mod outcome;

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

pub use outcome::NodeUpdate;
pub use outcome::Outcome;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;

use crate::session::Compiled;
use crate::session::ExportedFrom;
use crate::session::Pending;
use crate::session::Session;
use crate::session::answers::Comparing;
use crate::session::answers::Now;
use crate::session::index::Concern;
use crate::session::index::Concerned;
use crate::session::index::Index;
use crate::session::parts::Places;
use crate::session::update::node_state::NodeState;
use crate::session::update::node_state::exports_of;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_catalog::Exports;

/// All nodes of a site with their last catalogs.
#[derive(Debug, Default)]
pub struct State {
    nodes: IndexMap<Arc<str>, NodeState>,
    /// Who touched a path.
    index: Option<Index>,
    /// Nodes that ask otherwise than the index says.
    unindexed: FxHashSet<Arc<str>>,
    /// What is to be moved in catalogs when there is time.
    places: Places,
    /// Nodes that have to be compiled, whatever they asked.
    doubtful: FxHashSet<Arc<str>>,
    /// How often there were other paths.
    paths: u64,
    /// A node went away, and what it exported.
    gone: bool,
    /// Updates that were held back.
    held: Option<Held>,
    /// What became other since somebody took it.
    news: Mutex<Pending>,
}

/// Updates that are not shown yet, since they may be of a half-written state.
#[derive(Debug)]
struct Held {
    /// When the first change that they answer was found.
    since: Instant,
    updates: IndexMap<Arc<str>, NodeUpdate>,
}

/// Of more changes than this it is only told that there are many.
const MANY: usize = 10_000;

/// Runs the work it is given, and may look at the state before it meanwhile.
pub(crate) type Beside<'a> = &'a mut dyn FnMut(&State, &mut dyn FnMut());

impl State {
    /// Compiles nodes and keeps what they gave.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub fn compile(&mut self, session: &Session, names: &[Arc<str>]) -> Result<Vec<NodeUpdate>, Reason> {
        self.compile_beside(session, names, &mut |_, work| work())
    }

    /// Runs the work inside `beside`, so that the previous state can be read meanwhile.
    ///
    /// # Errors
    /// As [`State::compile`].
    pub fn compile_beside(
        &mut self,
        session: &Session,
        names: &[Arc<str>],
        beside: Beside<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        if session.options.exported == Some(ExportedFrom::Site) {
            return self.compile_collecting(session, names, beside);
        }
        let mut results = Vec::new();
        beside(self, &mut || results = session.compile_each(names, &|_| ()));
        results.into_iter().map(|compiled| self.keep(compiled, session)).collect()
    }

    /// Compiles the nodes that get other answers than before. `names` are the nodes that the site has now; the changes are
    /// those that [`Session::refresh`] found since the last update.
    ///
    /// # Errors
    /// A catalog cannot be written as a document.
    pub fn update(&mut self, session: &Session, names: &[Arc<str>]) -> Result<Vec<NodeUpdate>, Reason> {
        self.update_beside(session, names, &mut |_, work| work())
    }

    /// Runs the work inside `beside`, so that the previous state can be read meanwhile.
    ///
    /// # Errors
    /// As [`State::update`].
    pub fn update_beside(
        &mut self,
        session: &Session,
        names: &[Arc<str>],
        beside: Beside<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        if self.held.is_none() {
            for state in self.nodes.values_mut() {
                state.shown = None;
            }
        }
        let updates = self.update_now(session, names, beside)?;
        // What came of a node is told once, by its last state against the one that was shown.
        let mut all = self.held.take().map(|held| held.updates).unwrap_or_default();
        for update in updates {
            all.shift_remove(&update.certname);
            all.insert(update.certname.clone(), update);
        }
        Ok(all.into_values().collect())
    }

    /// Holds these updates back: more changed meanwhile, so that they may be of a half-written state. The next update returns
    /// them, each node compared with what was shown before. `since`: when the first change that they answer was found.
    pub fn hold(&mut self, updates: Vec<NodeUpdate>, since: Instant) {
        let updates: IndexMap<_, _> = updates.into_iter().map(|update| (update.certname.clone(), update)).collect();
        self.held = (!updates.is_empty()).then_some(Held { since, updates });
    }

    /// When the first change whose updates are held back was found; `None` where none are.
    #[must_use]
    pub fn held_since(&self) -> Option<Instant> {
        self.held.as_ref().map(|held| held.since)
    }

    fn update_now(
        &mut self,
        session: &Session,
        names: &[Arc<str>],
        beside: Beside<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        // What was said of them is printed by now.
        session.cache.forget_stale();
        let pending = session.take_pending();
        self.tell(&pending);
        let mut updates = Vec::new();
        let mut gone = Vec::new();
        let mut known = names.iter().all(|name| self.nodes.contains_key(name));
        if !known || names.len() != self.nodes.len() {
            let current: FxHashSet<&Arc<str>> = names.iter().collect();
            gone.extend(self.nodes.keys().filter(|name| !current.contains(name)).cloned());
            known = false;
        }
        for certname in gone {
            self.nodes.shift_remove(&certname);
            self.gone = true;
            updates.push(NodeUpdate { certname, outcome: Outcome::Removed, logs: Vec::new(), elapsed: Duration::ZERO });
        }
        self.move_places();
        let mut now = Now::new(&pending, session);
        let concerned = self.concerned(&pending, session, &mut now);
        let mut again = Vec::new();
        let mut unsure = Vec::new();
        let mut moved = Vec::new();
        for name in names {
            let concern = match concerned.as_ref().map(|concerned| concerned.get(name)) {
                None => Concern::More,
                Some(Some(Concern::Places)) => {
                    moved.push(name.clone());
                    continue;
                }
                Some(Some(concern)) => *concern,
                Some(None) if known || self.nodes.contains_key(name) => continue,
                Some(None) => Concern::More,
            };
            let Some(state) = self.nodes.get_mut(name) else {
                again.push(name.clone());
                continue;
            };
            let before = (state.reads.additions(), state.uses.count_keys());
            if pending.all || self.doubtful.remove(name) || !state.holds(name, session, &mut now, concern) {
                again.push(name.clone());
                continue;
            }
            if let (Concern::Blocks | Concern::More, Some(index)) = (concern, &self.index) {
                index.refresh(&mut state.uses);
            }
            if now.must_ask(&state.reads) {
                unsure.push(name.clone());
            } else if (state.reads.additions(), state.uses.count_keys()) != before {
                self.unindexed.insert(name.clone());
            }
        }
        if !unsure.is_empty() {
            again.extend(self.otherwise(session, &unsure, &mut now, beside));
            let wanted: FxHashSet<Arc<str>> = again.drain(..).collect();
            again.extend(names.iter().filter(|name| wanted.contains(*name)).cloned());
        }
        if !moved.is_empty() {
            self.places = now.into_places(moved);
        }
        if !again.is_empty() || self.gone {
            updates.extend(self.compile_beside(session, &again, beside)?);
        }
        Ok(updates)
    }

    /// Those of these nodes that are other ones, or to whom processes and servers say something else now.
    fn otherwise(
        &mut self,
        session: &Session,
        unsure: &[Arc<str>],
        now: &mut Now,
        beside: Beside<'_>,
    ) -> Vec<Arc<str>> {
        let state: &State = self;
        let known = |name: &Arc<str>| state.nodes.get_key_value(name).map(|(name, of)| (name, &of.reads));
        beside(state, &mut || now.ask(session, unsure.iter().filter_map(known)));
        let mut again = Vec::new();
        for name in unsure {
            let Some(state) = self.nodes.get_mut(name) else { continue };
            if now.holds_outside(name, &mut state.reads, &mut state.uses) {
                self.unindexed.insert(name.clone());
            } else {
                again.push(name.clone());
            }
        }
        again
    }

    fn tell(&mut self, pending: &Pending) {
        let news = self.news.get_mut().unwrap_or_else(PoisonError::into_inner);
        news.all |= pending.all || news.changes.len() + pending.changes.len() > MANY;
        news.site = news.site.or(pending.site);
        match news.all {
            true => news.changes.clear(),
            false => news.changes.extend(pending.changes.iter().cloned()),
        }
    }

    /// What has other answers since this was last asked, for who follows more than the nodes.
    pub fn take_news(&self) -> Pending {
        std::mem::take(&mut *self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The nodes that touched what changed, if there is an index.
    fn concerned(&mut self, pending: &Pending, session: &Session, now: &mut Now) -> Option<Concerned> {
        if pending.all || pending.site.is_some() {
            // Every node is asked for itself.
            self.drop_index();
        }
        let index = self.index.as_mut()?;
        let mut found = index.concerned(&pending.changes, &mut Comparing { now, session });
        let more = |name: &Arc<str>| (name.clone(), Concern::More);
        if !pending.changes.is_empty() {
            let volatile = self.nodes.iter().filter(|(_, state)| state.reads.is_volatile()).map(|(name, _)| name);
            found.extend(volatile.map(more));
            #[allow(clippy::iter_over_hash_type, reason = "a map again")]
            found.extend(self.unindexed.iter().chain(&self.doubtful).map(more));
        }
        self.unindexed.extend(index.take_lost());
        Some(found)
    }

    /// Lets go of the index; what it knows of nodes that were not asked since they were added is noted with them.
    fn drop_index(&mut self) {
        let Some(index) = self.index.take() else { return };
        for (_, state) in self.nodes.iter_mut().filter(|(name, _)| !self.unindexed.contains(*name)) {
            index.refresh(&mut state.uses);
        }
    }

    /// Moves places in catalogs where an edit did nothing else: until then they are those of before. [`State::prepare`] and the
    /// next update do so, too.
    pub fn move_places(&mut self) {
        let mut places = std::mem::take(&mut self.places);
        for name in std::mem::take(&mut places.nodes) {
            let Some(state) = self.nodes.get_mut(&name) else { continue };
            let lines = places.follow(&name, &mut state.uses);
            let moved = lines.is_some_and(|lines| state.move_lines(&lines));
            debug_assert!(moved, "places of {name}");
            if !moved {
                self.doubtful.insert(name);
            }
        }
    }

    /// Ends an update and prepares for the next one, when there is time: places in catalogs of nodes that no edit reached
    /// otherwise, and who touched what.
    pub fn prepare(&mut self) {
        self.move_places();
        if self.held.is_none() {
            self.nodes.values_mut().for_each(|state| state.shown = None);
        }
        // To add most of the nodes again takes longer than to begin anew.
        let few = self.unindexed.len() * 2 <= self.nodes.len();
        if !few || self.index.as_ref().is_some_and(Index::is_old) {
            self.drop_index();
        }
        let (index, grew) = match self.index.take() {
            Some(mut index) => {
                let mut changed: Vec<Arc<str>> = self.unindexed.drain().collect();
                changed.sort_unstable();
                for name in changed {
                    if let Some(state) = self.nodes.get(&name) {
                        index.add(state.indexed(&name));
                    }
                }
                let grew = index.take_grown();
                (index, grew)
            }
            None => {
                self.unindexed.clear();
                let mut index = Index::of(self.nodes.iter().map(|(name, state)| state.indexed(name)));
                let grew = index.take_grown();
                (index, grew)
            }
        };
        self.index = Some(index);
        self.paths += u64::from(grew);
    }

    /// A number that is another one when [`State::touched`] gives other paths than before, after [`State::prepare`].
    #[must_use]
    pub fn paths_version(&self) -> u64 {
        self.paths
    }

    /// Every path that some node touched; after [`State::prepare`] each once, and some that nodes touched before.
    pub fn touched(&self) -> impl Iterator<Item = &Path> {
        let index = self.index.as_ref().filter(|_| self.unindexed.is_empty());
        let nodes = self.nodes.values().filter(move |_| index.is_none());
        nodes.flat_map(|state| state.reads.touched()).chain(index.into_iter().flat_map(Index::paths))
    }

    /// The last good catalog of a node.
    #[must_use]
    pub fn catalog(&self, certname: &str) -> Option<&Catalog> {
        self.nodes.get(certname)?.catalog.as_ref()
    }

    /// Why a node does not compile.
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

    /// As [`Session::compile_all`] with exported resources of the site: nodes that collect are compiled from the start
    /// again as soon as anything may be exported otherwise, so that what comes out does not depend on what was before.
    fn compile_collecting(
        &mut self,
        session: &Session,
        names: &[Arc<str>],
        beside: Beside<'_>,
    ) -> Result<Vec<NodeUpdate>, Reason> {
        session.begin_exports();
        let mut results: IndexMap<Arc<str>, Compiled> = IndexMap::new();
        let mut exported = std::mem::take(&mut self.gone);
        let collects = |state: &NodeState| state.collects;
        let known = |name: &Arc<str>, nodes: &IndexMap<Arc<str>, NodeState>| nodes.get(name).is_some_and(collects);
        let plain: Vec<Arc<str>> = names.iter().filter(|name| !known(name, &self.nodes)).cloned().collect();
        exported |= plain.len() < names.len();
        let mut plainly = Vec::new();
        beside(self, &mut || plainly = session.compile_each(&plain, &|_| ()));
        for result in plainly {
            exported |= result.collects;
            let before = self.nodes.get(&result.certname).map(|state| state.exports.clone());
            exported |= before != Some(exports_of(&result.result));
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
            beside(self, &mut || session.settle(&collecting, &others, &mut results));
        }
        results.sort_keys();
        results.into_values().map(|compiled| self.keep(compiled, session)).collect()
    }

    fn keep(&mut self, compiled: Compiled, session: &Session) -> Result<NodeUpdate, Reason> {
        self.unindexed.insert(compiled.certname.clone());
        self.nodes.entry(compiled.certname.clone()).or_default().keep(compiled, session.sources())
    }
}
