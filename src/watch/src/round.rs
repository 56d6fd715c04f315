//! The results of the nodes after an edit, with equal results of several nodes once.
//!
//! In: updates of a session. Out: entries of lines with their nodes. Must not: draw, know keys.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::messages::News;
use crate::messages::ShownWarnings;
use crate::messages::count_repeated;
use crate::output::RoundResult;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::diag::group::group;
use catwalk_base::source::SourceMap;
use catwalk_formats::diff;
use catwalk_session::Session;
use catwalk_session::update::NodeUpdate;
use catwalk_session::update::Outcome;
use catwalk_session::update::State;
use catwalk_snapshot::report::abbreviate;
use catwalk_snapshot::review::Line;
use catwalk_snapshot::review::LineStyle;

/// The message for nodes that fail as before; their errors are printed above, and in the list of errors.
pub(crate) const STILL_FAILING: &str = "still does not compile: the same error";

/// The message for nodes that have an earlier error again after a different one. The error itself is printed above, and is in the list of
/// errors.
pub(crate) const FAILING_AS_BEFORE: &str = "does not compile: the earlier error again";

/// The most nodes whose first compiles are listed one by one.
const MANY: usize = 8;

/// The maximum number of names in an entry.
const NAMES: usize = 6;

/// A message about nodes, or without a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// The nodes.
    pub(crate) names: Vec<Arc<str>>,
    /// The message in the line of their names.
    pub(crate) head: String,
    /// The lines below.
    pub(crate) lines: Vec<Line>,
    /// Whether this is an error or a warning: long lines are wrapped, not truncated.
    pub(crate) is_message: bool,
}

impl Entry {
    /// The lines at this width, if the filter matches one of the nodes; an empty filter matches all.
    pub(crate) fn lines_for(&self, filter: &str, width: usize) -> Vec<Line> {
        let names: Vec<String> =
            self.names.iter().filter(|name| name.contains(filter)).map(|name| name.to_string()).collect();
        if names.is_empty() && !(self.names.is_empty() && filter.is_empty()) {
            return Vec::new();
        }
        let mut lines = Vec::with_capacity(self.lines.len() + 1);
        match (names.is_empty(), self.head.is_empty()) {
            (true, true) => {}
            (true, false) => lines.push((self.head.clone(), LineStyle::Bold)),
            (false, true) => lines.push((fit(&names, "", width), LineStyle::Bold)),
            (false, false) => lines.push((fit(&names, &format!(": {}", self.head), width), LineStyle::Bold)),
        }
        lines.extend(self.lines.iter().cloned());
        if self.is_message { wrapped(lines, width) } else { lines }
    }
}

/// The names followed by the end of the line: as many names as leave room for the end.
fn fit(names: &[String], end: &str, width: usize) -> String {
    let line = |count: usize| format!("{}{end}", abbreviate(names, count));
    let fits = |line: &String| line.chars().count() <= width;
    let fitting = (2..=NAMES).rev().map(line).find(fits).unwrap_or_else(|| line(1));
    match (fits(&fitting), names) {
        (false, [_, _, ..]) => format!("{} nodes{end}", names.len()),
        _ => fitting,
    }
}

/// The nodes that were compiled for the first time, each with its number of resources; many nodes on one line.
pub(crate) fn first_compiles<'n, N: AsRef<str> + 'n>(first: &'n [(N, usize)]) -> Vec<(Vec<&'n str>, String)> {
    let (least, most) = (first.iter().map(|(_, count)| *count).min(), first.iter().map(|(_, count)| *count).max());
    match (first.len() > MANY, least, most) {
        (true, Some(least), Some(most)) => {
            let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
            vec![(first.iter().map(|(name, _)| name.as_ref()).collect(), format!("{range} resources"))]
        }
        _ => first.iter().map(|(name, count)| (vec![name.as_ref()], format!("{count} resources"))).collect(),
    }
}

