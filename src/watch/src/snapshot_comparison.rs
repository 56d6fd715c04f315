//! Compares catalogs with their snapshots during `watch`.
//!
//! In: catalogs, the folder of snapshots. Out: names of snapshots that differ; accepted and rejected snapshots. Must not: draw, write
//! before the user has decided.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use crate::cases::Tests;
use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_session::Session;
use catwalk_session::update::State;
use catwalk_snapshot::Case;
use catwalk_snapshot::Store;
use catwalk_snapshot::decide;
use catwalk_snapshot::decide::Decision;
use catwalk_snapshot::decide::DecisionCounts;
use catwalk_snapshot::decide::Group;
use catwalk_snapshot::file::Snapshot;
use catwalk_snapshot::text;
use catwalk_world::Disk;

/// Decisions: pairs of snapshot and resource, or all resources.
pub(crate) type Decisions = BTreeSet<(String, String)>;

/// Compares catalogs with their snapshots.
pub(crate) struct SnapshotComparison {
    /// Nodes by the name of their differing snapshot.
    differing: BTreeMap<String, Arc<str>>,
    /// Cases of test files.
    tests: Tests,
    /// Whether any node or case has a snapshot.
    has_snapshots: bool,
    /// The names of all accepted snapshots.
    accepted: BTreeSet<String>,
    /// Whether only expectations are checked, not snapshots.
    only_expected: bool,
    /// Snapshots that were proposed for the current review.
    proposed: Vec<String>,
}

/// Snapshots that differ and unmet expectations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PendingSnapshots {
    /// Names of snapshots that differ or do not exist yet.
    pub(crate) names: Vec<String>,
    /// How many of them do not exist yet.
    pub(crate) new: usize,
    /// Whether the site has snapshots.
    pub(crate) has_snapshots: bool,
    /// Cases with their unmet expectations.
    pub(crate) failing: Vec<(Arc<str>, Vec<String>)>,
    /// Whether this is a module, which has cases but no nodes.
    pub(crate) is_module: bool,
}

fn store(session: &Session) -> Option<(Store, PathBuf)> {
    let root = session.home()?.to_path_buf();
    Some((Store::new(session.site.snapshots_place(&root)), root))
}

fn snapshot_text(state: &State, session: &Session, root: &Path, name: &str) -> Option<Result<String, Reason>> {
    if state.failure(name).is_some() {
        return None;
    }
    Some(text::of_catalog(state.catalog(name)?, root, &session.site.rules).map(|(text, _)| text))
}

impl SnapshotComparison {
    /// An empty comparison.
    pub(crate) fn new(world: Arc<Disk>, session: &Session) -> SnapshotComparison {
        SnapshotComparison {
            differing: BTreeMap::new(),
            tests: Tests::new(world, session),
            has_snapshots: false,
            accepted: BTreeSet::new(),
            only_expected: false,
            proposed: Vec::new(),
        }
    }

    /// A comparison that only checks expectations.
    pub(crate) fn for_expectations(world: Arc<Disk>, session: &Session) -> SnapshotComparison {
        SnapshotComparison { only_expected: true, ..SnapshotComparison::new(world, session) }
    }

    /// Finds the cases of test files whose reads have changed, and compiles some of them. `true`: some were compiled, so there may be more
    /// paths to watch and more differing snapshots.
    ///
    /// # Errors
    /// A test file is invalid, or a snapshot cannot be read.
    pub(crate) fn follow(&mut self, session: &Session, state: &State) -> Result<bool, Reason> {
        let read = self.tests.follow(session, state)?;
        let Some((store, root)) = store(session) else { return Ok(false) };
        if read {
            self.find_snapshots(&store, state)?;
        }
        // Cases without snapshots and expectations need not be compiled.
        if self.is_done() {
            return Ok(read);
        }
        self.tests.step(session, &store, &root)?;
        Ok(true)
    }

    fn find_snapshots(&mut self, store: &Store, state: &State) -> Result<(), Reason> {
        let accepted: BTreeSet<String> =
            store.entries()?.into_iter().filter(|entry| entry.accepted).map(|entry| entry.name).collect();
        // A module has no nodes, only cases.
        self.has_snapshots = self.tests.is_module_alone()
            || state.nodes().any(|(name, _)| accepted.contains(&Case::node(name, "").name))
            || self.tests.names().any(|name| accepted.contains(&**name));
        self.accepted = accepted;
        Ok(())
    }

    /// Whether no cases wait for a compile.
    pub(crate) fn is_done(&self) -> bool {
        !((self.has_snapshots && !self.only_expected) || self.tests.has_expectations()) || self.tests.is_done()
    }

    /// The cases of test files.
    pub(crate) fn tests(&mut self) -> &mut Tests {
        &mut self.tests
    }

    /// The catalog of a node, or of a case of a module.
    pub(crate) fn catalog<'a>(&'a self, state: &'a State, name: &str) -> Option<&'a Catalog> {
        state.catalog(name).or_else(|| self.tests.catalog(name))
    }

