//! The keys of the full screen: scrolling, input, questions, the graph.
//!
//! In: a key. Out: the changed model and its request to the session. Must not: draw.

use super::InputField;
use super::Model;
use super::Pane;
use super::Request;
use super::SIDE;
use super::count;
use catwalk_snapshot::Case;
use catwalk_snapshot::decide::Decision;
use catwalk_snapshot::review::Key;
use catwalk_snapshot::review::LineStyle;
use catwalk_snapshot::review::Step;
use std::sync::Arc;

impl Model {
    /// Handles a key. Returns a request to the session if there is one.
    pub(crate) fn press(&mut self, key: Key) -> Option<Request> {
        self.note = None;
        if self.input_field != InputField::Nothing {
            return self.press_in_input(key);
        }
        if let Some((_, request)) = self.question.take() {
            return (key == Key::Char('y')).then_some(request);
        }
        if let Pane::Review(review) = &mut self.pane {
            let step = review.press(key);
            let chosen = |decision| {
                let decided = review.decided(decision).into_iter();
                decided.map(|(name, reference)| (name.to_owned(), reference.to_owned())).collect()
            };
            let request = match step {
                Step::Write => {
                    Some(Request::Decide { accepted: chosen(Decision::Accept), rejected: chosen(Decision::Reject) })
                }
                Step::Quit => Some(Request::Leave),
                Step::Draw => None,
            };
            if step != Step::Draw {
                self.open_pane(Pane::Changes);
            }
            return request;
        }
        match key {
            Key::Char('q') => self.quit = true,
            Key::Char('?' | 'h') => self.toggle(matches!(self.pane, Pane::Help), Pane::Help),
            Key::Char('e') => self.toggle(matches!(self.pane, Pane::Errors), Pane::Errors),
            Key::Char('g') if matches!(self.pane, Pane::Graph) => self.open_pane(Pane::Changes),
            Key::Char('g') => return self.open_graph(None),
            Key::Char('f') => self.input_field = InputField::Filter,
            Key::Char('/') => {
                let graph = matches!(self.pane, Pane::Graph);
                self.input_field = if graph { InputField::Resource(String::new()) } else { InputField::Filter };
            }
            Key::Char('a') => self.ask_to_accept(),
            Key::Char('r') => return self.request_review(),
            Key::Escape if matches!(self.pane, Pane::Changes) => {
                self.filter.clear();
                self.top = None;
            }
            Key::Escape => self.open_pane(Pane::Changes),
            key if matches!(self.pane, Pane::Graph) => return self.press_in_graph(key),
            key => self.scroll(key),
        }
        None
    }

    pub(crate) fn press_in_input(&mut self, key: Key) -> Option<Request> {
        let text = match &mut self.input_field {
            InputField::Resource(text) => text,
            _ => &mut self.filter,
        };
        match key {
            Key::Char(c) => text.push(c),
            Key::Backspace => drop(text.pop()),
            Key::Escape => {
                text.clear();
                self.input_field = InputField::Nothing;
            }
            Key::Enter => {
                if let InputField::Resource(about) = std::mem::replace(&mut self.input_field, InputField::Nothing) {
                    return self.open_graph(Some(about));
                }
            }
            _ => {}
        }
        if self.input_field == InputField::Filter {
            self.top = (!matches!(self.pane, Pane::Changes)).then_some(0);
        }
        None
    }

    pub(crate) fn ask_to_accept(&mut self) {
        if self.frozen {
            self.note = Some(("snapshots are not changed in CI".to_owned(), LineStyle::Removed));
            return;
        }
        let mut names = self.differing();
        if !self.pending.has_snapshots && !self.nodes.is_empty() {
            names = self.matching_nodes().map(|name| Case::node(name, "").name).collect();
            let text = format!("no snapshots yet: save {} as the first ones? y/n", count(names.len(), "catalog"));
            self.question = Some((text, Request::Accept(names)));
        } else if names.is_empty() {
            self.note = Some(("no snapshot differs".to_owned(), LineStyle::Dim));
        } else {
            let names_text = catwalk_snapshot::report::abbreviate(&names, 3);
            let text = format!("accept {}: {names_text}? y/n", count(names.len(), "snapshot"));
            self.question = Some((text, Request::Accept(names)));
        }
    }

    pub(crate) fn request_review(&mut self) -> Option<Request> {
        let names = self.differing();
        let note = match (self.frozen, self.pending.has_snapshots, names.is_empty()) {
            (true, ..) => ("snapshots are not changed in CI".to_owned(), LineStyle::Removed),
            (_, false, _) => {
                ("no snapshots yet: press a to save the catalogs as the first ones".to_owned(), LineStyle::Dim)
            }
            (_, _, true) => ("no snapshot differs".to_owned(), LineStyle::Dim),
            _ => return Some(Request::Review(names)),
        };
        self.note = Some(note);
        None
    }

