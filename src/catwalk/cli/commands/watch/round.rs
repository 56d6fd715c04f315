//! The results of the nodes after an edit, with equal results of several nodes once.
//!
//! In: updates of a session. Out: entries of lines with their nodes. Must not: draw, know keys.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::cli::Logger;
use crate::cli::commands::watch::RoundResult;
use crate::cli::commands::watch::messages::News;
use crate::cli::commands::watch::messages::ShownWarnings;
use crate::cli::commands::watch::messages::as_before;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::group;
use catwalk_formats::diff;
use catwalk_session::session::Session;
use catwalk_session::session::update::Outcome;
use catwalk_snapshot::report::abbreviate;
use catwalk_snapshot::review::Line;
use catwalk_snapshot::review::LineStyle;

/// The message for nodes that fail as before; their errors are printed above, and in the list of errors.
pub(super) const STILL: &str = "still does not compile: the same error";

/// The maximum number of names in an entry.
const NAMES: usize = 6;

/// A message about nodes, or without a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    /// The nodes.
    pub(super) names: Vec<Arc<str>>,
    /// The message in the line of their names.
    pub(super) head: String,
    /// The lines below.
    pub(super) lines: Vec<Line>,
    /// Whether this is an error or a warning: long lines are wrapped, not truncated.
    pub(super) is_message: bool,
}

impl Entry {
    /// The lines at this width, if the filter matches one of the nodes; an empty filter matches all.
    pub(super) fn lines_for(&self, filter: &str, width: usize) -> Vec<Line> {
        let names: Vec<String> =
            self.names.iter().filter(|name| name.contains(filter)).map(|name| name.to_string()).collect();
        if names.is_empty() && !(self.names.is_empty() && filter.is_empty()) {
            return Vec::new();
        }
        let mut lines = Vec::with_capacity(self.lines.len() + 1);
        match (names.is_empty(), self.head.is_empty()) {
            (true, true) => {}
            (true, false) => lines.push((self.head.clone(), LineStyle::Bold)),
            (false, true) => lines.push((abbreviate(&names, NAMES), LineStyle::Bold)),
            (false, false) => lines.push((format!("{}: {}", abbreviate(&names, NAMES), self.head), LineStyle::Bold)),
        }
        lines.extend(self.lines.iter().cloned());
        if self.is_message { wrapped(lines, width) } else { lines }
    }
}

/// Wraps lines at this width; continuation lines are indented by two columns.
pub(super) fn wrapped(lines: Vec<Line>, width: usize) -> Vec<Line> {
    let one = |(text, look): Line| {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let further = " ".repeat((indent + 2).min(width / 2));
        let options = textwrap::Options::new(width.max(1)).subsequent_indent(&further).break_words(true);
        let is_long = text.chars().count() > width;
        match is_long {
            true => textwrap::wrap(&text, options).into_iter().map(|text| (text.into_owned(), look)).collect(),
            false => vec![(text, look)],
        }
    };
    lines.into_iter().flat_map(one).collect()
}

/// A round: an edit, or the first compile of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    /// What happened.
    pub(super) entries: Vec<Entry>,
    /// Nodes that were compiled.
    pub(super) compiled: usize,
    /// The time since the event.
    pub(super) elapsed: Duration,
    /// All nodes.
    pub(super) nodes: Vec<Arc<str>>,
    /// The nodes that do not compile, by error.
    pub(super) failures: Vec<Entry>,
    /// New or changed resources by node.
    pub(super) changed: Vec<(Arc<str>, Vec<String>)>,
}

/// The lines of a string, coloured by the marks at their beginnings.
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

/// The lines of a string without marks.
pub(super) fn plain(text: &str, look: LineStyle) -> Vec<Line> {
    text.lines().map(|line| (line.to_owned(), look)).collect()
}

/// A diagnostic as a string, with paths relative to the site.
fn message(diagnostic: &Diagnostic, session: &Session) -> String {
    short(&Logger::plain().message(diagnostic, session.sources()), session.home())
}

fn short(text: &str, root: Option<&Path>) -> String {
    match root.map(|root| format!("{}/", root.display())) {
        Some(root) if root.len() > 2 => text.replace(&root, ""),
        _ => text.to_owned(),
    }
}

type NodesByMessage = IndexMap<String, Vec<Arc<str>>>;

