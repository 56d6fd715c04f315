//! The cases of the test files of a site or module: which catalogs differ from their snapshots, and which expectations are not met.
//!
//! In: test files, changed reads. Out: the new contents of snapshots that differ; unmet expectations. A case is recompiled when its reads
//! change. Must not: write before the user has decided.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_catalog::Catalog;
use catwalk_session::CaseResult;
use catwalk_session::Cases;
use catwalk_session::PendingChanges;
use catwalk_session::Session;
use catwalk_session::update::NodeUpdate;
use catwalk_session::update::Outcome;
use catwalk_session::update::State;
use catwalk_snapshot::Case;
use catwalk_snapshot::Store;
use catwalk_snapshot::case::Subject;
use catwalk_snapshot::expect::Expect;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::file::Snapshot;
use catwalk_snapshot::matrix::ReadContext;
use catwalk_snapshot::suite;
use catwalk_snapshot::text;
use catwalk_world::Disk;
use catwalk_world::Reads;
use catwalk_world::RecordingWorld;

/// The number of cases compiled between two checks for edits.
const SLICE: usize = 16;

/// A case of a test file.
struct TestCase {
    source: String,
    title: String,
    expect: Expect,
    /// Whether the case has a snapshot.
    snapshot: bool,
}

/// The cases of the test files of a site or module.
pub(crate) struct Tests {
    world: Arc<Disk>,
    cases: Cases,
    /// Whether this is a module without a site: it has no nodes, and the changes of its cases are shown instead.
    is_module: bool,
    test_cases: BTreeMap<Arc<str>, TestCase>,
    /// The reads of the test files; `None` before the first read.
    reads: Option<Reads>,
    differing: BTreeMap<Arc<str>, ProposedSnapshot>,
    /// Unmet expectations by case.
    failing: BTreeMap<Arc<str>, Vec<String>>,
    round: Round,
    started: Option<Instant>,
}

/// The contents of a snapshot to propose.
struct ProposedSnapshot {
    text: String,
    /// Whether it is an error in place of a catalog.
    failed: bool,
}

/// Cases whose results have changed since the last call.
#[derive(Default)]
pub struct Round {
    /// Catalogs of a module's cases, compared with the previous ones.
    pub updates: Vec<NodeUpdate>,
    /// The unmet expectations of the cases for which they have changed; an empty list if all are met again.
    pub verdicts: BTreeMap<Arc<str>, Vec<String>>,
    /// The time from the start to the last compile.
    pub elapsed: Duration,
}

impl Round {
    /// Whether nothing has changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.updates.is_empty() && self.verdicts.is_empty()
    }
}

/// Whether the session is that of a module without nodes.
pub(crate) fn is_module_alone(session: &Session) -> bool {
    let options = &session.options;
    options.root.is_none() && options.module.is_some() && options.code.is_none() && options.manifest.is_none()
}

impl Tests {
    pub(crate) fn new(world: Arc<Disk>, session: &Session) -> Tests {
        let is_module = is_module_alone(session);
        Tests {
            world,
            cases: if is_module { Cases::with_catalogs() } else { Cases::default() },
            is_module,
            test_cases: BTreeMap::new(),
            reads: None,
            differing: BTreeMap::new(),
            failing: BTreeMap::new(),
            round: Round::default(),
            started: None,
        }
    }