    /// Opens the graph of a node: of the node whose graph was open, else of a node of the last edit, else of the first node.
    pub(crate) fn open_graph(&mut self, about: Option<String>) -> Option<Request> {
        let matches = |name: &&Arc<str>| name.contains(&self.filter);
        let open = self.graph.as_ref().map(|graph| &graph.node).filter(|_| matches!(self.pane, Pane::Graph));
        let latest = self.latest.as_ref().filter(matches);
        let Some(node) = open.or(latest).or_else(|| self.matching_nodes().next()).cloned() else {
            self.note = Some(("there is no node to show".to_owned(), LineStyle::Removed));
            return None;
        };
        if !matches!(self.pane, Pane::Graph) {
            self.open_pane(Pane::Graph);
            self.graph = None;
            self.trail.clear();
        }
        let about = about.unwrap_or_else(|| {
            self.changed.get(&node).and_then(|changed| changed.first().cloned()).unwrap_or_default()
        });
        Some(Request::Graph { node, about })
    }

    pub(crate) fn press_in_graph(&mut self, key: Key) -> Option<Request> {
        let graph = self.graph.as_ref()?;
        let targets: Vec<usize> =
            graph.rows.iter().enumerate().filter(|(_, row)| row.target.is_some()).map(|(at, _)| at).collect();
        let node = graph.node.clone();
        match key {
            Key::Up | Key::Char('k') => {
                self.selected = targets.iter().rev().find(|at| **at < self.selected).copied().unwrap_or(self.selected);
            }
            Key::Down | Key::Char('j') => {
                self.selected = targets.iter().find(|at| **at > self.selected).copied().unwrap_or(self.selected);
            }
            Key::Home => self.selected = targets.first().copied().unwrap_or(0),
            Key::End => self.selected = targets.last().copied().unwrap_or(0),
            Key::PageUp => {
                let to = self.selected.saturating_sub(self.body_height());
                self.selected = targets.iter().find(|at| **at >= to).copied().unwrap_or(self.selected);
            }
            Key::PageDown | Key::Char(' ') => {
                let to = self.selected + self.body_height();
                self.selected = targets.iter().rev().find(|at| **at <= to).copied().unwrap_or(self.selected);
            }
            Key::Left | Key::Right => self.scroll(key),
            Key::Enter => {
                let about = graph.rows.get(self.selected).and_then(|row| row.target.clone())?;
                if about != graph.reference {
                    self.trail.push(graph.reference.clone());
                    return Some(Request::Graph { node, about });
                }
            }
            Key::Backspace => return self.trail.pop().map(|about| Request::Graph { node, about }),
            Key::Tab => {
                let names: Vec<&Arc<str>> = self.matching_nodes().collect();
                let at = names.iter().position(|name| **name == node).map_or(0, |at| (at + 1) % names.len());
                let node = (*names.get(at)?).clone();
                self.trail.clear();
                let about = self.changed.get(&node).and_then(|changed| changed.first().cloned()).unwrap_or_default();
                return Some(Request::Graph { node, about });
            }
            _ => {}
        }
        self.scroll_to_selected();
        None
    }

    /// Scrolls to the selected row of the graph.
    pub(crate) fn scroll_to_selected(&mut self) {
        let room = self.body_height().max(1);
        let top = self.top.unwrap_or(0);
        // The resource and an empty line precede the rows.
        let row = if self.selected <= 1 { 0 } else { self.selected + 2 };
        self.top = Some(if row < top {
            row
        } else if row >= top + room {
            row + 1 - room
        } else {
            top
        });
    }

    pub(crate) fn scroll(&mut self, key: Key) {
        let (lines, start) = self.body();
        let room = self.body_height().max(1);
        let last = lines.len().saturating_sub(room).max(start);
        let top = self.top.unwrap_or(start).min(last);
        let to = match key {
            Key::Up | Key::Char('k') => top.saturating_sub(1),
            Key::Down | Key::Char('j') => top + 1,
            Key::PageUp => top.saturating_sub(room),
            Key::PageDown | Key::Char(' ') => top + room,
            Key::Home => 0,
            Key::End => last,
            Key::Left => return self.scrolled_columns = self.scrolled_columns.saturating_sub(SIDE),
            Key::Right => {
                let widest = lines.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
                return self.scrolled_columns = (self.scrolled_columns + SIDE).min(widest.saturating_sub(SIDE));
            }
            _ => return,
        };
        self.top = Some(to.min(last));
    }
}
