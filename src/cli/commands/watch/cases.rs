//! Cases of test files beside the nodes of a site: which catalogs are not as their snapshots say.
//!
//! In: test files, what has other answers. Out: texts of the cases whose snapshots differ. A case is compiled again when its
//! answers change. Must not: judge expectations, write.

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::session::Cases;
use crate::session::Pending;
use crate::session::Session;
use crate::session::update::State;
use crate::snapshot::Case;
use crate::snapshot::Store;
use crate::snapshot::case::Subject;
use crate::snapshot::facts::FactSets;
use crate::snapshot::file::Snapshot;
use crate::snapshot::matrix::Around;
use crate::snapshot::suite;
use crate::snapshot::text;
use crate::world::Changed;
use crate::world::Disk;
use crate::world::Kind;
use crate::world::Reads;
use crate::world::Recorded;
use crate::world::World;

/// So many are compiled before edits are looked for again.
const SLICE: usize = 16;

/// The cases of a site's test files.
pub(super) struct Tests {
    world: Arc<Disk>,
    cases: Cases,
    /// Source and title by name, and whether an error is what is expected.
    known: BTreeMap<Arc<str>, (String, String, bool)>,
    /// What the test files were read from; nothing before they are.
    reads: Option<Reads>,
    differing: BTreeMap<Arc<str>, Text>,
}

/// What a snapshot would hold.
struct Text {
    text: String,
    /// An error where there was a catalog.
    failed: bool,
}

impl Tests {
    pub(super) fn new(world: Arc<Disk>) -> Tests {
        Tests { world, cases: Cases::default(), known: BTreeMap::new(), reads: None, differing: BTreeMap::new() }
    }

    /// Takes what changed since the last time; reads test files again if they are among it.
    ///
    /// # Errors
    /// A test file is none: there are no cases then.
    pub(super) fn follow(&mut self, session: &Session, state: &State) -> Result<(), Reason> {
        let news = state.take_news();
        let Some(root) = session.options.root.clone() else { return Ok(()) };
        let of_files = |reads: &Reads| news.all || Changed::new(&news.changes).concern(reads, true);
        if self.reads.as_ref().is_some_and(|reads| !of_files(reads)) {
            self.judge(session, &news);
            return Ok(());
        }
        let recorded = Recorded::new(self.world.clone());
        let read = self.read(session, &root, &recorded);
        self.reads = Some(recorded.take_reads());
        let cases = read.inspect_err(|_| {
            self.cases.set(Vec::new());
            self.known.clear();
            self.differing.clear();
        })?;
        self.known = cases
            .iter()
            .map(|case| {
                (Arc::from(&*case.name), (case.source.clone(), case.title.clone(), case.expect.fails.is_some()))
            })
            .collect();
        let known = &self.known;
        self.differing.retain(|name, _| known.contains_key(name));
        let given = cases.into_iter().filter_map(|case| match case.subject {
            Subject::Given(given) => Some((Arc::from(case.name), *given)),
            Subject::Node(_) => None,
        });
        self.cases.set(given.collect());
        self.judge(session, &news);
        Ok(())
    }

    fn judge(&mut self, session: &Session, news: &Pending) {
        if news.all || !news.changes.is_empty() {
            self.cases.judge(session, news);
        }
    }

    /// The cases that keep a snapshot. A module has other surroundings in its tests than here: it has none.
    fn read(&self, session: &Session, root: &Path, world: &Recorded) -> Result<Vec<Case>, Reason> {
        if world.kind(&root.join("metadata.json")) == Kind::File {
            return Ok(Vec::new());
        }
        let mut sets = FactSets::built_in();
        for path in &session.site.facts {
            sets.load(path, world)?;
        }
        let files = suite::files(session, &Around { root, sets: &sets, world })?;
        let cases = suite::cases(session, root, &files)?;
        Ok(cases.into_iter().filter(|case| case.snapshot && matches!(case.subject, Subject::Given(_))).collect())
    }

    /// Names of all cases.
    pub(super) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.known.keys()
    }

    /// Names of those that differ.
    pub(super) fn differing(&self) -> impl Iterator<Item = &Arc<str>> {
        self.differing.keys()
    }

    /// Whether all are compiled.
    pub(super) fn is_done(&self) -> bool {
        self.cases.is_done()
    }

    /// Every path that they depend on.
    pub(super) fn touched(&self) -> Vec<PathBuf> {
        let mut paths = self.cases.touched();
        paths.extend(self.reads.iter().flat_map(Reads::touched).map(Path::to_path_buf));
        paths
    }

    /// Compiles some of those that wait and compares them.
    ///
    /// # Errors
    /// A snapshot cannot be read.
    pub(super) fn step(&mut self, session: &Session, store: &Store, root: &Path) -> Result<(), Reason> {
        for (name, result) in self.cases.compile(session, SLICE) {
            self.compare(&name, &result, session, store, root)?;
        }
        Ok(())
    }

    fn compare(
        &mut self,
        name: &Arc<str>,
        result: &Result<Catalog, Box<Diagnostic>>,
        session: &Session,
        store: &Store,
        root: &Path,
    ) -> Result<(), Reason> {
        let text = match result {
            Ok(catalog) => text::of_catalog(catalog, root, &session.site.rules)?.0,
            Err(failure) => text::of_error(failure, root, session.sources()),
        };
        let expected = self.known.get(name).is_some_and(|(_, _, expected)| *expected);
        let old = store.accepted(name)?;
        let was = old.as_ref().is_some_and(|old| old.text.starts_with("error: "));
        let new = Snapshot::new("", "", &text);
        if old.is_some_and(|old| old.text == new.text) {
            self.differing.remove(name);
        } else {
            self.differing.insert(name.clone(), Text { text, failed: result.is_err() && !was && !expected });
        }
        Ok(())
    }

    /// Looks again which texts are what was accepted.
    ///
    /// # Errors
    /// A snapshot cannot be read.
    pub(super) fn decided(&mut self, store: &Store) -> Result<(), Reason> {
        for (name, text) in std::mem::take(&mut self.differing) {
            let new = Snapshot::new("", "", &text.text);
            if store.accepted(&name)?.is_none_or(|old| old.text != new.text) {
                self.differing.insert(name, text);
            }
        }
        Ok(())
    }

    /// Writes what differs of these as proposals; those that are errors in place of catalogs only where that is looked at.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn propose(&self, store: &Store, names: &[String], errors: bool) -> Result<(), Reason> {
        for (name, text) in &self.differing {
            let wanted = names.iter().any(|wanted| **wanted == **name) && (errors || !text.failed);
            if let Some((source, title, _)) = self.known.get(name).filter(|_| wanted) {
                store.propose(name, &Snapshot::new(source, title, &text.text))?;
            }
        }
        Ok(())
    }

    /// Whether its text is an error in place of a catalog, which nobody accepts unseen.
    pub(super) fn is_error(&self, name: &str) -> bool {
        self.differing.get(name).is_some_and(|text| text.failed)
    }
}
