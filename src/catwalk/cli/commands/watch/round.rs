//! What became of the nodes after an edit, ready to be shown: equal things of several nodes once.
//!
//! In: updates of a session. Out: entries of lines with the nodes they are about. Must not: draw, know keys.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::cli::Logger;
use crate::cli::commands::watch::Seen;
use catwalk_base::diag::Diagnostic;
use catwalk_formats::diff;
use catwalk_session::session::Session;
use catwalk_session::session::update::Outcome;
use catwalk_snapshot::report::some;
use catwalk_snapshot::review::Line;
use catwalk_snapshot::review::LineStyle;

/// Said of nodes that fail as before; their errors stand above, and among all errors.
pub(super) const STILL: &str = "still does not compile: the same error";

/// Names shown of those that share an entry.
const NAMES: usize = 6;

/// Something that is said of some nodes, or of none in particular.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// The nodes.
    pub(super) names: Vec<Arc<str>>,
    /// What is said in the line of their names.
    pub(super) head: String,
    /// What stands below.
    pub(super) lines: Vec<Line>,
}

impl Entry {
    /// Its lines, if it is about a node that the filter lets through; an empty filter lets all through.
    pub(super) fn shown(&self, filter: &str) -> Vec<Line> {
        let names: Vec<String> =
            self.names.iter().filter(|name| name.contains(filter)).map(|name| name.to_string()).collect();
        if names.is_empty() && !(self.names.is_empty() && filter.is_empty()) {
            return Vec::new();
        }
        let mut lines = Vec::with_capacity(self.lines.len() + 1);
        match (names.is_empty(), self.head.is_empty()) {
            (true, true) => {}
            (true, false) => lines.push((self.head.clone(), LineStyle::Bold)),
            (false, true) => lines.push((some(&names, NAMES), LineStyle::Bold)),
            (false, false) => lines.push((format!("{}: {}", some(&names, NAMES), self.head), LineStyle::Bold)),
        }
        lines.extend(self.lines.iter().cloned());
        lines
    }
}

/// A round: an edit, or the first compile of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    /// What happened.
    pub(super) entries: Vec<Entry>,
    /// Nodes that were compiled.
    pub(super) compiled: usize,
    /// From the event to here.
    pub(super) elapsed: Duration,
    /// All nodes.
    pub(super) nodes: Vec<Arc<str>>,
    /// Those that do not compile, by why.
    pub(super) failures: Vec<Entry>,
    /// Resources that are new or different, by node.
    pub(super) changed: Vec<(Arc<str>, Vec<String>)>,
}

/// A text with the colours that its lines begin with the marks of.
pub(super) fn marked(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let look = match line.trim_start().chars().next() {
            Some('+') => LineStyle::Added,
            Some('-') => LineStyle::Removed,
            Some('~') => LineStyle::Changed,
            _ => LineStyle::Plain,
        };
        (line.to_owned(), look)
    };
    text.lines().map(line).collect()
}

/// A text without marks.
pub(super) fn plain(text: &str, look: LineStyle) -> Vec<Line> {
    text.lines().map(|line| (line.to_owned(), look)).collect()
}

/// A diagnostic as text, with paths below the site.
fn told(diagnostic: &Diagnostic, session: &Session) -> String {
    short(&Logger::plain().human(diagnostic, session.sources(), None), session.home())
}

/// Those of the messages that are printed.
pub(super) fn printed<'a>(logs: &'a [Diagnostic], session: &Session) -> impl Iterator<Item = &'a Diagnostic> {
    let options = &session.options;
    logs.iter().filter(|line| options.prints(line.severity))
}

fn short(text: &str, root: Option<&Path>) -> String {
    match root.map(|root| format!("{}/", root.display())) {
        Some(root) if root.len() > 2 => text.replace(&root, ""),
        _ => text.to_owned(),
    }
}

type Grouped = IndexMap<String, Vec<Arc<str>>>;

