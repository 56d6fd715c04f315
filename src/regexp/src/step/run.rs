//! The stepwise engine: tries the branches of a pattern one after the other, like Ruby's engine.
//!
//! In: code and a string. Out: the spans of the groups, or that a limit was exceeded. Must not: know the pattern's source.

use std::sync::LazyLock;

use super::attempt::Attempt;
use super::attempt::Branch;
use super::attempt::ClosedGroup;
use super::attempt::NONE;
use super::attempt::OpenKind;
use super::attempt::Undo;
use super::code::Assert;
use super::code::Code;
use super::code::Op;
use super::set::Set;
use catwalk_base::meter;

/// Why a search was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitExceeded {
    Steps,
    Depth,
}

/// The highest number of steps of a search.
const MAX_STEPS: usize = 20_000_000;
/// The highest number of branches and calls that are open at the same time.
const MAX_OPEN: usize = 1_000_000;
/// The deepest nesting of absence operators.
const MAX_NESTED: usize = 200;

/// The byte range of each group; `None` if it did not participate.
pub(crate) type Spans = Vec<Option<(usize, usize)>>;

impl Code {
    /// Finds the first match that begins at or after `start`.
    pub(crate) fn search(&self, text: &str, start: usize) -> Result<Option<Spans>, LimitExceeded> {
        let mut search =
            Search { code: self, text, start, end: text.len(), slots: vec![NONE; self.keep + 1], steps: 0, nested: 0 };
        let mut at = start;
        loop {
            search.slots.fill(NONE);
            if let Some(end) = search.match_at(0, at)? {
                let span = |slot: usize| {
                    let (from, to) = (search.slots.get(slot * 2)?, search.slots.get(slot * 2 + 1)?);
                    (*from != NONE && *to != NONE).then_some((*from, (*to).max(*from)))
                };
                let start = search.slots.get(self.keep).copied().filter(|saved| *saved != NONE).unwrap_or(at);
                let mut spans = vec![Some((start, end.max(start)))];
                spans.extend((1..self.groups).map(span));
                return Ok(Some(spans));
            }
            match text.get(at..).and_then(|rest| rest.chars().next()) {
                Some(c) => at += c.len_utf8(),
                None => return Ok(None),
            }
        }
    }
}

struct Search<'c, 't> {
    code: &'c Code,
    text: &'t str,
    start: usize,
    /// The end of the searched part, in bytes.
    end: usize,
    /// The start and end of each group, by group number, and the position that `\K` saved.
    slots: Vec<usize>,
    steps: usize,
    /// The number of open absence operators.
    nested: usize,
}

impl Search<'_, '_> {
    fn next(&self, at: usize) -> Option<char> {
        if at >= self.end {
            return None;
        }
        self.text.get(at..)?.chars().next()
    }

