//! The full screen of `watch` as a machine: keys and news in, questions to the session and lines out. It knows no terminal.
//!
//! In: [`Key`]s, [`Told`]. Out: [`Ask`]s, [`Model::screen`] (`view`). Must not: compile, read files, draw.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::cli::commands::watch::graph::Graph;
use crate::cli::commands::watch::pending::Chosen;
use crate::cli::commands::watch::pending::Waiting;
use crate::cli::commands::watch::round::Entry;
use crate::cli::commands::watch::round::Round;
use crate::snapshot::Case;
use crate::snapshot::decide::Decision;
use crate::snapshot::decide::Group;
use crate::snapshot::review::Key;
use crate::snapshot::review::Line;
use crate::snapshot::review::Look;
use crate::snapshot::review::Review;
use crate::snapshot::review::Step;

/// Rounds that are kept for scrolling back, and lines of them.
const ROUNDS: usize = 100;
const LINES: usize = 20_000;
/// Columns that a key moves sideways.
const SIDE: usize = 16;

/// News for the screen.
#[derive(Debug)]
pub(super) enum Told {
    /// A compile begins.
    Begin,
    /// It ended.
    Round(Box<Round>),
    /// An edit reached no catalog.
    Nothing(Duration),
    /// Something else is said: output of a command, a warning of the watcher.
    Said(Vec<Line>),
    /// The site cannot be read; nothing, when it can again.
    Broken(Option<Vec<Line>>),
    /// Which snapshots differ, and what is not as expected.
    Waiting(Waiting),
    /// Cases of which it changed what is not as expected.
    Verdicts(Vec<(Arc<str>, Vec<String>)>),
    /// The graph that was asked for, or why there is none.
    Graph(Result<Box<Graph>, String>),
    /// What is to be reviewed.
    Review(Vec<Group>),
    /// What was decided, or what went wrong.
    Decided(String),
}

/// A question to the session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ask {
    /// The neighbourhood of a resource; of nothing in particular when it is empty.
    Graph { node: Arc<str>, about: String },
    /// Accept the catalogs of these snapshots.
    Accept(Vec<String>),
    /// Prepare a review of these snapshots.
    Review(Vec<String>),
    /// Carry out a review.
    Decide { accepted: Chosen, rejected: Chosen },
}

/// What the middle of the screen shows.
#[derive(Debug)]
pub(super) enum Pane {
    Changes,
    Errors,
    Graph,
    Help,
    Review(Box<Review>),
}

/// What is typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Typing {
    Nothing,
    /// Part of a node's name.
    Filter,
    /// Part of a resource's reference.
    Resource(String),
}

/// The state of the screen.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) size: (usize, usize),
    pub(super) pane: Pane,
    pub(super) rounds: VecDeque<Round>,
    pub(super) nodes: Vec<Arc<str>>,
    pub(super) failures: Vec<Entry>,
    pub(super) broken: Option<Vec<Line>>,
    pub(super) last: Option<(usize, Duration)>,
    pub(super) busy: bool,
    pub(super) waiting: Waiting,
    pub(super) filter: String,
    pub(super) typing: Typing,
    /// What `y` carries out.
    pub(super) question: Option<(String, Ask)>,
    pub(super) note: Option<Line>,
    /// Snapshots are not changed here.
    pub(super) frozen: bool,
    pub(super) graph: Option<Graph>,
    /// Resources seen before the one of the graph.
    trail: Vec<String>,
    /// The row of the graph that keys are for.
    pub(super) at: usize,
    /// Resources of the last edits by node.
    changed: BTreeMap<Arc<str>, Vec<String>>,
    latest: Option<Arc<str>>,
    /// First line shown of the middle; `None`: the latest round.
    pub(super) top: Option<usize>,
    /// Columns that are left out.
    pub(super) side: usize,
    /// The program ends.
    pub(super) quit: bool,
}

