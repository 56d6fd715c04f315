//! The output of `watch` without a full screen: lines for people, or events as JSON.
//!
//! In: updates of nodes. Out: calls of a [`LineWriter`]. Must not: decide what is compiled, print.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::json;

use crate::cases::Round as CaseRound;
use crate::messages::News;
use crate::messages::ShownWarnings;
use crate::messages::count_repeated;
use crate::messages::printed;
use crate::output::ExecResult;
use crate::output::Idle;
use crate::output::REPAIRED;
use crate::output::RoundResult;
use crate::output::WatchOutput;
use crate::round::FAILING_AS_BEFORE;
use crate::round::STILL_FAILING;
use crate::round::first_compiles;
use crate::snapshot_comparison::SnapshotComparison;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::names::abbreviate;
use catwalk_base::source::SourceMap;
use catwalk_formats::diff;
use catwalk_formats::diff::Diff;
use catwalk_formats::diff::Edge;
use catwalk_formats::diff::ResourceDiff;
use catwalk_session::Session;
use catwalk_session::update::Outcome;
use catwalk_session::update::State;
use catwalk_world::Disk;

/// The maximum number of node names of one message.
const NAMES: usize = 8;

/// Where lines and messages are written.
pub trait LineWriter {
    /// Writes text for people: characters that change the terminal are made visible.
    fn write(&mut self, text: &str);
    /// Writes text verbatim.
    fn write_raw(&mut self, text: &str);
    /// Writes a message of nodes.
    fn write_group(&mut self, group: &Group<'_>, sources: &SourceMap);
    /// Writes a message about the site or about the watcher.
    fn write_diagnostic(&mut self, diagnostic: &Diagnostic);
    /// Writes a line besides the results.
    fn note(&mut self, text: &str);
    /// Whether text has colours.
    fn has_color(&self) -> bool;
}

/// Lines, or events.
pub struct Lines {
    writer: Box<dyn LineWriter>,
    /// Whether to write events.
    json: bool,
    /// The cases of test files.
    pending: SnapshotComparison,
    /// The results of the cases in the last round.
    case_round: CaseRound,
    /// The warnings that were shown.
    shown_warnings: ShownWarnings,
}

impl WatchOutput for Lines {
    fn begin(&mut self, _: usize) {}

    fn round(&mut self, result: &RoundResult<'_>) {
        self.write_round(result);
        let &RoundResult { session, state, elapsed, .. } = result;
        let case_round = self.check(session, state);
        let tests = self.pending.tests();
        let failing = tests.failing().count();
        let module_cases = tests.is_module_alone().then(|| tests.names().count());
        let case_results = RoundResult { updates: &case_round.updates, elapsed: case_round.elapsed, ..*result };
        let verdicts: String =
            case_round.verdicts.iter().map(if self.json { verdict_event } else { verdict }).collect();
        self.writer.write(&verdicts);
        self.write_round(&case_results);
        let listed = if module_cases.is_some() { &case_results } else { result };
        let is_news = !listed.updates.is_empty() || !case_round.verdicts.is_empty();
        let end = match (self.json, module_cases) {
            (true, _) if listed.updates.is_empty() => String::new(),
            (true, Some(cases)) => done_event(listed, cases, failing),
            (true, None) => {
                done_event(result, state.nodes().count(), state.nodes().filter(|(_, why)| why.is_some()).count())
            }
            (false, _) if is_news => round_end(
                &RoundResult { elapsed: if module_cases.is_some() { case_round.elapsed } else { elapsed }, ..*listed },
                failing,
            ),
            (false, _) => String::new(),
        };
        self.writer.write(&end);
        if module_cases == Some(0) && !result.edit {
            let help =
                "write cases to tests/*.yaml, such as tests/default.yaml with `class: NAME` and `fact_sets: metadata`";
            self.report(Reason::new(Code::NO_CASES, "the module has no cases yet").help(help), false);
        }
        self.case_round = case_round;
    }

    fn report(&mut self, reason: Reason, broken: bool) {
        if self.json {
            let severity = if broken { "error" } else { "warning" };
            let mut event = json!({"event": "message", "severity": severity, "code": reason.code.as_str(), "message": reason.message});
            if let (Some(help), Some(event)) = (&reason.help, event.as_object_mut()) {
                event.insert("help".to_owned(), help.as_ref().into());
            }
            return self.writer.write_raw(&format!("{event}\n"));
        }
        let severity = if broken { Severity::Error } else { Severity::Warning };
        self.writer.write_diagnostic(&Diagnostic::new(reason, None).severity(severity));
    }

    fn report_repair(&mut self) {
        match self.json {
            true => self
                .writer
                .write_raw(&format!("{}\n", json!({"event": "message", "severity": "notice", "message": REPAIRED}))),
            false => self.writer.write(&format!("-- {REPAIRED}; watching\n")),
        }
    }