impl Round {
    /// What is seen.
    pub(super) fn of(seen: &Seen<'_>) -> Round {
        let &Seen { updates, state, session, elapsed, edit, .. } = seen;
        let root = session.home();
        let (mut logs, mut differences) = (Grouped::new(), Grouped::new());
        // By what is told, and whether there is a catalog from before.
        let mut failed: IndexMap<(String, bool), Vec<Arc<str>>> = IndexMap::new();
        let mut still = Vec::new();
        let mut round = Round { compiled: seen.compiled(), elapsed, ..Round::default() };
        let mut heads = Vec::new();
        let mut same = 0;
        for update in updates {
            let name = &update.certname;
            for line in printed(&update.logs, session) {
                logs.entry(told(line, session)).or_default().push(name.clone());
            }
            let head = |text: String| Entry { names: vec![name.clone()], head: text, lines: Vec::new() };
            match &update.outcome {
                Outcome::First(resources) => heads.push(head(format!("{resources} resources"))),
                Outcome::Changed(diff) => {
                    let text = short(&diff::render(diff, false), root);
                    differences.entry(text).or_default().push(name.clone());
                    let items = diff.changed.iter().chain(&diff.added).map(|item| item.reference.clone());
                    round.changed.push((name.clone(), items.collect()));
                }
                Outcome::Same { recovered: true } => heads.push(head("compiles again, catalog unchanged".to_owned())),
                Outcome::Same { .. } => same += 1,
                Outcome::Failed { again: true, .. } => still.push(name.clone()),
                Outcome::Failed { why, again: false } => {
                    let kept = state.catalog(name).is_some();
                    failed.entry((told(why, session), kept)).or_default().push(name.clone());
                }
                Outcome::Removed => heads.push(head("removed".to_owned())),
            }
        }
        let indented = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let entries = &mut round.entries;
        entries.extend(logs.into_iter().map(|(text, names)| {
            let look = if text.starts_with("warning") { LineStyle::Changed } else { LineStyle::Plain };
            Entry { names, head: String::new(), lines: plain(&indented(&text), look) }
        }));
        entries.extend(failed.into_iter().map(|((text, kept), names)| Entry {
            names,
            head: format!("does not compile{}", if kept { "; the last good catalog is kept" } else { "" }),
            lines: plain(&indented(&text), LineStyle::Removed),
        }));
        if !still.is_empty() {
            entries.push(Entry { names: still, head: STILL.to_owned(), lines: Vec::new() });
        }
        entries.extend(heads);
        entries.extend(differences.into_iter().map(|(text, names)| {
            let count = |mark: &str| text.lines().filter(|line| line.starts_with(mark)).count();
            let head = format!("{} added, {} removed, {} changed", count("+ "), count("- "), count("~ "));
            Entry { names, head, lines: marked(&indented(&text)) }
        }));
        if same > 0 && edit {
            let text = format!("{same} compiled again, unchanged");
            entries.push(Entry { names: Vec::new(), head: String::new(), lines: plain(&text, LineStyle::Dim) });
        }
        round.nodes = state.nodes().map(|(name, _)| name.clone()).collect();
        let mut failures = Grouped::new();
        for (name, why) in state.nodes().filter_map(|(name, why)| Some((name, why?))) {
            failures.entry(told(why, session)).or_default().push(name.clone());
        }
        round.failures = failures
            .into_iter()
            .map(|(text, names)| Entry { names, head: String::new(), lines: plain(&indented(&text), LineStyle::Plain) })
            .collect();
        round
    }

    /// Its lines for a filter; the last one tells what it took.
    pub(super) fn lines(&self, filter: &str) -> Vec<Line> {
        let mut lines: Vec<Line> = self.entries.iter().flat_map(|entry| entry.shown(filter)).collect();
        let milliseconds = self.elapsed.as_secs_f64() * 1000.0;
        if self.compiled > 0 {
            lines.push((format!("-- {} compiled in {milliseconds:.1} ms", self.compiled), LineStyle::Dim));
        }
        lines.push((String::new(), LineStyle::Plain));
        lines
    }
}