    /// Processes the changes since the last call. If test files have changed, reads them again and returns `true`.
    ///
    /// # Errors
    /// A test file is invalid: there are no cases then.
    pub(crate) fn follow(&mut self, session: &Session, state: &State) -> Result<bool, Reason> {
        let changes = state.take_news();
        let Some(root) = session.home().map(Path::to_path_buf) else { return Ok(false) };
        let read_files =
            |reads: &Reads| changes.all || changes.configuration.is_some() || reads.meets(&changes.changes);
        if self.reads.as_ref().is_some_and(|reads| !read_files(reads)) {
            self.find_affected(session, &changes);
            return Ok(false);
        }
        let recorded = RecordingWorld::new(self.world.clone());
        let cases = self.read_cases(session, &root, &recorded);
        self.reads = Some(recorded.take_reads());
        let cases = cases.inspect_err(|_| {
            self.cases.set(Vec::new());
            self.test_cases.clear();
            self.differing.clear();
            self.failing.clear();
        })?;
        let mut test_nodes = Vec::new();
        self.test_cases.clear();
        for case in cases {
            let name: Arc<str> = Arc::from(case.name);
            if let Subject::TestNode(subject) = case.subject {
                // Catalogs are not saved for expectations: after an edit of expectations, the case is recompiled.
                test_nodes.push((name.clone(), *subject, format!("{:?}", case.expect)));
            }
            let test_cases =
                TestCase { source: case.source, title: case.title, expect: case.expect, snapshot: case.snapshot };
            self.test_cases.insert(name, test_cases);
        }
        let test_cases = &self.test_cases;
        self.differing.retain(|name, _| test_cases.get(name).is_some_and(|case| case.snapshot));
        self.failing.retain(|name, _| test_cases.contains_key(name));
        self.cases.set(test_nodes);
        self.find_affected(session, &changes);
        Ok(true)
    }

    fn find_affected(&mut self, session: &Session, changes: &PendingChanges) {
        if !changes.is_empty() {
            self.cases.check(session, changes);
        }
        if !self.cases.is_done() {
            self.started.get_or_insert_with(Instant::now);
        }
    }

    fn read_cases(&self, session: &Session, root: &Path, world: &RecordingWorld) -> Result<Vec<Case>, Reason> {
        let mut sets = FactSets::built_in(session.options.agent(Some(&session.site)));
        for path in &session.site.facts {
            sets.load(path, world)?;
        }
        let files = suite::files(
            session,
            &ReadContext { root, sets: &sets, overrides: &session.options.fact_overrides, world },
        )?;
        let cases = suite::cases(session, root, &files)?;
        if cases.iter().any(|case| case.expect.has_logs()) {
            session.options.settings.log_level.include(Severity::Debug);
        }
        Ok(cases.into_iter().filter(|case| matches!(case.subject, Subject::TestNode(_))).collect())
    }

    /// Whether this is a module without a site.
    pub(crate) fn is_module_alone(&self) -> bool {
        self.is_module
    }

