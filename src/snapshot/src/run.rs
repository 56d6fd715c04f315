//! A run: cases are compiled in parallel, compared with their snapshots, and checked for their expectations.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use rayon::prelude::*;

use crate::case::Case;
use crate::case::Subject;
use crate::expect::not_compiled;
use crate::file::Snapshot;
use crate::hunks;
use crate::hunks::Hunk;
use crate::store::Store;
use crate::text;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Secrets;
use catwalk_base::secrets::comparable;
use catwalk_catalog::Catalog;
use catwalk_classifier::expect::Verdict;
use catwalk_formats::diff::rules::RuleUse;
use catwalk_session::Compiled;
use catwalk_session::Session;
use catwalk_world::output::batch::Batch;

/// The treatment of snapshots in a run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Write nothing: neither proposals nor accepted snapshots.
    pub frozen: bool,
    /// Accept changes at once; an error in place of a catalog only if the case expects to fail.
    pub accept: bool,
    /// Whether the run includes all cases, so that any other snapshot belongs to none.
    pub complete: bool,
    /// How to treat snapshots that belong to no case.
    pub unreferenced: Unreferenced,
}

/// How to treat snapshots that belong to no case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unreferenced {
    /// Report them.
    #[default]
    Warn,
    /// Remove them.
    Delete,
    /// Fail the run.
    Reject,
    /// Ignore them.
    Ignore,
}

/// The state of a case compared with its snapshot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Equal to the accepted snapshot.
    Same,
    /// Different from the accepted snapshot.
    Changed(Vec<Hunk>),
    /// There is no accepted snapshot.
    New(Vec<Hunk>),
    /// The changes were accepted in this run.
    Accepted(Vec<Hunk>),
    /// The case has no snapshot.
    WithoutSnapshot,
}

/// The result of a case.
#[derive(Debug)]
pub struct CaseResult {
    /// The case.
    pub case: Case,
    /// Its state compared with its snapshot.
    pub state: State,
    /// The error of a failed compile, as [`text::of_error`].
    pub error: Option<String>,
    /// Expectations that were not met.
    pub failures: Vec<String>,
    /// Messages that were logged.
    pub logs: Vec<Diagnostic>,
    /// The failure itself.
    pub diagnostic: Option<Box<Diagnostic>>,
    /// Resources of the catalog.
    pub resources: usize,
    /// Time of the compile.
    pub elapsed: Duration,
}

impl CaseResult {
    /// Whether the case passed.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.failures.is_empty() && matches!(self.state, State::Same | State::Accepted(_) | State::WithoutSnapshot)
    }

    /// The failure of a case that has neither a snapshot nor unmet expectations.
    fn unexpected_failure(&self) -> Option<String> {
        let error = self.error.as_ref().filter(|_| matches!(self.state, State::WithoutSnapshot))?;
        self.failures.is_empty().then(|| match &self.diagnostic {
            Some(failure) => not_compiled(error, failure),
            None => format!("does not compile: {error}"),
        })
    }

    /// The changes of the snapshot.
    #[must_use]
    pub fn hunks(&self) -> &[Hunk] {
        match &self.state {
            State::Changed(hunks) | State::New(hunks) | State::Accepted(hunks) => hunks,
            State::Same | State::WithoutSnapshot => &[],
        }
    }
}

/// The result of an expectation of a classifier.
#[derive(Clone, Debug)]
pub struct ClassifiedCase {
    /// The result.
    pub verdict: Verdict,
    /// The test file, relative to the site.
    pub source: String,
    /// The line of the expectation in that file, from 1.
    pub line: u32,
}

/// The results of a run.
#[derive(Debug, Default)]
pub struct Report {
    /// Results in the order of the cases.
    pub results: Vec<CaseResult>,
    /// Expectations of classifiers.
    pub classified: Vec<ClassifiedCase>,
    /// Snapshots that belong to no case.
    pub orphans: Vec<String>,
    /// How snapshots that belong to no case were treated.
    pub unreferenced: Unreferenced,
    /// Rules of `catwalk.toml` that never applied.
    pub idle_rules: Vec<String>,
    /// Time of the whole run.
    pub elapsed: Duration,
}

impl Report {
    /// Whether the run passed.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        let rejected = self.unreferenced == Unreferenced::Reject && !self.orphans.is_empty();
        !rejected
            && self.results.iter().all(CaseResult::is_ok)
            && self.classified.iter().all(|case| case.verdict.failures.is_empty())
    }
}

