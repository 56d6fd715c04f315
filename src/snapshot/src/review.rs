//! The review of proposals as a state machine: keys in, decisions and a screen of lines out. It does not depend on a terminal.
//!
//! In: groups of equal changes, keys. Out: [`Step`]s, [`Review::screen`]. Must not: read files, draw.

use std::collections::BTreeSet;

use crate::decide::Decision;
use crate::decide::Group;
use crate::decide::Pattern;
use crate::hunks::Kind;
use crate::report::abbreviate;

/// A key press, by its meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A letter or other character.
    Char(char),
    /// Go to the change above.
    Up,
    /// Go to the change below.
    Down,
    /// One page back.
    PageUp,
    /// One page forward.
    PageDown,
    /// Finish the line.
    Enter,
    /// Cancel.
    Escape,
    /// Delete the last character.
    Backspace,
    /// Go left.
    Left,
    /// Go right.
    Right,
    /// Go to the beginning.
    Home,
    /// Go to the end.
    End,
    /// Go to the next change.
    Tab,
}

/// The next step after a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Redraw the screen.
    Draw,
    /// Apply the decisions and end.
    Write,
    /// End without applying decisions.
    Quit,
}

/// The style of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineStyle {
    /// Plain text.
    Plain,
    /// A heading.
    Bold,
    /// The selected change.
    Chosen,
    /// An added line.
    Added,
    /// A removed line.
    Removed,
    /// A changed resource.
    Changed,
    /// Less important.
    Dim,
}

/// A line of the screen, cut to its width.
pub type Line = (String, LineStyle);

/// A review.
#[derive(Debug)]
pub struct Review {
    groups: Vec<Group>,
    decisions: Vec<Option<Decision>>,
    /// The index of the selected change among those that are shown.
    selected: usize,
    scroll: usize,
    /// The pattern of changes that are shown.
    filter: String,
    /// Whether keys go to the filter.
    is_typing: bool,
    /// The error of the filter.
    filter_error: Option<String>,
    /// Whether the question about decisions that were not applied is shown.
    asks_to_quit: bool,
}

impl Review {
    /// A review of these changes.
    #[must_use]
    pub fn new(groups: Vec<Group>) -> Review {
        let decisions = vec![None; groups.len()];
        Review {
            groups,
            decisions,
            selected: 0,
            scroll: 0,
            filter: String::new(),
            is_typing: false,
            filter_error: None,
            asks_to_quit: false,
        }
    }

    /// The groups that are shown, by number. An incomplete pattern shows all.
    fn visible_groups(&self) -> Vec<usize> {
        let pattern = Some(self.filter.as_str()).filter(|filter| !filter.is_empty()).map(Pattern::parse);
        let Some(Ok(pattern)) = pattern else { return (0..self.groups.len()).collect() };
        // A filter without wildcards matches anywhere.
        let is_plain = !self.filter.contains(['*', '?', '[']);
        let fits = |group: &Group| {
            let hunk = &group.hunk;
            if is_plain {
                let mut names = group.names.iter().chain([&hunk.reference]).chain(&hunk.parameters);
                return names.any(|name| name.contains(&self.filter));
            }
            let parameters = hunk.parameters.iter().map(|name| Some(name.as_str())).chain([None]);
            let parameters: Vec<Option<&str>> = parameters.collect();
            let is_selected =
                |name: &String| parameters.iter().any(|parameter| pattern.fits(name, &hunk.reference, *parameter));
            group.names.iter().any(is_selected)
        };
        self.groups.iter().enumerate().filter(|(_, group)| fits(group)).map(|(number, _)| number).collect()
    }

    /// Handles a key.
    pub fn press(&mut self, key: Key) -> Step {
        if self.is_typing {
            self.type_filter(key);
            return Step::Draw;
        }
        let visible = self.visible_groups();
        let is_confirmed = std::mem::take(&mut self.asks_to_quit);
        match key {
            Key::Char('q') if is_confirmed || self.decisions.iter().all(Option::is_none) => return Step::Quit,
            Key::Char('q') => self.asks_to_quit = true,
            Key::Char('w') | Key::Enter => return Step::Write,
            Key::Char('a') => self.decide(&visible, Some(Decision::Accept)),
            Key::Char('r') => self.decide(&visible, Some(Decision::Reject)),
            Key::Char('s') => self.decide(&visible, None),
            Key::Char('A') => visible.iter().for_each(|number| self.set(*number, Some(Decision::Accept))),
            Key::Char('R') => visible.iter().for_each(|number| self.set(*number, Some(Decision::Reject))),
            Key::Char('/') => self.is_typing = true,
            Key::Escape => self.filter.clear(),
            Key::Down | Key::Char('j') => self.select(self.selected.saturating_add(1), visible.len()),
            Key::Up | Key::Char('k') => self.select(self.selected.saturating_sub(1), visible.len()),
            Key::PageDown | Key::Char(' ') => self.scroll = self.scroll.saturating_add(10),
            Key::PageUp => self.scroll = self.scroll.saturating_sub(10),
            _ => {}
        }
        self.select(self.selected, self.visible_groups().len());
        Step::Draw
    }

    fn type_filter(&mut self, key: Key) {
        match key {
            Key::Char(c) => self.filter.push(c),
            Key::Backspace => drop(self.filter.pop()),
            Key::Escape => {
                self.filter.clear();
                self.is_typing = false;
            }
            // An invalid pattern shows all changes, so the filter cannot be finished with it.
            Key::Enter => self.is_typing = self.filter_error.is_some(),
            _ => {}
        }
        let parsed = Some(&self.filter).filter(|filter| !filter.is_empty()).map(|filter| Pattern::parse(filter));
        self.filter_error = parsed.and_then(Result::err).map(|reason| reason.message.into_owned());
        self.select(0, self.visible_groups().len());
    }