    fn show_command(&mut self, result: &ExecResult) {
        if self.json {
            let mut event =
                json!({"event": "exec", "status": result.status, "stdout": result.output, "stderr": result.errors});
            if let (Some(error), Some(event)) = (&result.start_error, event.as_object_mut()) {
                event.insert("error".to_owned(), error.as_str().into());
            }
            return self.writer.write_raw(&format!("{event}\n"));
        }
        // The command is the user's: its output is printed verbatim.
        self.writer.write_raw(&result.output);
        let note = result.note();
        if !note.is_empty() {
            self.writer.note(&note);
        }
    }

    fn idle(&mut self, _: &Session, _: &State) -> Idle {
        Idle::Done
    }

    fn take_case_round(&mut self) -> CaseRound {
        std::mem::take(&mut self.case_round)
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.pending.paths()
    }
}

/// The message about a checked case.
fn verdict((name, failures): (&Arc<str>, &Vec<String>)) -> String {
    if failures.is_empty() {
        return format!("{name}: as expected again\n");
    }
    let lines: String = failures.iter().map(|failure| indent(failure)).collect();
    format!("FAIL {name}\n{lines}")
}

fn verdict_event((name, failures): (&Arc<str>, &Vec<String>)) -> String {
    format!("{}\n", json!({"event": "case", "case": &**name, "failures": failures}))
}

impl Lines {
    /// Lines, or with `json` events.
    #[must_use]
    pub fn new(writer: Box<dyn LineWriter>, json: bool, world: Arc<Disk>, session: &Session) -> Lines {
        let pending = SnapshotComparison::for_expectations(world, session);
        let (case_round, shown_warnings) = (CaseRound::default(), ShownWarnings::default());
        Lines { writer, json, pending, case_round, shown_warnings }
    }

    /// Compiles the cases of test files whose reads have changed, and checks their expectations.
    fn check(&mut self, session: &Session, state: &State) -> CaseRound {
        loop {
            if let Err(reason) = self.pending.follow(session, state) {
                self.report(reason, true);
            }
            if self.pending.is_done() {
                return self.pending.tests().take_round();
            }
        }
    }