impl Round {
    /// The round to show, with only new warnings.
    pub(super) fn of(seen: &RoundResult<'_>, shown: &mut ShownWarnings) -> Round {
        let &RoundResult { updates, state, session, elapsed, edit, .. } = seen;
        let root = session.home();
        let mut differences = NodesByMessage::new();
        let mut outcomes: IndexMap<&str, Vec<Arc<str>>> = IndexMap::new();
        let News { groups, known } = shown.news(seen);
        let mut round = Round { compiled: seen.compiled(), elapsed, ..Round::default() };
        let mut heads = Vec::new();
        let mut same = 0;
        for update in updates {
            let name = &update.certname;
            let head = |text: String| Entry { names: vec![name.clone()], head: text, ..Entry::default() };
            match &update.outcome {
                Outcome::First(resources) => heads.push(head(format!("{resources} resources"))),
                Outcome::Changed(diff) => {
                    let text = short(&diff::render(diff, false), root);
                    differences.entry(text).or_default().push(name.clone());
                    let items = diff.changed.iter().chain(&diff.added).map(|item| item.reference.clone());
                    round.changed.push((name.clone(), items.collect()));
                }
                Outcome::Same { recovered: true } => {
                    outcomes.entry("compiles again, catalog unchanged").or_default().push(name.clone());
                }
                Outcome::Same { .. } => same += 1,
                Outcome::Failed { is_repeated: true, .. } => outcomes.entry(STILL).or_default().push(name.clone()),
                // The error is one of the messages.
                Outcome::Failed { is_repeated: false, .. } => {}
                Outcome::Removed => outcomes.entry("removed").or_default().push(name.clone()),
            }
        }
        let indented = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let entries = &mut round.entries;
        entries.extend(groups.iter().map(|group| {
            let text = message(group.diagnostic, session);
            let names: Vec<Arc<str>> = group.nodes.iter().map(|name| Arc::from(*name)).collect();
            let is_failure = names.first().and_then(|name| state.failure(name)) == Some(group.diagnostic);
            let is_kept = is_failure && names.iter().any(|name| state.catalog(name).is_some());
            let (head, look) = match group.diagnostic.severity {
                _ if is_kept => ("does not compile; the last good catalog is kept", LineStyle::Removed),
                _ if is_failure => ("does not compile", LineStyle::Removed),
                Severity::Warning => ("", LineStyle::Changed),
                _ => ("", LineStyle::Plain),
            };
            Entry { names, head: head.to_owned(), lines: plain(&indented(&text), look), is_message: true }
        }));
        if known > 0 {
            entries.push(Entry { lines: plain(&as_before(known), LineStyle::Dim), ..Entry::default() });
        }
        entries.extend(outcomes.into_iter().map(|(head, names)| Entry {
            names,
            head: head.to_owned(),
            ..Entry::default()
        }));
        entries.extend(heads);
        entries.extend(differences.into_iter().map(|(text, names)| {
            let count = |mark: &str| text.lines().filter(|line| line.starts_with(mark)).count();
            let head = format!("{} added, {} removed, {} changed", count("+ "), count("- "), count("~ "));
            Entry { names, head, lines: marked(&indented(&text)), ..Entry::default() }
        }));
        if same > 0 && edit {
            let text = format!("{same} compiled again, unchanged");
            entries.push(Entry { lines: plain(&text, LineStyle::Dim), ..Entry::default() });
        }
        round.nodes = state.nodes().map(|(name, _)| name.clone()).collect();
        let failing = state.nodes().filter_map(|(name, why)| Some((why?, &**name)));
        let failures = group(failing, session.sources());
        round.failures = failures
            .into_iter()
            .map(|group| Entry {
                names: group.nodes.iter().map(|name| Arc::from(*name)).collect(),
                head: String::new(),
                lines: plain(&indented(&message(group.diagnostic, session)), LineStyle::Plain),
                is_message: true,
            })
            .collect();
        round
    }

    /// The lines for a filter at this width; the last one contains the time of the round.
    pub(super) fn lines(&self, filter: &str, width: usize) -> Vec<Line> {
        let mut lines: Vec<Line> = self.entries.iter().flat_map(|entry| entry.lines_for(filter, width)).collect();
        let milliseconds = self.elapsed.as_secs_f64() * 1000.0;
        if self.compiled > 0 {
            lines.push((format!("-- {} compiled in {milliseconds:.1} ms", self.compiled), LineStyle::Dim));
        }
        lines.push((String::new(), LineStyle::Plain));
        lines
    }
}