    /// Every path that cases of test files depend on.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.tests.paths()
    }

    /// The current state.
    pub(crate) fn pending_snapshots(&self) -> PendingSnapshots {
        let case_names = self.tests.differing().filter(|_| self.has_snapshots).map(|name| name.to_string());
        let failing = self.tests.failing().map(|(name, failures)| (name.clone(), failures.clone()));
        let names: Vec<String> = self.differing.keys().cloned().chain(case_names).collect();
        PendingSnapshots {
            new: names.iter().filter(|name| !self.accepted.contains(*name)).count(),
            names,
            has_snapshots: self.has_snapshots,
            failing: failing.collect(),
            is_module: self.tests.is_module_alone(),
        }
    }

    /// Compares the catalogs of these nodes.
    ///
    /// # Errors
    /// A snapshot cannot be read.
    pub(crate) fn compare(
        &mut self,
        session: &Session,
        state: &State,
        nodes: &[Arc<str>],
    ) -> Result<PendingSnapshots, Reason> {
        let Some((store, root)) = store(session) else { return Ok(PendingSnapshots::default()) };
        let all: BTreeSet<&Arc<str>> = state.nodes().map(|(name, _)| name).collect();
        self.differing.retain(|_, node| all.contains(node));
        self.find_snapshots(&store, state)?;
        self.tests.compare_again(&store)?;
        if self.has_snapshots {
            let compare_node = |node: &Arc<str>| -> Result<(String, Arc<str>, bool), Reason> {
                let name = Case::node(node, "").name;
                let differs = match snapshot_text(state, session, &root, node) {
                    None => false,
                    Some(text) => {
                        let new = Snapshot::new("", "", &text?);
                        store.accepted(&name)?.is_none_or(|old| !old.has_same_body(&new))
                    }
                };
                Ok((name, node.clone(), differs))
            };
            let results: Vec<(String, Arc<str>, bool)> = match catwalk_session::pool().filter(|_| nodes.len() > 1) {
                Some(pool) => pool.install(|| nodes.par_iter().map(compare_node).collect::<Result<_, Reason>>())?,
                None => nodes.iter().map(compare_node).collect::<Result<_, Reason>>()?,
            };
            for (name, node, differs) in results {
                if differs {
                    self.differing.insert(name, node);
                } else {
                    self.differing.remove(&name);
                }
            }
        } else {
            self.differing.clear();
        }
        Ok(self.pending_snapshots())
    }

    /// Writes the differing ones of these snapshots as proposals. `errors`: also errors in place of a case's catalog.
    fn propose(
        &self,
        session: &Session,
        state: &State,
        names: &[String],
        errors: bool,
    ) -> Result<Option<Store>, Reason> {
        let Some((store, root)) = store(session) else { return Ok(None) };
        self.tests.propose(&store, names, errors)?;
        let files = session.nodes().unwrap_or_default();
        for (node, _) in state.nodes() {
            let path = files.get(node).map(|path| path.strip_prefix(&root).unwrap_or(path).display().to_string());
            let case = Case::node(node, &path.unwrap_or_default());
            if !names.contains(&case.name) {
                continue;
            }
            let Some(text) = snapshot_text(state, session, &root, node) else { continue };
            let snapshot = Snapshot::new(&case.source, &case.title, &text?);
            store.propose(&case.name, &snapshot)?;
        }
        Ok(Some(store))
    }

    /// Accepts the current catalogs of these snapshots.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(crate) fn accept(&self, session: &Session, state: &State, names: &[String]) -> Result<DecisionCounts, Reason> {
        let Some(store) = self.propose(session, state, names, false)? else { return Ok(DecisionCounts::default()) };
        let is_chosen = |name: &str| names.iter().any(|chosen| chosen == name) && !self.tests.is_error(name);
        decide::decide(&store, Decision::Accept, &|name, _, _| is_chosen(name))
    }

    /// The changes of these snapshots for a review, with equal changes grouped.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(crate) fn groups(&mut self, session: &Session, state: &State, names: &[String]) -> Result<Vec<Group>, Reason> {
        let existing: BTreeSet<String> = match store(session) {
            Some((store, _)) => decide::proposals(&store)?.into_iter().map(|proposal| proposal.name).collect(),
            None => BTreeSet::new(),
        };
        self.proposed = names.iter().filter(|name| !existing.contains(*name)).cloned().collect();
        let Some(store) = self.propose(session, state, names, true)? else { return Ok(Vec::new()) };
        let proposals = decide::proposals(&store)?;
        let chosen = proposals.iter().filter(|proposal| names.contains(&proposal.name));
        Ok(decide::groups(chosen.map(|proposal| (proposal.name.as_str(), proposal.hunks.as_slice()))))
    }

    /// Removes the undecided proposals of a review.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub(crate) fn withdraw(&mut self, session: &Session) -> Result<(), Reason> {
        let proposed = std::mem::take(&mut self.proposed);
        match store(session) {
            Some((store, _)) => proposed.iter().try_for_each(|name| store.settle(name)),
            None => Ok(()),
        }
    }

    /// Carries out a review.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub(crate) fn decide(&self, session: &Session, accepted: &Decisions, rejected: &Decisions) -> Result<(), Reason> {
        let Some((store, _)) = store(session) else { return Ok(()) };
        for (decision, chosen) in [(Decision::Accept, accepted), (Decision::Reject, rejected)] {
            let is_chosen = |name: &str, reference: &str, _: Option<&str>| {
                chosen.contains(&(name.to_owned(), reference.to_owned()))
            };
            decide::decide(&store, decision, &is_chosen)?;
        }
        Ok(())
    }
}
