//! The state of the full screen of `watch`, independent of the terminal.
//!
//! In: keys, [`Notice`]s. Out: [`Request`]s, [`Model::screen`] (`view`). Must not: compile, read files, draw.

mod keys;

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::round::Entry;
use crate::round::Round;
use crate::snapshot_comparison::Decisions;
use crate::snapshot_comparison::PendingSnapshots;
use catwalk_formats::neighbourhood::Graph;
use catwalk_snapshot::decide::Group;
use catwalk_snapshot::review::Line;
use catwalk_snapshot::review::LineStyle;
use catwalk_snapshot::review::Review;

/// The maximum number of rounds, and of their lines, in the scrollback.
const ROUNDS: usize = 100;
const LINES: usize = 20_000;
/// The number of columns that a key scrolls sideways.
const SIDE: usize = 16;

/// A notice for the screen.
#[derive(Debug)]
pub(crate) enum Notice {
    /// A compile begins, of a site with this number of nodes.
    Begin(usize),
    /// Some nodes of a compile are done.
    Progress { done: usize, all: usize },
    /// A compile ended.
    Round(Box<Round>),
    /// An edit affected no catalog.
    Nothing(Duration),
    /// Output of a command, or a warning of the watcher.
    Output(Vec<Line>),
    /// The site cannot be read; `None` if it can be read again.
    Broken(Option<Vec<Line>>),
    /// Snapshots that differ, and unmet expectations.
    Pending(PendingSnapshots),
    /// Cases whose unmet expectations have changed.
    Verdicts(Vec<(Arc<str>, Vec<String>)>),
    /// The requested graph, or why there is none.
    Graph(Result<Box<Graph>, String>),
    /// The changes to review.
    Review(Vec<Group>),
    /// The result of a decision, or an error.
    Decided(String),
}

/// A request to the session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Request {
    /// The neighbourhood of a resource; of any resource if `about` is empty.
    Graph { node: Arc<str>, about: String },
    /// Accept the catalogs of these snapshots.
    Accept(Vec<String>),
    /// Prepare a review of these snapshots.
    Review(Vec<String>),
    /// A review was left without decisions.
    Leave,
    /// Carry out a review.
    Decide { accepted: Decisions, rejected: Decisions },
}

/// The content of the body of the screen.
#[derive(Debug)]
pub(crate) enum Pane {
    Changes,
    Errors,
    Graph,
    Help,
    Review(Box<Review>),
}

/// The input field that receives the keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum InputField {
    Nothing,
    /// Part of a node's name.
    Filter,
    /// Part of a resource's reference.
    Resource(String),
}

/// The state of the screen.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) size: (usize, usize),
    pub(crate) pane: Pane,
    pub(crate) rounds: VecDeque<Round>,
    pub(crate) nodes: Vec<Arc<str>>,
    /// The number of nodes of the site, also before they are compiled.
    pub(crate) all_nodes: usize,
    /// How many nodes of the current compile are done, and how many there are.
    pub(crate) progress: Option<(usize, usize)>,
    pub(crate) failures: Vec<Entry>,
    pub(crate) broken: Option<Vec<Line>>,
    pub(crate) last: Option<(usize, Duration)>,
    pub(crate) busy: bool,
    pub(crate) pending: PendingSnapshots,
    pub(crate) filter: String,
    pub(crate) input_field: InputField,
    /// The question, and the request that `y` sends.
    pub(crate) question: Option<(String, Request)>,
    pub(crate) note: Option<Line>,
    /// Whether snapshots cannot be changed here.
    pub(crate) frozen: bool,
    pub(crate) graph: Option<Graph>,
    /// The history of resources before the one of the graph.
    trail: Vec<String>,
    /// The selected row of the graph.
    pub(crate) selected: usize,
    /// Resources of the last edits by node.
    changed: BTreeMap<Arc<str>, Vec<String>>,
    latest: Option<Arc<str>>,
    /// The first visible line of the body; `None`: the latest round.
    pub(crate) top: Option<usize>,
    /// The number of columns scrolled sideways.
    pub(crate) scrolled_columns: usize,
    /// Whether the program ends.
    pub(crate) quit: bool,
}

impl Model {
    /// A model without any compile. `frozen`: snapshots cannot be changed here.
    pub(crate) fn new(size: (usize, usize), frozen: bool) -> Model {
        Model {
            size,
            pane: Pane::Changes,
            rounds: VecDeque::new(),
            nodes: Vec::new(),
            all_nodes: 0,
            progress: None,
            failures: Vec::new(),
            broken: None,
            last: None,
            busy: true,
            pending: PendingSnapshots::default(),
            filter: String::new(),
            input_field: InputField::Nothing,
            question: None,
            note: None,
            frozen,
            graph: None,
            trail: Vec::new(),
            selected: 0,
            changed: BTreeMap::new(),
            latest: None,
            top: None,
            scrolled_columns: 0,
            quit: false,
        }
    }