impl Model {
    /// Nothing is compiled yet. `frozen`: snapshots are not changed here.
    pub(super) fn new(size: (usize, usize), frozen: bool) -> Model {
        Model {
            size,
            pane: Pane::Changes,
            rounds: VecDeque::new(),
            nodes: Vec::new(),
            failures: Vec::new(),
            broken: None,
            last: None,
            busy: true,
            waiting: Waiting::default(),
            filter: String::new(),
            typing: Typing::Nothing,
            question: None,
            note: None,
            frozen,
            graph: None,
            trail: Vec::new(),
            at: 0,
            changed: BTreeMap::new(),
            latest: None,
            top: None,
            side: 0,
            quit: false,
        }
    }

    /// The terminal has another size.
    pub(super) fn resize(&mut self, size: (usize, usize)) {
        self.size = size;
    }

    /// Takes news.
    pub(super) fn told(&mut self, told: Told) -> Option<Ask> {
        match told {
            Told::Begin => self.busy = true,
            Told::Nothing(elapsed) => {
                self.busy = false;
                self.broken = None;
                let milliseconds = elapsed.as_secs_f64() * 1000.0;
                self.note = Some((format!("the edit reaches no catalog ({milliseconds:.1} ms)"), Look::Dim));
            }
            Told::Round(round) => return self.round(*round),
            Told::Said(lines) => self.say(vec![Entry { lines, ..Entry::default() }]),
            Told::Verdicts(verdicts) => {
                self.note = None;
                self.say(verdicts.into_iter().map(|(name, failures)| verdict(name, &failures)).collect());
            }
            Told::Broken(lines) => {
                self.busy = false;
                self.broken = lines;
            }
            Told::Waiting(waiting) => self.waiting = waiting,
            Told::Graph(Ok(graph)) => {
                self.at = graph.rows.iter().position(|row| row.target.as_ref() == Some(&graph.reference)).unwrap_or(0);
                self.graph = Some(*graph);
                self.show_chosen();
            }
            Told::Graph(Err(why)) => self.note = Some((why, Look::Removed)),
            Told::Review(groups) if groups.is_empty() => self.note = Some(("nothing differs".to_owned(), Look::Dim)),
            Told::Review(groups) => self.pane = Pane::Review(Box::new(Review::new(groups))),
            Told::Decided(text) => self.note = Some((text, Look::Bold)),
        }
        None
    }

    /// Adds to what was last told.
    fn say(&mut self, entries: Vec<Entry>) {
        match self.rounds.back_mut() {
            Some(round) => round.entries.extend(entries),
            None => self.rounds.push_back(Round { entries, ..Round::default() }),
        }
    }