/// Wraps lines at this width; continuation lines are indented by two columns.
pub(crate) fn wrapped(lines: Vec<Line>, width: usize) -> Vec<Line> {
    let wrap = |(text, style): Line| {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let further = " ".repeat((indent + 2).min(width / 2));
        let options = textwrap::Options::new(width.max(1)).subsequent_indent(&further).break_words(true);
        let is_long = text.chars().count() > width;
        match is_long {
            true => textwrap::wrap(&text, options).into_iter().map(|text| (text.into_owned(), style)).collect(),
            false => vec![(text, style)],
        }
    };
    lines.into_iter().flat_map(wrap).collect()
}

/// A round: an edit, or the first compile of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    /// The outcomes and messages.
    pub(crate) entries: Vec<Entry>,
    /// Nodes that were compiled.
    pub(crate) compiled: usize,
    /// The time since the event.
    pub(crate) elapsed: Duration,
    /// All nodes.
    pub(crate) nodes: Vec<Arc<str>>,
    /// The nodes that do not compile, by error.
    pub(crate) failures: Vec<Entry>,
    /// New or changed resources by node.
    pub(crate) changed: Vec<(Arc<str>, Vec<String>)>,
}

/// The lines of a string, coloured by the marks at their beginnings.
pub(crate) fn marked(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let style = match line.trim_start().chars().next() {
            Some('+') => LineStyle::Added,
            Some('-') => LineStyle::Removed,
            Some('~') => LineStyle::Changed,
            _ => LineStyle::Plain,
        };
        (line.to_owned(), style)
    };
    text.lines().map(line).collect()
}

/// The lines of a string without marks.
pub(crate) fn plain(text: &str, style: LineStyle) -> Vec<Line> {
    text.lines().map(|line| (line.to_owned(), style)).collect()
}

/// A diagnostic as text without colours.
pub(crate) fn text_of(diagnostic: &Diagnostic, sources: &SourceMap) -> String {
    catwalk_messages::human(&Group { diagnostic, nodes: Vec::new() }, sources, false)
}

/// A diagnostic as a string, with paths relative to the site.
fn message(diagnostic: &Diagnostic, session: &Session) -> String {
    with_relative_paths(&text_of(diagnostic, session.sources()), session.home())
}

/// Makes the paths of the site in a text relative.
fn with_relative_paths(text: &str, root: Option<&Path>) -> String {
    match root.map(|root| format!("{}/", root.display())) {
        Some(root) if root.len() > 2 => text.replace(&root, ""),
        _ => text.to_owned(),
    }
}

type NodesByMessage<M> = IndexMap<M, Vec<Arc<str>>>;

/// The outcomes of a round's updates, with equal ones of several nodes together.
#[derive(Default)]
struct Outcomes {
    /// Nodes that were compiled for the first time, with their numbers of resources.
    first: Vec<(Arc<str>, usize)>,
    /// Nodes whose catalogs have changed, by their differences.
    differences: NodesByMessage<String>,
    /// New or changed resources by node.
    changed: Vec<(Arc<str>, Vec<String>)>,
    /// Other nodes, by a message about their outcome.
    messages: NodesByMessage<&'static str>,
    /// The number of nodes that were compiled again, with the same result.
    unchanged: usize,
}

impl Outcomes {
    /// `returned`: nodes whose earlier error is back.
    fn new(updates: &[NodeUpdate], returned: &HashSet<Arc<str>>, root: Option<&Path>) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for update in updates {
            let name = || update.certname.clone();
            match &update.outcome {
                Outcome::First(resources) => outcomes.first.push((name(), *resources)),
                Outcome::Changed(diff) => {
                    let text = with_relative_paths(&diff::render(diff, false), root);
                    outcomes.differences.entry(text).or_default().push(name());
                    let items = diff.changed.iter().chain(&diff.added).map(|item| item.reference.clone());
                    outcomes.changed.push((name(), items.collect()));
                }
                Outcome::Same { recovered: true } => {
                    outcomes.messages.entry("compiles again, catalog unchanged").or_default().push(name());
                }
                Outcome::Same { .. } => outcomes.unchanged += 1,
                Outcome::Failed { is_repeated: true, .. } => {
                    outcomes.messages.entry(STILL_FAILING).or_default().push(name())
                }
                Outcome::Failed { .. } if returned.contains(&update.certname) => {
                    outcomes.messages.entry(FAILING_AS_BEFORE).or_default().push(name());
                }
                // The error is one of the messages.
                Outcome::Failed { is_repeated: false, .. } => {}
                Outcome::Removed => outcomes.messages.entry("removed").or_default().push(name()),
            }
        }
        outcomes
    }
}