    fn select(&mut self, index: usize, count: usize) {
        let index = index.min(count.saturating_sub(1));
        if index != self.selected {
            self.scroll = 0;
        }
        self.selected = index;
    }

    fn set(&mut self, number: usize, decision: Option<Decision>) {
        if let Some(slot) = self.decisions.get_mut(number) {
            *slot = decision;
        }
    }

    /// Decides on the selected change and goes to the next one.
    fn decide(&mut self, visible: &[usize], decision: Option<Decision>) {
        if let Some(number) = visible.get(self.selected) {
            self.set(*number, decision);
            self.select(self.selected + 1, visible.len());
        }
    }

    /// The snapshots with this decision, and their resources.
    #[must_use]
    pub fn decided(&self, decision: Decision) -> BTreeSet<(&str, &str)> {
        let groups = self.groups.iter().zip(&self.decisions).filter(|(_, decided)| **decided == Some(decision));
        groups
            .flat_map(|(group, _)| group.names.iter().map(|name| (name.as_str(), group.hunk.reference.as_str())))
            .collect()
    }

    /// The number of accepted, rejected and open changes.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        let count = |decision: Option<Decision>| self.decisions.iter().filter(|decided| **decided == decision).count();
        [count(Some(Decision::Accept)), count(Some(Decision::Reject)), count(None)]
    }

    /// The screen: the list of changes, the selected one, a line of help.
    #[must_use]
    pub fn screen(&self, width: usize, height: usize) -> Vec<Line> {
        let visible = self.visible_groups();
        let [accepted, rejected, open] = self.counts();
        let mut lines = vec![(
            format!(
                "{} change{}: {accepted} accepted, {rejected} rejected, {open} open",
                self.groups.len(),
                if self.groups.len() == 1 { "" } else { "s" }
            ),
            LineStyle::Bold,
        )];
        let room = height.saturating_sub(5);
        let list = (room / 3).clamp(1, visible.len().max(1));
        let first = self.selected.saturating_sub(list.saturating_sub(1) / 2).min(visible.len().saturating_sub(list));
        for (position, number) in visible.iter().enumerate().skip(first).take(list) {
            let Some(group) = self.groups.get(*number) else { continue };
            let mark = match self.decisions.get(*number).copied().flatten() {
                Some(Decision::Accept) => "+",
                Some(Decision::Reject) => "x",
                None => " ",
            };
            let style = if position == self.selected { LineStyle::Chosen } else { LineStyle::Plain };
            lines.push((format!("{mark} {:>5} × {}", group.names.len(), title(group)), style));
        }
        if visible.is_empty() {
            lines.push(("no change matches the pattern".to_owned(), LineStyle::Dim));
        }
        lines.push(("─".repeat(width), LineStyle::Dim));
        let body = self.body(visible.get(self.selected).and_then(|number| self.groups.get(*number)));
        let rows_left = height.saturating_sub(lines.len() + 1);
        let scroll = self.scroll.min(body.len().saturating_sub(rows_left.max(1)));
        let has_more = body.len().saturating_sub(scroll) > rows_left;
        lines.extend(body.into_iter().skip(scroll).take(rows_left));
        if has_more && rows_left > 0 {
            lines.pop();
            lines.push(("… (space: on, page up: back)".to_owned(), LineStyle::Dim));
        }
        lines.resize(height.saturating_sub(1), (String::new(), LineStyle::Plain));
        lines.push(self.last_line());
        lines.truncate(height);
        for (text, _) in &mut lines {
            if text.chars().count() > width {
                *text = text.chars().take(width.saturating_sub(1)).chain(['…']).collect();
            }
        }
        lines
    }

    /// The filter while it is typed, the question about decisions that were not applied, or the help.
    fn last_line(&self) -> Line {
        match (&self.filter_error, self.is_typing) {
            (Some(error), _) => (format!("/{}  {error}", self.filter), LineStyle::Removed),
            (None, true) => (format!("/{}", self.filter), LineStyle::Bold),
            (None, false) if self.asks_to_quit => {
                let decided = self.decisions.iter().flatten().count();
                let text = format!(
                    "{decided} decided, not yet written: w writes and quits, q quits without, other keys continue"
                );
                (text, LineStyle::Bold)
            }
            (None, false) => {
                let filter = if self.filter.is_empty() { String::new() } else { format!("  [{}]", self.filter) };
                let help = "a accept  r reject  s leave open  A, R all shown  / pattern  w write and end  q end";
                (format!("{help}{filter}"), LineStyle::Dim)
            }
        }
    }

    fn body(&self, group: Option<&Group>) -> Vec<Line> {
        let Some(group) = group else { return Vec::new() };
        let mut lines = vec![(abbreviate(&group.names, 8), LineStyle::Dim)];
        for line in group.hunk.text.lines() {
            let style = match line.trim_start().chars().next() {
                Some('+') => LineStyle::Added,
                Some('-') => LineStyle::Removed,
                Some('~') => LineStyle::Changed,
                _ => LineStyle::Plain,
            };
            // Control characters, which terminals would interpret, are replaced.
            lines.push((line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect(), style));
        }
        lines
    }
}

/// A change in a line.
fn title(group: &Group) -> String {
    let hunk = &group.hunk;
    if hunk.kind == Kind::Whole {
        // The last line is the new value.
        let text = hunk.text.lines().next_back().unwrap_or_default();
        return text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    }
    let first = hunk.text.chars().next().unwrap_or(' ');
    let parameters =
        if hunk.parameters.is_empty() { String::new() } else { format!(": {}", hunk.parameters.join(", ")) };
    format!("{first} {}{parameters}", hunk.reference)
}

#[cfg(test)]
mod tests;