    fn round(&mut self, round: Round) -> Option<Ask> {
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
            // The resource that is looked at may have other neighbours now.
            Pane::Graph => {
                let graph = self.graph.as_ref()?;
                Some(Ask::Graph { node: graph.node.clone(), about: graph.reference.clone() })
            }
            _ => None,
        }
    }

    /// The nodes that the filter lets through.
    pub(super) fn chosen(&self) -> impl Iterator<Item = &Arc<str>> {
        self.nodes.iter().filter(|name| name.contains(&self.filter))
    }

    /// Snapshots that differ, of the nodes that the filter lets through.
    pub(super) fn differing(&self) -> Vec<String> {
        self.waiting.names.iter().filter(|name| name.contains(&self.filter)).cloned().collect()
    }

    /// Takes a key.
    pub(super) fn press(&mut self, key: Key) -> Option<Ask> {
        self.note = None;
        if self.typing != Typing::Nothing {
            return self.type_key(key);
        }
        if let Some((_, ask)) = self.question.take() {
            return (key == Key::Char('y')).then_some(ask);
        }
        if let Pane::Review(review) = &mut self.pane {
            let step = review.press(key);
            let chosen = |decision| {
                let decided = review.decided(decision).into_iter();
                decided.map(|(name, reference)| (name.to_owned(), reference.to_owned())).collect()
            };
            let ask = (step == Step::Write)
                .then(|| Ask::Decide { accepted: chosen(Decision::Accept), rejected: chosen(Decision::Reject) });
            if step != Step::Draw {
                self.to(Pane::Changes);
            }
            return ask;
        }
        match key {
            Key::Char('q') => self.quit = true,
            Key::Char('?' | 'h') => self.toggle(matches!(self.pane, Pane::Help), Pane::Help),
            Key::Char('e') => self.toggle(matches!(self.pane, Pane::Errors), Pane::Errors),
            Key::Char('g') if matches!(self.pane, Pane::Graph) => self.to(Pane::Changes),
            Key::Char('g') => return self.open_graph(None),
            Key::Char('f') => self.typing = Typing::Filter,
            Key::Char('/') => {
                let graph = matches!(self.pane, Pane::Graph);
                self.typing = if graph { Typing::Resource(String::new()) } else { Typing::Filter };
            }
            Key::Char('a') => self.ask_accept(),
            Key::Char('r') => return self.ask_review(),
            Key::Escape if matches!(self.pane, Pane::Changes) => {
                self.filter.clear();
                self.top = None;
            }
            Key::Escape => self.to(Pane::Changes),
            key if matches!(self.pane, Pane::Graph) => return self.press_graph(key),
            key => self.scroll(key),
        }
        None
    }

    fn to(&mut self, pane: Pane) {
        self.pane = pane;
        self.side = 0;
        self.top = (!matches!(self.pane, Pane::Changes)).then_some(0);
    }

    fn toggle(&mut self, is_there: bool, pane: Pane) {
        self.to(if is_there { Pane::Changes } else { pane });
    }

    fn type_key(&mut self, key: Key) -> Option<Ask> {
        let text = match &mut self.typing {
            Typing::Resource(text) => text,
            _ => &mut self.filter,
        };
        match key {
            Key::Char(c) => text.push(c),
            Key::Backspace => drop(text.pop()),
            Key::Escape => {
                text.clear();
                self.typing = Typing::Nothing;
            }
            Key::Enter => {
                if let Typing::Resource(about) = std::mem::replace(&mut self.typing, Typing::Nothing) {
                    return self.open_graph(Some(about));
                }
            }
            _ => {}
        }
        if self.typing == Typing::Filter {
            self.top = (!matches!(self.pane, Pane::Changes)).then_some(0);
        }
        None
    }

    fn ask_accept(&mut self) {
        if self.frozen {
            self.note = Some(("snapshots are not changed in CI".to_owned(), Look::Removed));
            return;
        }
        let mut names = self.differing();
        if !self.waiting.kept && !self.nodes.is_empty() {
            names = self.chosen().map(|name| Case::node(name, "").name).collect();
            let text = format!("no snapshots yet: keep {} as the first ones? y/n", count(names.len(), "catalog"));
            self.question = Some((text, Ask::Accept(names)));
        } else if names.is_empty() {
            self.note = Some(("no snapshot differs".to_owned(), Look::Dim));
        } else {
            let shown = crate::snapshot::report::some(&names, 3);
            let text = format!("accept {}: {shown}? y/n", count(names.len(), "snapshot"));
            self.question = Some((text, Ask::Accept(names)));
        }
    }

    fn ask_review(&mut self) -> Option<Ask> {
        let names = self.differing();
        let note = match (self.frozen, self.waiting.kept, names.is_empty()) {
            (true, ..) => ("snapshots are not changed in CI".to_owned(), Look::Removed),
            (_, false, _) => ("no snapshots yet: a keeps the catalogs as the first ones".to_owned(), Look::Dim),
            (_, _, true) => ("no snapshot differs".to_owned(), Look::Dim),
            _ => return Some(Ask::Review(names)),
        };
        self.note = Some(note);
        None
    }

    /// Opens the graph of a node: the one whose graph was open, that of the last edit, the first one.
    fn open_graph(&mut self, about: Option<String>) -> Option<Ask> {
        let lets_through = |name: &&Arc<str>| name.contains(&self.filter);
        let open = self.graph.as_ref().map(|graph| &graph.node).filter(|_| matches!(self.pane, Pane::Graph));
        let latest = self.latest.as_ref().filter(lets_through);
        let Some(node) = open.or(latest).or_else(|| self.chosen().next()).cloned() else {
            self.note = Some(("no node is there to look at".to_owned(), Look::Removed));
            return None;
        };
        if !matches!(self.pane, Pane::Graph) {
            self.to(Pane::Graph);
            self.graph = None;
            self.trail.clear();
        }
        let about = about.unwrap_or_else(|| {
            self.changed.get(&node).and_then(|changed| changed.first().cloned()).unwrap_or_default()
        });
        Some(Ask::Graph { node, about })
    }

    fn press_graph(&mut self, key: Key) -> Option<Ask> {
        let graph = self.graph.as_ref()?;
        let targets: Vec<usize> =
            graph.rows.iter().enumerate().filter(|(_, row)| row.target.is_some()).map(|(at, _)| at).collect();
        let node = graph.node.clone();
        match key {
            Key::Up | Key::Char('k') => {
                self.at = targets.iter().rev().find(|at| **at < self.at).copied().unwrap_or(self.at);
            }
            Key::Down | Key::Char('j') => {
                self.at = targets.iter().find(|at| **at > self.at).copied().unwrap_or(self.at);
            }
            Key::Home => self.at = targets.first().copied().unwrap_or(0),
            Key::End => self.at = targets.last().copied().unwrap_or(0),
            Key::PageUp => {
                let to = self.at.saturating_sub(self.room());
                self.at = targets.iter().find(|at| **at >= to).copied().unwrap_or(self.at);
            }
            Key::PageDown | Key::Char(' ') => {
                let to = self.at + self.room();
                self.at = targets.iter().rev().find(|at| **at <= to).copied().unwrap_or(self.at);
            }
            Key::Left | Key::Right => self.scroll(key),
            Key::Enter => {
                let about = graph.rows.get(self.at).and_then(|row| row.target.clone())?;
                if about != graph.reference {
                    self.trail.push(graph.reference.clone());
                    return Some(Ask::Graph { node, about });
                }
            }
            Key::Backspace => return self.trail.pop().map(|about| Ask::Graph { node, about }),
            Key::Tab => {
                let names: Vec<&Arc<str>> = self.chosen().collect();
                let at = names.iter().position(|name| **name == node).map_or(0, |at| (at + 1) % names.len());
                let node = (*names.get(at)?).clone();
                self.trail.clear();
                let about = self.changed.get(&node).and_then(|changed| changed.first().cloned()).unwrap_or_default();
                return Some(Ask::Graph { node, about });
            }
            _ => {}
        }
        self.show_chosen();
        None
    }

    /// Scrolls so that the chosen row of the graph is seen.
    fn show_chosen(&mut self) {
        let room = self.room().max(1);
        let top = self.top.unwrap_or(0);
        // Above the rows stand the resource and an empty line.
        let row = if self.at <= 1 { 0 } else { self.at + 2 };
        self.top = Some(if row < top {
            row
        } else if row >= top + room {
            row + 1 - room
        } else {
            top
        });
    }

    /// Lines of the middle.
    pub(super) fn room(&self) -> usize {
        self.size.1.saturating_sub(2)
    }

    fn scroll(&mut self, key: Key) {
        let (lines, start) = self.middle();
        let room = self.room().max(1);
        let last = lines.len().saturating_sub(room).max(start);
        let top = self.top.unwrap_or(start).min(last);
        let to = match key {
            Key::Up | Key::Char('k') => top.saturating_sub(1),
            Key::Down | Key::Char('j') => top + 1,
            Key::PageUp => top.saturating_sub(room),
            Key::PageDown | Key::Char(' ') => top + room,
            Key::Home => 0,
            Key::End => last,
            Key::Left => return self.side = self.side.saturating_sub(SIDE),
            Key::Right => {
                let widest = lines.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
                return self.side = (self.side + SIDE).min(widest.saturating_sub(SIDE));
            }
            _ => return,
        };
        self.top = Some(to.min(last));
    }
}

/// What is said of a case that was judged.
pub(super) fn verdict(name: Arc<str>, failures: &[String]) -> Entry {
    let head = if failures.is_empty() { "as expected again" } else { "not as expected" };
    let lines = failures.iter().flat_map(|failure| failure.lines());
    let lines = lines.map(|line| (format!("  {line}"), Look::Removed)).collect();
    Entry { names: vec![name], head: head.to_owned(), lines }
}

/// `1 snapshot`, `2 snapshots`
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