    fn previous(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    /// Executes the steps from `op` at position `at`; returns the end of the match.
    fn match_at(&mut self, op: usize, at: usize) -> Result<Option<usize>, LimitExceeded> {
        let code = self.code;
        let mut attempt = Attempt::new(op, at);
        loop {
            self.count_step(&attempt)?;
            let Some(op) = code.ops.get(attempt.branch.op) else { return Ok(None) };
            attempt.branch.op += 1;
            if matches!(op, Op::Match | Op::AbsentFound) {
                return Ok(Some(attempt.branch.at));
            }
            if !self.execute(op, &mut attempt)? && !self.backtrack(&mut attempt) {
                return Ok(None);
            }
        }
    }

    fn count_step(&mut self, attempt: &Attempt) -> Result<(), LimitExceeded> {
        self.steps += 1;
        if self.steps & 0xFFFF == 0 {
            meter::tick(1 << 16);
        }
        if self.steps > MAX_STEPS {
            return Err(LimitExceeded::Steps);
        }
        if attempt.undo.len() > MAX_OPEN || attempt.opened.len() > MAX_OPEN {
            return Err(LimitExceeded::Depth);
        }
        Ok(())
    }

    /// Executes a step; returns whether it matched. Steps without `return` always match.
    fn execute(&mut self, op: &Op, attempt: &mut Attempt) -> Result<bool, LimitExceeded> {
        let at = attempt.branch.at;
        match op {
            Op::Set(set) => return Ok(self.match_set(*set, attempt)),
            Op::Assert(assert) => return Ok(self.holds(*assert, at)),
            Op::Pattern(pattern) => return Ok(self.match_pattern(pattern, attempt)),
            Op::Split(first, second) => {
                attempt.push_branch(*second);
                attempt.branch.op = *first;
            }
            Op::Jump(op) => attempt.branch.op = *op,
            Op::Save(slot) => self.save(*slot, at, attempt),
            Op::OpenGroup(group, referenced) => {
                attempt.enter(OpenKind::Group(at));
                if *referenced {
                    self.save(group * 2 + 1, NONE, attempt);
                }
            }
            Op::CloseGroup(group) => self.close_group(*group, attempt),
            Op::BackReference { groups, ignore_case, level } => {
                return Ok(self.match_back_reference(groups, *level, *ignore_case, attempt));
            }
            Op::Call(op) => {
                attempt.enter(OpenKind::Call(attempt.branch.op));
                attempt.branch.op = *op;
                attempt.branch.depth += 1;
            }
            Op::Return => {
                let Some(OpenKind::Call(op)) = attempt.leave() else { return Ok(false) };
                attempt.branch.op = op;
                attempt.branch.depth -= 1;
            }
            Op::BeginAtomic => attempt.enter(OpenKind::Atomic(at, attempt.undo.len())),
            Op::EndAtomic { back } => {
                let Some(OpenKind::Atomic(start, branches)) = attempt.leave() else { return Ok(false) };
                attempt.discard_branches(branches);
                attempt.branch.at = if *back { start } else { at };
            }
            Op::BeginNegative(op) => {
                attempt.push_branch(*op);
                attempt.enter(OpenKind::Atomic(at, attempt.undo.len() - 1));
            }
            Op::EndNegative => {
                self.undo_negative(attempt);
                return Ok(false);
            }
            Op::MoveBack(count) => return Ok(self.move_back(*count, attempt)),
            Op::BeginRound => attempt.enter(OpenKind::Round(at)),
            Op::EndRound(out) => {
                if matches!(attempt.leave(), Some(OpenKind::Round(start)) if start == at) {
                    attempt.branch.op = *out;
                }
            }
            Op::TestGroup(group, no) => {
                if self.span(*group).is_none() {
                    attempt.branch.op = *no;
                }
            }
            Op::Absent(after) => return self.match_absent(*after, attempt),
            Op::AbsentFound | Op::Match | Op::Fail => return Ok(false),
        }
        Ok(true)
    }

    /// Continues with the last branch that was not tried yet; returns whether there was one.
    fn backtrack(&mut self, attempt: &mut Attempt) -> bool {
        loop {
            match attempt.undo.pop() {
                None => return false,
                Some(Undo::Slot(slot, before)) => self.restore(slot, before),
                Some(Undo::Branch(branch, sizes)) => {
                    attempt.branch = branch;
                    attempt.opened.truncate(sizes.0);
                    attempt.closed.truncate(sizes.1);
                    return true;
                }
            }
        }
    }

    fn match_set(&self, set: usize, attempt: &mut Attempt) -> bool {
        match (self.next(attempt.branch.at), self.code.sets.get(set)) {
            (Some(c), Some(set)) if set.has(c) => {
                attempt.branch.at += c.len_utf8();
                true
            }
            _ => false,
        }
    }

    fn match_pattern(&self, pattern: &fancy_regex::Regex, attempt: &mut Attempt) -> bool {
        match pattern.find_from_pos(self.text, attempt.branch.at) {
            Ok(Some(found)) if found.end() <= self.end => {
                attempt.branch.at = found.end();
                true
            }
            _ => false,
        }
    }

    fn close_group(&mut self, group: usize, attempt: &mut Attempt) {
        let to = attempt.branch.at;
        let from = match attempt.leave() {
            Some(OpenKind::Group(from)) => from,
            _ => to,
        };
        self.save(group * 2, from, attempt);
        self.save(group * 2 + 1, to, attempt);
        let Branch { depth, closed: before, .. } = attempt.branch;
        attempt.closed.push(ClosedGroup { group, from, to, depth, before });
        attempt.branch.closed = attempt.closed.len() - 1;
    }

    fn match_back_reference(
        &self,
        groups: &[usize],
        level: Option<i64>,
        ignore_case: bool,
        attempt: &mut Attempt,
    ) -> bool {
        let at = attempt.branch.at;
        let end = match level {
            None => groups
                .iter()
                .filter_map(|group| self.span(*group))
                .find_map(|span| self.repeated(span, at, ignore_case)),
            Some(level) => attempt.span_at_level(groups, level).and_then(|span| self.repeated(span, at, ignore_case)),
        };
        attempt.branch.at = end.unwrap_or(at);
        end.is_some()
    }

    /// Restores the slots and discards the branches since the start of a negative look-around, which has matched.
    fn undo_negative(&mut self, attempt: &mut Attempt) {
        let Some(OpenKind::Atomic(_, branches)) = attempt.leave() else { return };
        while attempt.undo.len() > branches {
            if let Some(Undo::Slot(slot, before)) = attempt.undo.pop() {
                self.restore(slot, before);
            }
        }
    }

    /// Moves back by `count` characters; returns whether there are as many.
    fn move_back(&self, count: usize, attempt: &mut Attempt) -> bool {
        let Some(last) = count.checked_sub(1) else { return true };
        let start = self.text.get(..attempt.branch.at).unwrap_or("").char_indices().rev().nth(last);
        attempt.branch.at = start.map_or(attempt.branch.at, |(at, _)| at);
        start.is_some()
    }

    /// Continues at step `after` with the longest string without a match of the absent pattern; shorter ones become branches.
    fn match_absent(&mut self, after: usize, attempt: &mut Attempt) -> Result<bool, LimitExceeded> {
        let mut ends = self.ends_without_match(attempt.branch.op, attempt.branch.at)?;
        attempt.branch.op = after;
        let Some(longest) = ends.pop() else { return Ok(false) };
        // The last branch on the stack is tried first.
        let (branch, sizes) = (attempt.branch, (attempt.opened.len(), attempt.closed.len()));
        attempt.undo.extend(ends.into_iter().map(|at| Undo::Branch(Branch { at, ..branch }, sizes)));
        attempt.branch.at = longest;
        Ok(true)
    }

    fn save(&mut self, slot: usize, position: usize, attempt: &mut Attempt) {
        if let Some(saved) = self.slots.get_mut(slot) {
            attempt.undo.push(Undo::Slot(slot, *saved));
            *saved = position;
        }
    }

    fn restore(&mut self, slot: usize, position: usize) {
        if let Some(saved) = self.slots.get_mut(slot) {
            *saved = position;
        }
    }

    fn span(&self, group: usize) -> Option<(usize, usize)> {
        let (from, to) = (*self.slots.get(group * 2)?, *self.slots.get(group * 2 + 1)?);
        (from != NONE && to != NONE).then_some((from, to))
    }

    /// The position after another occurrence of a captured string at `at`.
    fn repeated(&self, (from, to): (usize, usize), at: usize, ignore_case: bool) -> Option<usize> {
        // The span of a group that has begun again ends before it begins.
        let captured = self.text.get(from..to).unwrap_or("");
        if !ignore_case {
            let fits = at + captured.len() <= self.end && self.text.get(at..)?.starts_with(captured);
            return fits.then_some(at + captured.len());
        }
        let mut at = at;
        for c in captured.chars() {
            let next = self.next(at)?;
            if next != c && !next.to_lowercase().eq(c.to_lowercase()) {
                return None;
            }
            at += next.len_utf8();
        }
        Some(at)
    }

    /// The positions, in ascending order, up to which the string contains no match of the absent pattern. (`OP_ABSENT` of Ruby's engine,
    /// which uses the first match at each position and ends before the last character of this match)
    fn ends_without_match(&mut self, inner: usize, from: usize) -> Result<Vec<usize>, LimitExceeded> {
        if self.nested >= MAX_NESTED {
            return Err(LimitExceeded::Depth);
        }
        self.nested += 1;
        let (end, slots) = (self.end, self.slots.clone());
        let mut ends = Vec::new();
        // The current and the previous position; the start has no previous position.
        let (mut at, mut before) = (from, self.previous(from).map(|c| from - c.len_utf8()));
        loop {
            if at > from && at >= self.end {
                if at == self.end {
                    ends.push(at);
                }
                break;
            }
            ends.push(at);
            if let Some(found) = self.match_at(inner, at)? {
                // Groups in the absent pattern did not participate.
                self.slots.clone_from(&slots);
                let last = if found > at { self.previous(found).map(|c| found - c.len_utf8()) } else { before };
                match last.filter(|last| *last >= from) {
                    Some(last) => self.end = self.end.min(last),
                    // The absent pattern matches the empty string.
                    None => {
                        ends.clear();
                        break;
                    }
                }
            }
            let Some(c) = self.text.get(at..end).and_then(|rest| rest.chars().next()) else { break };
            before = Some(at);
            at += c.len_utf8();
        }
        self.end = end;
        self.nested -= 1;
        Ok(ends)
    }

    fn holds(&self, assert: Assert, at: usize) -> bool {
        match assert {
            Assert::TextStart => at == 0,
            Assert::TextEnd => at == self.text.len(),
            Assert::LastLine => at == self.text.len() || self.text.get(at..) == Some("\n"),
            Assert::LineStart => at == 0 || (at < self.text.len() && self.previous(at) == Some('\n')),
            Assert::LineEnd => at == self.text.len() || self.text.get(at..).is_some_and(|rest| rest.starts_with('\n')),
            Assert::Word { ascii, at_edge } => {
                let next = self.text.get(at..).and_then(|rest| rest.chars().next());
                (self.previous(at).is_some_and(|c| is_word(c, ascii)) != next.is_some_and(|c| is_word(c, ascii)))
                    == at_edge
            }
            Assert::SearchStart => at == self.start,
        }
    }
}

/// Whether a character is part of a word for `\b`.
fn is_word(c: char, ascii: bool) -> bool {
    static WORD: LazyLock<Option<Set>> = LazyLock::new(|| Set::new(r"\w", false));
    if ascii || c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    WORD.as_ref().is_some_and(|set| set.has(c))
}