/// The entry of a message of a compile.
fn message_entry(group: &Group<'_>, state: &State, session: &Session) -> Entry {
    let text = message(group.diagnostic, session);
    let names: Vec<Arc<str>> = group.nodes.iter().map(|name| Arc::from(*name)).collect();
    let is_failure = names.first().and_then(|name| state.failure(name)) == Some(group.diagnostic);
    let is_kept = is_failure && names.iter().any(|name| state.catalog(name).is_some());
    let (head, style) = match group.diagnostic.severity {
        _ if is_kept => ("does not compile; the last good catalog is kept", LineStyle::Removed),
        _ if is_failure => ("does not compile", LineStyle::Removed),
        Severity::Warning => ("", LineStyle::Changed),
        _ => ("", LineStyle::Plain),
    };
    Entry { names, head: head.to_owned(), lines: plain(&indented(&text), style), is_message: true }
}

/// The entry of nodes with equal differences.
fn difference_entry(text: &str, names: Vec<Arc<str>>) -> Entry {
    let count = |mark: &str| text.lines().filter(|line| line.starts_with(mark)).count();
    let head = format!("{} added, {} removed, {} changed", count("+ "), count("- "), count("~ "));
    Entry { names, head, lines: marked(&indented(text)), ..Entry::default() }
}

/// The nodes that do not compile, by error.
fn failure_entries(state: &State, session: &Session) -> Vec<Entry> {
    let failing = state.nodes().filter_map(|(name, why)| Some((why?, &**name)));
    let entry = |group: Group<'_>| Entry {
        names: group.nodes.iter().map(|name| Arc::from(*name)).collect(),
        head: String::new(),
        lines: plain(&indented(&message(group.diagnostic, session)), LineStyle::Plain),
        is_message: true,
    };
    group(failing, session.sources()).into_iter().map(entry).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

impl Round {
    /// The round to show, with only new warnings.
    pub(crate) fn from_result(result: &RoundResult<'_>, shown: &mut ShownWarnings) -> Round {
        let &RoundResult { updates, state, session, elapsed, edit, .. } = result;
        let News { groups, repeated, returned } = shown.news(result);
        let outcomes = Outcomes::new(updates, &returned, session.home());
        let dimmed = |text: String| Entry { lines: plain(&text, LineStyle::Dim), ..Entry::default() };
        let mut entries: Vec<Entry> = groups.iter().map(|group| message_entry(group, state, session)).collect();
        if repeated > 0 {
            entries.push(dimmed(count_repeated(repeated)));
        }
        entries.extend(outcomes.messages.into_iter().map(|(head, names)| Entry {
            names,
            head: head.to_owned(),
            ..Entry::default()
        }));
        entries.extend(first_compiles(&outcomes.first).into_iter().map(|(names, head)| Entry {
            names: names.into_iter().map(Arc::from).collect(),
            head,
            ..Entry::default()
        }));
        entries.extend(outcomes.differences.into_iter().map(|(text, names)| difference_entry(&text, names)));
        if outcomes.unchanged > 0 && edit {
            entries.push(dimmed(format!("{} compiled again, unchanged", outcomes.unchanged)));
        }
        Round {
            entries,
            compiled: result.compiled(),
            elapsed,
            nodes: state.nodes().map(|(name, _)| name.clone()).collect(),
            failures: failure_entries(state, session),
            changed: outcomes.changed,
        }
    }

    /// The lines for a filter at this width; the last one contains the time of the round.
    pub(crate) fn lines(&self, filter: &str, width: usize) -> Vec<Line> {
        let mut lines: Vec<Line> = self.entries.iter().flat_map(|entry| entry.lines_for(filter, width)).collect();
        let milliseconds = self.elapsed.as_secs_f64() * 1000.0;
        if self.compiled > 0 {
            lines.push((format!("-- {} compiled in {milliseconds:.1} ms", self.compiled), LineStyle::Dim));
        }
        lines.push((String::new(), LineStyle::Plain));
        lines
    }
}