/// Completes "12 of 300 …" if a run is interrupted.
const COMPARED: &str = "cases were compared with their snapshots, and those are up to date; run again for the others";

/// Runs cases. The calling thread should have a large stack.
///
/// # Errors
/// A snapshot cannot be read or written.
pub fn run(
    session: &Session,
    root: &Path,
    cases: Vec<Case>,
    store: &Store,
    settings: &Settings,
) -> Result<Report, Reason> {
    // Refused before the first file is written.
    store.check()?;
    let started = Instant::now();
    let names: Vec<Arc<str>> = cases
        .iter()
        .filter_map(|case| match &case.subject {
            Subject::Node(name) => Some(name.clone()),
            Subject::TestNode(_) => None,
        })
        .collect();
    let mut nodes = session.compile_all(&names, &|_| ()).into_iter();
    let test_nodes: Vec<catwalk_session::TestNode> = cases
        .iter()
        .filter_map(|case| match &case.subject {
            Subject::TestNode(test_node) => Some(test_node.as_ref().clone()),
            Subject::Node(_) => None,
        })
        .collect();
    let mut test_nodes = session.compile_test_nodes(&test_nodes).into_iter();
    let mut work = Vec::with_capacity(cases.len());
    for case in cases {
        let compiled = match &case.subject {
            Subject::Node(_) => nodes.next(),
            Subject::TestNode(_) => test_nodes.next(),
        };
        work.extend(compiled.map(|compiled| (case, compiled)));
    }
    let checked = check_all(session, root, work, store, settings)?;
    let mut report = Report { unreferenced: settings.unreferenced, ..Report::default() };
    let mut used = RuleUse::default();
    for (result, rule_use) in checked {
        used.add(&rule_use);
        report.results.push(result);
    }
    if settings.complete {
        report.idle_rules = session.site.rules.unused(&used);
        report.orphans = find_orphans(&report.results, store, settings)?;
    }
    report.elapsed = started.elapsed();
    Ok(report)
}

/// Checks all cases. Each snapshot is written as a whole or stays as it was; if one cannot be written, the others still are.
fn check_all(
    session: &Session,
    root: &Path,
    work: Vec<(Case, Compiled)>,
    store: &Store,
    settings: &Settings,
) -> Result<Vec<(CaseResult, RuleUse)>, Reason> {
    if !settings.frozen {
        store.sweep();
    }
    let total = work.len();
    let batch = Batch::begin(COMPARED, total);
    let check = |(case, compiled): (Case, Compiled)| {
        let checked = check_case(session, root, case, compiled, store, settings);
        if checked.is_ok() {
            batch.count();
        }
        checked
    };
    let results: Vec<Result<(CaseResult, RuleUse), Reason>> = match catwalk_session::pool() {
        Some(pool) => pool.install(|| work.into_par_iter().map(check).collect()),
        None => work.into_iter().map(check).collect(),
    };
    let is_accepted = |result: &&Result<(CaseResult, RuleUse), Reason>| {
        result.as_ref().is_ok_and(|(result, _)| matches!(result.state, State::Accepted(_)))
    };
    let accepted = results.iter().filter(is_accepted).count();
    let compared = results.iter().filter(|result| result.is_ok()).count();
    results.into_iter().collect::<Result<_, Reason>>().map_err(|reason| {
        let accepted = if settings.accept { format!("; {accepted} changed ones are accepted") } else { String::new() };
        reason.help(format!("{compared} of {total} {COMPARED}{accepted}"))
    })
}

