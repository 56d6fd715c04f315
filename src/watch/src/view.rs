//! The lines of the full screen of `watch`: a status, the body, a line of help.
//!
//! In: the [`Model`]. Out: as many lines as the screen has. Must not: change anything.

use crate::model::InputField;
use crate::model::Model;
use crate::model::Pane;
use crate::model::count;
use crate::model::verdict_entry;
use crate::round::wrapped;
use catwalk_snapshot::review::Line;
use catwalk_snapshot::review::LineStyle;

const KEYS: &str = "a accept  r review  f filter  e errors  g graph  ? help  q quit";
const GRAPH_KEYS: &str = "↑↓ choose  enter go there  backspace back  / find  tab next node  g close";

const HELP: &str = "\
Keys
  a            accept the catalogs that differ from their snapshots (asks first)
  r            review them: each change once, accept or reject it
  f  or  /     show only nodes whose names have this text; esc shows all again
  e            errors: the nodes that do not compile, the cases that are not as expected
  g            graph: what is around a resource of the last edit
  ?            this help
  q  or  ^C    quit;  ^Z suspends

Moving
  ↑ ↓ j k      a line           page up, page down, space   a screen
  home, end    first, last line     ← →   sideways, for long lines

In the graph
  ↑ ↓          choose a resource    enter   go there    backspace   back
  /            find a resource by part of its name
  tab          the next node

Accepting, reviewing and the graph are limited to the nodes that the filter
shows. A snapshot differs if an edit or `git` has changed the catalog since it
was accepted.";

/// A part of the header line.
struct HeaderPart {
    /// The importance; the least important parts are left out first.
    weight: u8,
    text: String,
    /// A shorter form for narrow terminals; `None` once it is used.
    short: Option<String>,
}

/// The parts on one line. If they do not fit, parts are shortened and then left out, the least important ones first.
fn fit(mut parts: Vec<HeaderPart>, width: usize) -> String {
    loop {
        let text = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" · ");
        if text.chars().count() <= width || parts.len() < 2 {
            return text;
        }
        let long = parts.iter_mut().filter(|part| part.short.is_some()).min_by_key(|part| part.weight);
        match long {
            Some(part) => part.text = part.short.take().unwrap_or_default(),
            None => {
                let least = parts.iter().map(|part| part.weight).min();
                parts.retain(|part| Some(part.weight) != least);
            }
        }
    }
}

impl Model {
    /// The screen.
    pub(crate) fn screen(&self) -> Vec<Line> {
        let (width, height) = self.size;
        if height == 0 || width == 0 {
            return Vec::new();
        }
        let mut lines = vec![self.status()];
        if let Pane::Review(review) = &self.pane {
            lines.extend(review.screen(width, height.saturating_sub(1)));
            lines.truncate(height);
            return lines;
        }
        let (body, start) = self.body();
        let room = self.body_height();
        let last = body.len().saturating_sub(room.max(1)).max(start);
        let top = self.top.unwrap_or(start).min(last);
        let below = body.len().saturating_sub(top + room);
        let scroll = |(text, style): Line| (text.chars().skip(self.scrolled_columns).collect(), style);
        lines.extend(body.into_iter().skip(top).take(room).map(scroll));
        lines.resize(height.saturating_sub(1).max(1), (String::new(), LineStyle::Plain));
        if height > 1 {
            lines.push(self.last_line(below));
        }
        lines
    }

    /// The first line: nodes, the last compile, snapshots that differ, errors.
    fn status(&self) -> Line {
        let failing: usize = self.failures.iter().map(|entry| entry.names.len()).sum();
        let new = self.pending.new;
        let differing = self.pending.names.len().saturating_sub(new);
        let last = |long: bool| match self.last {
            None => None,
            Some((_, elapsed)) if !long => Some(format!("{:.0} ms", elapsed.as_secs_f64() * 1000.0)),
            Some((compiled, elapsed)) => {
                Some(format!("{compiled} compiled in {:.1} ms", elapsed.as_secs_f64() * 1000.0))
            }
        };
        let noun = if self.pending.is_module { "case" } else { "node" };
        // On narrow terminals, the parts with the smallest number are left out first.
        let mut parts: Vec<HeaderPart> = Vec::new();
        let mut add =
            |weight: u8, long: String, short: String| parts.push(HeaderPart { weight, text: long, short: Some(short) });
        let nodes = if self.nodes.is_empty() { self.all_nodes } else { self.nodes.len() };
        // Before the site is read, nothing is known about it.
        let is_read = nodes > 0 || !self.busy || self.last.is_some();
        if is_read {
            add(3, count(nodes, noun), format!("{nodes}{}", noun.get(..1).unwrap_or_default()));
        } else {
            add(2, "reading the site …".to_owned(), "…".to_owned());
        }
        if self.busy && is_read {
            let (long, short) = match self.progress {
                Some((done, all)) if all > 1 => (format!("compiling {done} of {all} …"), format!("{done}/{all}")),
                _ => ("compiling …".to_owned(), "…".to_owned()),
            };
            add(2, long, short);
        } else if let (Some(long), Some(short)) = (last(true), last(false)) {
            add(1, long, short);
        }
        if differing > 0 {
            let text =
                if differing == 1 { "1 snapshot differs".to_owned() } else { format!("{differing} snapshots differ") };
            add(4, text, format!("{differing}s"));
        }
        if new > 0 {
            add(4, format!("{new} without a snapshot"), format!("{new}n"));
        }
        let unmet = self.pending.failing.len();
        if unmet > 0 {
            let text = match unmet {
                1 => "1 case is not as expected".to_owned(),
                more => format!("{more} cases are not as expected"),
            };
            add(6, text, format!("{unmet}x"));
        }
        if self.broken.is_some() {
            add(8, "the site cannot be read".to_owned(), "!".to_owned());
        }
        match failing {
            0 if unmet > 0 || !is_read => {}
            0 => add(5, "no errors".to_owned(), "0e".to_owned()),
            1 => add(7, "1 node does not compile".to_owned(), "1e".to_owned()),
            more => add(7, format!("{more} nodes do not compile"), format!("{more}e")),
        }
        if !self.filter.is_empty() {
            add(9, format!("filter: {}", self.filter), format!("/{}", self.filter));
        }
        let text = fit(parts, self.size.0);
        let style = match (failing + unmet, &self.broken) {
            (0, None) if differing + new == 0 => LineStyle::Added,
            (0, None) => LineStyle::Changed,
            _ => LineStyle::Removed,
        };
        (text, style)
    }