    /// Sets the size of the terminal.
    pub(crate) fn resize(&mut self, size: (usize, usize)) {
        self.size = size;
    }

    /// Handles a notice; returns a request to the session if there is one.
    pub(crate) fn handle(&mut self, notice: Notice) -> Option<Request> {
        match notice {
            Notice::Begin(nodes) => {
                self.busy = true;
                self.progress = None;
                self.all_nodes = nodes;
            }
            Notice::Progress { done, all } => self.progress = Some((done, all)),
            Notice::Nothing(elapsed) => {
                self.busy = false;
                self.broken = None;
                let milliseconds = elapsed.as_secs_f64() * 1000.0;
                self.note = Some((format!("the edit affects no catalog ({milliseconds:.1} ms)"), LineStyle::Dim));
            }
            Notice::Round(round) => return self.add_round(*round),
            Notice::Output(lines) => self.add_entries(vec![Entry { lines, is_message: true, ..Entry::default() }]),
            Notice::Verdicts(verdicts) => {
                self.note = None;
                self.add_entries(verdicts.into_iter().map(|(name, failures)| verdict_entry(name, &failures)).collect());
            }
            Notice::Broken(lines) => {
                self.busy = false;
                self.broken = lines;
            }
            Notice::Pending(waiting) => self.pending = waiting,
            Notice::Graph(Ok(graph)) => {
                self.selected =
                    graph.rows.iter().position(|row| row.target.as_ref() == Some(&graph.reference)).unwrap_or(0);
                self.graph = Some(*graph);
                self.scroll_to_selected();
            }
            Notice::Graph(Err(why)) => self.note = Some((why, LineStyle::Removed)),
            Notice::Review(groups) if groups.is_empty() => {
                self.note = Some(("nothing differs".to_owned(), LineStyle::Dim))
            }
            Notice::Review(groups) => self.pane = Pane::Review(Box::new(Review::new(groups))),
            Notice::Decided(text) => self.note = Some((text, LineStyle::Bold)),
        }
        None
    }

    /// Adds entries to the last round.
    fn add_entries(&mut self, entries: Vec<Entry>) {
        match self.rounds.back_mut() {
            Some(round) => round.entries.extend(entries),
            None => self.rounds.push_back(Round { entries, ..Round::default() }),
        }
    }

    fn add_round(&mut self, round: Round) -> Option<Request> {
        self.busy = false;
        self.broken = None;
        self.note = None;
        self.last = Some((round.compiled, round.elapsed));
        self.nodes.clone_from(&round.nodes);
        self.failures.clone_from(&round.failures);
        self.changed.extend(round.changed.iter().cloned());
        self.latest = round.changed.first().map(|(name, _)| name.clone()).or(self.latest.take());
        self.rounds.push_back(round);
        let lines = |round: &Round| round.entries.iter().map(|entry| entry.lines.len() + 1).sum::<usize>();
        while self.rounds.len() > ROUNDS
            || (self.rounds.len() > 1 && self.rounds.iter().map(lines).sum::<usize>() > LINES)
        {
            self.rounds.pop_front();
        }
        match self.pane {
            Pane::Changes => {
                self.top = None;
                None
            }
            // The resource of the graph may have different neighbours now.
            Pane::Graph => {
                let graph = self.graph.as_ref()?;
                Some(Request::Graph { node: graph.node.clone(), about: graph.reference.clone() })
            }
            _ => None,
        }
    }

    /// The nodes that match the filter.
    pub(crate) fn matching_nodes(&self) -> impl Iterator<Item = &Arc<str>> {
        self.nodes.iter().filter(|name| name.contains(&self.filter))
    }

    /// The snapshots that differ, of the nodes that match the filter.
    pub(crate) fn differing(&self) -> Vec<String> {
        self.pending.names.iter().filter(|name| name.contains(&self.filter)).cloned().collect()
    }

    fn open_pane(&mut self, pane: Pane) {
        self.pane = pane;
        self.scrolled_columns = 0;
        self.top = (!matches!(self.pane, Pane::Changes)).then_some(0);
    }

    fn toggle(&mut self, is_open: bool, pane: Pane) {
        self.open_pane(if is_open { Pane::Changes } else { pane });
    }

    /// The number of lines between the first and the last line of the screen.
    pub(crate) fn body_height(&self) -> usize {
        self.size.1.saturating_sub(2)
    }
}

/// The message about a checked case.
pub(crate) fn verdict_entry(name: Arc<str>, failures: &[String]) -> Entry {
    let head = if failures.is_empty() { "as expected again" } else { "not as expected" };
    let lines = failures.iter().flat_map(|failure| failure.lines());
    let lines = lines.map(|line| (format!("  {line}"), LineStyle::Removed)).collect();
    Entry { names: vec![name], head: head.to_owned(), lines, is_message: true }
}

/// `1 snapshot`, `2 snapshots`
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