fn check_case(
    session: &Session,
    root: &Path,
    case: Case,
    compiled: Compiled,
    store: &Store,
    settings: &Settings,
) -> Result<(CaseResult, RuleUse), Reason> {
    let mut used = RuleUse::default();
    let (mut error, mut resources) = (None, 0);
    let new = match &compiled.result {
        Ok(catalog) => {
            resources = catalog.len();
            let (text, rule_use) = text::of_catalog(catalog, root, &session.site.rules)?;
            used = rule_use;
            text
        }
        Err(failure) => {
            let text = text::of_error(failure, root, session.sources());
            error = Some(text.trim_end().to_owned());
            text
        }
    };
    let message = error.as_deref().unwrap_or_default();
    let secrets = match &compiled.result {
        Ok(catalog) => catalog.secrets.clone(),
        Err(failure) => failure.secrets.clone().unwrap_or_default(),
    };
    let failures = case.expect.unmet(&compiled.result, message, &compiled.logs);
    let failures: Vec<String> = failures.iter().map(|text| secrets.redact(text).into_owned()).collect();
    let expected = case.expect.fails.is_some();
    // A case whose expectations are not met is not accepted.
    let settings = &Settings { accept: settings.accept && failures.is_empty(), ..settings.clone() };
    let state = if case.snapshot {
        let compiled_case =
            CompiledCase { text: &new, catalog: compiled.result.as_ref().ok(), root, secrets: &secrets };
        compare_snapshot(&case, &compiled_case, store, settings)?
    } else {
        State::WithoutSnapshot
    };
    let mut result = CaseResult {
        case,
        state,
        error,
        failures,
        logs: compiled.logs,
        diagnostic: compiled.result.err(),
        resources,
        elapsed: compiled.elapsed,
    };
    if !expected && let Some(failure) = result.unexpected_failure() {
        result.failures.push(secrets.redact(&failure).into_owned());
    }
    Ok((result, used))
}

/// The result of a case, for its snapshot.
struct CompiledCase<'a> {
    text: &'a str,
    /// `None` if it failed.
    catalog: Option<&'a Catalog>,
    root: &'a Path,
    secrets: &'a Secrets,
}

impl CompiledCase<'_> {
    /// Where the resources of a change are declared, below the site.
    fn locations(&self, hunks: &[Hunk]) -> BTreeMap<String, String> {
        let changed: BTreeSet<&str> = hunks.iter().map(|hunk| hunk.reference.as_str()).collect();
        let resources = self.catalog.into_iter().flat_map(|catalog| &catalog.resources);
        let located = resources.filter_map(|resource| {
            let reference = resource.reference();
            let (file, line) = (Path::new(resource.file.as_deref()?), resource.line?);
            changed.contains(reference.as_str()).then(|| {
                let file = file.strip_prefix(self.root).unwrap_or(file).display();
                (reference, format!("{file}:{line}"))
            })
        });
        located.collect()
    }
}

fn compare_snapshot(
    case: &Case,
    compiled: &CompiledCase<'_>,
    store: &Store,
    settings: &Settings,
) -> Result<State, Reason> {
    let CompiledCase { text: new, secrets, .. } = *compiled;
    let failed = compiled.catalog.is_none();
    let old = store.accepted(&case.name)?;
    let snapshot = Snapshot::new(&case.source, &case.title, new);
    let (before, after) = comparable(old.as_ref().map_or("", |old| &old.text), &snapshot.text);
    if old.is_some() && before == after {
        if !settings.frozen {
            store.settle(&case.name)?;
        }
        return Ok(State::Same);
    }
    // A value that is secret now may be in clear in the accepted snapshot.
    let hunks = hunks::hunks(old.is_some().then_some(&*before), &after);
    let locations = compiled.locations(&hunks);
    let hunks: Vec<Hunk> = hunks.into_iter().map(|hunk| hunk.located(&locations).redacted(secrets)).collect();
    let is_expected = case.expect.fails.is_some() || old.as_ref().is_some_and(Snapshot::is_error);
    if settings.accept && !settings.frozen && (!failed || is_expected) {
        store.accept(&case.name, snapshot)?;
        store.settle(&case.name)?;
        return Ok(State::Accepted(hunks));
    }
    if !settings.frozen {
        // References with secrets would be in clear in the header.
        let shown_locations =
            locations.into_iter().filter(|(reference, _)| secrets.replace(reference).is_none()).collect();
        store.propose(&case.name, &snapshot.with_locations(&shown_locations))?;
    }
    Ok(if old.is_some() { State::Changed(hunks) } else { State::New(hunks) })
}

fn find_orphans(results: &[CaseResult], store: &Store, settings: &Settings) -> Result<Vec<String>, Reason> {
    if settings.unreferenced == Unreferenced::Ignore {
        return Ok(Vec::new());
    }
    let case_names: BTreeSet<&str> =
        results.iter().filter(|result| result.case.snapshot).map(|result| result.case.name.as_str()).collect();
    let mut orphans = Vec::new();
    for entry in store.own_entries()?.into_iter().filter(|entry| !case_names.contains(entry.name.as_str())) {
        if settings.unreferenced == Unreferenced::Delete && !settings.frozen {
            store.delete(&entry.name)?;
        }
        orphans.push(entry.name);
    }
    Ok(orphans)
}