    /// The lines of the body, and the index at which the latest round begins.
    pub(crate) fn body(&self) -> (Vec<Line>, usize) {
        let plain =
            |text: &str| -> Vec<Line> { text.lines().map(|line| (line.to_owned(), LineStyle::Plain)).collect() };
        match &self.pane {
            Pane::Help => (plain(HELP), 0),
            Pane::Review(_) => (Vec::new(), 0),
            Pane::Changes => {
                let (mut lines, mut start) = (Vec::new(), 0);
                for round in &self.rounds {
                    let entry_lines = round.lines(&self.filter, self.size.0);
                    start = lines.len();
                    lines.extend(entry_lines);
                }
                if let Some(broken) = &self.broken {
                    start = lines.len();
                    lines.extend(wrapped(broken.clone(), self.size.0));
                }
                (lines, start)
            }
            Pane::Errors => {
                let mut lines = Vec::new();
                for entry in &self.failures {
                    let entry_lines = entry.lines_for(&self.filter, self.size.0);
                    if !entry_lines.is_empty() {
                        lines.extend(entry_lines);
                        lines.push((String::new(), LineStyle::Plain));
                    }
                }
                for (name, failures) in &self.pending.failing {
                    let entry_lines = verdict_entry(name.clone(), failures).lines_for(&self.filter, self.size.0);
                    if !entry_lines.is_empty() {
                        lines.extend(entry_lines);
                        lines.push((String::new(), LineStyle::Plain));
                    }
                }
                lines.extend(wrapped(self.broken.clone().unwrap_or_default(), self.size.0));
                if lines.is_empty() {
                    let text = if self.pending.is_module {
                        "every case is as expected"
                    } else if self.failures.is_empty() {
                        "every node compiles"
                    } else {
                        "every node of the filter compiles"
                    };
                    lines.push((text.to_owned(), LineStyle::Dim));
                }
                (lines, 0)
            }
            Pane::Graph => (self.graph_lines(), 0),
        }
    }

    fn graph_lines(&self) -> Vec<Line> {
        let Some(graph) = &self.graph else {
            return vec![("…".to_owned(), LineStyle::Dim)];
        };
        let location = graph.location.as_ref().map(|location| format!("  ({location})")).unwrap_or_default();
        let mut lines = vec![
            (format!("{}: {}{location}", graph.node, graph.title), LineStyle::Bold),
            (String::new(), LineStyle::Plain),
        ];
        lines.extend(graph.rows.iter().enumerate().map(|(at, row)| {
            let style = match (at == self.selected && row.target.is_some(), &row.target) {
                (true, _) => LineStyle::Chosen,
                (false, None) => LineStyle::Dim,
                (false, Some(_)) => LineStyle::Plain,
            };
            (row.text.clone(), style)
        }));
        lines
    }

    /// The last line: the input or question, else the last message, else the keys.
    fn last_line(&self, below: usize) -> Line {
        match &self.input_field {
            InputField::Filter => return (format!("nodes with: {}▏", self.filter), LineStyle::Bold),
            InputField::Resource(text) => return (format!("resource: {text}▏"), LineStyle::Bold),
            InputField::Nothing => {}
        }
        if let Some((text, _)) = &self.question {
            return (text.clone(), LineStyle::Bold);
        }
        if let Some(note) = &self.note {
            return note.clone();
        }
        let keys = if matches!(self.pane, Pane::Graph) { GRAPH_KEYS } else { KEYS };
        let more = if below > 0 { format!("↓ {below} more  ") } else { String::new() };
        (format!("{more}{keys}"), LineStyle::Dim)
    }
}