    /// Writes the messages of a round, then the results of its nodes.
    fn write_round(&mut self, result: &RoundResult<'_>) {
        let News { groups, repeated, returned } = self.shown_warnings.news(result);
        let sources = result.session.sources();
        if self.json {
            let events: String = groups.iter().map(|group| message_event(group, sources)).collect();
            return self.writer.write_raw(&format!("{}{events}", node_events(result)));
        }
        groups.iter().for_each(|group| self.writer.write_group(group, sources));
        if repeated > 0 {
            self.writer.note(&count_repeated(repeated));
        }
        let text = render_outcomes(result, &returned, self.writer.has_color());
        self.writer.write(&text);
    }
}

fn render_outcomes(result: &RoundResult<'_>, returned: &HashSet<Arc<str>>, color: bool) -> String {
    let &RoundResult { updates, session, edit, .. } = result;
    let (mut text, mut unchanged) = (String::new(), 0);
    let mut first: Vec<(&str, usize)> = Vec::new();
    // An edit often has the same effect on many nodes: equal results are shown once.
    let mut differences: IndexMap<String, Vec<&str>> = IndexMap::new();
    let mut outcomes: IndexMap<&str, Vec<&str>> = IndexMap::new();
    let root = session.home().map(|root| format!("({}/", root.display()));
    for update in updates {
        let name = &update.certname;
        match &update.outcome {
            Outcome::First(resources) => first.push((name, *resources)),
            Outcome::Changed(diff) => {
                let (plus, minus, tilde) = (diff.added.len(), diff.removed.len(), diff.changed.len());
                let mut difference = indent(&diff::render(diff, color));
                if let Some(root) = &root {
                    difference = difference.replace(root.as_str(), "(");
                }
                let difference = format!("{plus} added, {minus} removed, {tilde} changed\n{difference}");
                differences.entry(difference).or_default().push(name);
            }
            Outcome::Same { recovered: true } => {
                outcomes.entry("compiles again, catalog unchanged").or_default().push(name)
            }
            Outcome::Same { .. } => unchanged += 1,
            Outcome::Failed { is_repeated: true, .. } => outcomes.entry(STILL_FAILING).or_default().push(name),
            Outcome::Failed { .. } if returned.contains(name) => {
                outcomes.entry(FAILING_AS_BEFORE).or_default().push(name)
            }
            Outcome::Failed { is_repeated: false, .. } => {
                let is_kept = result.state.catalog(name).is_some();
                let text = if is_kept { "does not compile; its last good catalog is kept" } else { "does not compile" };
                outcomes.entry(text).or_default().push(name);
            }
            Outcome::Removed => outcomes.entry("removed").or_default().push(name),
        }
    }
    for (names, outcome) in first_compiles(&first) {
        text.push_str(&format!("{}: {outcome}\n", abbreviate(&names, NAMES)));
    }
    for (outcome, names) in &outcomes {
        text.push_str(&format!("{}: {outcome}\n", abbreviate(names, NAMES)));
    }
    for (difference, names) in &differences {
        text.push_str(&format!("{}: {difference}", abbreviate(names, NAMES)));
    }
    if unchanged > 0 && edit {
        text.push_str(&format!("{unchanged} compiled again, unchanged\n"));
    }
    text
}

/// The line at the end of a round.
fn round_end(result: &RoundResult<'_>, unmet: usize) -> String {
    let mut parts = Vec::new();
    if !result.updates.is_empty() {
        let milliseconds = result.elapsed.as_secs_f64() * 1000.0;
        parts.push(format!("{} compiled in {milliseconds:.1} ms", result.compiled()));
    }
    match result.state.nodes().filter(|(_, failure)| failure.is_some()).count() {
        0 => {}
        1 => parts.push("1 node does not compile".to_owned()),
        count => parts.push(format!("{count} nodes do not compile")),
    }
    match unmet {
        0 if parts.is_empty() => parts.push("all cases are as expected".to_owned()),
        0 => {}
        1 => parts.push("1 case is not as expected".to_owned()),
        more => parts.push(format!("{more} cases are not as expected")),
    }
    format!("-- {}; watching\n", parts.join("; "))
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// The event of a message.
fn message_event(group: &Group<'_>, sources: &SourceMap) -> String {
    let Value::Object(members) = catwalk_messages::json(group, sources) else { return String::new() };
    let mut event = serde_json::Map::new();
    event.insert("event".to_owned(), "message".into());
    event.extend(members.into_iter().map(|(name, value)| match name.as_str() {
        // The severity of other messages is `error`, too.
        "level" if value == "err" => ("severity".to_owned(), "error".into()),
        "level" => ("severity".to_owned(), value),
        _ => (name, value),
    }));
    format!("{}\n", Value::Object(event))
}

/// An event for each node.
fn node_events(result: &RoundResult<'_>) -> String {
    let &RoundResult { updates, session, .. } = result;
    let root = session.home().map(|root| format!("{}/", root.display())).unwrap_or_default();
    let mut text = String::new();
    for update in updates {
        let mut event = json!({"event": "node", "certname": &*update.certname});
        let details = match &update.outcome {
            Outcome::First(resources) => json!({"outcome": "first", "resources": resources}),
            Outcome::Changed(diff) => json!({"outcome": "changed", "diff": diff_to_json(diff, &root)}),
            Outcome::Same { recovered } => json!({"outcome": "same", "recovered": recovered}),
            Outcome::Failed { error, is_repeated } => {
                json!({"outcome": "failed", "again": is_repeated, "error": error.puppet_text(session.sources())})
            }
            Outcome::Removed => json!({"outcome": "removed"}),
        };
        let logs: Vec<String> = printed(&update.logs, session).map(|log| log.puppet_text(session.sources())).collect();
        if let (Value::Object(event), Value::Object(details)) = (&mut event, details) {
            event.extend(details);
            if !logs.is_empty() {
                event.insert("logs".to_owned(), Value::from(logs));
            }
        }
        text.push_str(&format!("{event}\n"));
    }
    text
}

/// The event at the end of a round.
fn done_event(result: &RoundResult<'_>, nodes: usize, failing: usize) -> String {
    let milliseconds = result.elapsed.as_secs_f64() * 1000.0;
    let done = json!({"event": "done", "compiled": result.compiled(), "milliseconds": milliseconds, "nodes": nodes,
        "failing": failing});
    format!("{done}\n")
}

/// A diff as JSON; positions are relative to the site.
fn diff_to_json(diff: &Diff, root: &str) -> Value {
    let items = |items: &[ResourceDiff]| -> Value {
        let item = |item: &ResourceDiff| {
            let changes =
                item.changes.iter().map(|change| (change.name.clone(), json!({"old": change.old, "new": change.new})));
            let location = item.location.as_ref().map(|location| location.strip_prefix(root).unwrap_or(location));
            json!({"resource": item.reference, "place": location,
                "parameters": Value::Object(changes.collect())})
        };
        items.iter().map(item).collect()
    };
    let edges = |edges: &[Edge]| -> Value {
        let shorten = |location| str::strip_prefix(location, root).unwrap_or(location);
        edges.iter().map(|edge| edge.to_json(shorten)).collect()
    };
    json!({"added": items(&diff.added), "removed": items(&diff.removed), "changed": items(&diff.changed),
        "edges_added": edges(&diff.edges_added), "edges_removed": edges(&diff.edges_removed)})
}