    /// Names of all cases.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.test_cases.keys()
    }

    /// Names of the cases that differ from their snapshots.
    pub(crate) fn differing(&self) -> impl Iterator<Item = &Arc<str>> {
        self.differing.keys()
    }

    /// Unmet expectations by case.
    pub(crate) fn failing(&self) -> impl Iterator<Item = (&Arc<str>, &Vec<String>)> {
        self.failing.iter()
    }

    /// Whether any case has expectations besides its snapshot.
    pub(crate) fn has_expectations(&self) -> bool {
        self.is_module || self.test_cases.values().any(|case| case.expect.is_declared || !case.snapshot)
    }

    /// The last successful catalog of a case of a module.
    pub(crate) fn catalog(&self, name: &str) -> Option<&Catalog> {
        self.cases.catalog(name)
    }

    /// Whether no case waits for a compile.
    pub(crate) fn is_done(&self) -> bool {
        self.cases.is_done()
    }

    /// Cases whose results have changed since the last call.
    pub(crate) fn take_round(&mut self) -> Round {
        std::mem::take(&mut self.round)
    }

    /// All paths that the cases depend on.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let mut paths = self.cases.paths();
        paths.extend(self.reads.iter().flat_map(Reads::paths).map(Path::to_path_buf));
        paths
    }

    /// Compiles some of the waiting cases, checks their expectations, and compares them with their snapshots.
    ///
    /// # Errors
    /// A snapshot cannot be read.
    pub(crate) fn step(&mut self, session: &Session, store: &Store, root: &Path) -> Result<(), Reason> {
        let mut cases = std::mem::take(&mut self.cases);
        let done = cases.compile(session, SLICE, &mut |result| self.check_result(result, session, store, root));
        self.cases = cases;
        if self.cases.is_done()
            && let Some(started) = self.started.take()
        {
            self.round.elapsed = started.elapsed();
        }
        done
    }

    fn check_result(
        &mut self,
        compiled: CaseResult<'_>,
        session: &Session,
        store: &Store,
        root: &Path,
    ) -> Result<(), Reason> {
        let CaseResult { name, result, logs, outcome, elapsed } = compiled;
        let Some(case) = self.test_cases.get(name) else { return Ok(()) };
        let old = if case.snapshot { store.accepted(name)? } else { None };
        let was_error = old.as_ref().is_some_and(Snapshot::is_error);
        let expected = was_error || case.expect.fails.is_some();
        let error = result.as_ref().err().map(|failure| text::of_error(failure, root, session.sources()));
        let error_text = error.as_deref().unwrap_or_default().trim_end();
        let mut failures = case.expect.unmet(result, error_text, logs);
        let must_compile = self.is_module || !case.snapshot;
        if failures.is_empty() && error.is_some() && !expected && must_compile {
            failures.push(format!("does not compile: {error_text}"));
        }
        if case.snapshot {
            let text = match (result, &error) {
                (Ok(catalog), _) => text::of_catalog(catalog, root, &session.site.rules)?.0,
                (Err(_), error) => error.clone().unwrap_or_default(),
            };
            if old.is_some_and(|old| old.has_same_body(&Snapshot::new("", "", &text))) {
                self.differing.remove(name);
            } else {
                let failed = result.is_err() && !expected;
                self.differing.insert(name.clone(), ProposedSnapshot { text, failed });
            }
        }
        if let Some(outcome) = outcome.filter(|outcome| !(expected && matches!(outcome, Outcome::Failed { .. }))) {
            let (certname, logs) = (name.clone(), logs.to_vec());
            self.round.updates.push(NodeUpdate { certname, outcome, logs, elapsed });
        }
        let failures_before = self.failing.get(name);
        // A case that does not compile already has an error.
        let is_reported = self.is_module && error.is_some() && !expected;
        if failures_before.map_or(&[][..], Vec::as_slice) != failures && !is_reported {
            self.round.verdicts.insert(name.clone(), failures.clone());
        }
        match failures.is_empty() {
            true => drop(self.failing.remove(name)),
            false => drop(self.failing.insert(name.clone(), failures)),
        }
        Ok(())
    }

    /// Compares the snapshots again.
    ///
    /// # Errors
    /// A snapshot cannot be read.
    pub(crate) fn compare_again(&mut self, store: &Store) -> Result<(), Reason> {
        for (name, proposal) in std::mem::take(&mut self.differing) {
            let new = Snapshot::new("", "", &proposal.text);
            if store.accepted(&name)?.is_none_or(|old| !old.has_same_body(&new)) {
                self.differing.insert(name, proposal);
            }
        }
        Ok(())
    }

    /// Writes the differing ones of these snapshots as proposals. `errors`: also those that are errors in place of catalogs or do not meet
    /// expectations.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn propose(&self, store: &Store, names: &[String], errors: bool) -> Result<(), Reason> {
        for (name, proposal) in &self.differing {
            let selected = names.iter().any(|selected| **selected == **name) && (errors || !self.is_error(name));
            if let Some(case) = self.test_cases.get(name).filter(|_| selected) {
                store.propose(name, &Snapshot::new(&case.source, &case.title, &proposal.text))?;
            }
        }
        Ok(())
    }

    /// Whether the snapshot must be reviewed: it is an error in place of a catalog, or an expectation is not met.
    pub(crate) fn is_error(&self, name: &str) -> bool {
        self.differing.get(name).is_some_and(|proposal| proposal.failed) || self.failing.contains_key(name)
    }
}
