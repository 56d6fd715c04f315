//! The stepwise engine: tries the branches of a pattern one after the other, like Ruby's engine.
//!
//! In: code and a string. Out: the spans of the groups, or that a limit was exceeded. Must not: know the pattern's source.

use super::code::Assert;
use super::code::Code;
use super::code::Op;
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

/// Marks an empty slot or the end of a list.
const NONE: usize = usize::MAX;

/// An action to undo when a branch fails.
enum Undo {
    /// Continues with another branch, after truncating the lists to these sizes.
    Branch(Branch, Sizes),
    /// Restores the position in a slot.
    Slot(usize, usize),
}

/// The lengths of the lists of opened and of closed entries.
type Sizes = (usize, usize);

/// An open call, round, group or atomic group: an entry of a linked list. `outer` is the index of the entry around it.
#[derive(Clone, Copy)]
struct OpenEntry {
    kind: OpenKind,
    outer: usize,
}

#[derive(Clone, Copy)]
enum OpenKind {
    /// A call, with the step at which it returns.
    Call(usize),
    /// A round of a repetition, with its start position.
    Round(usize),
    /// A group, with its start position.
    Group(usize),
    /// An atomic group or look-around, with its start position and the number of branches that were open.
    Atomic(usize, usize),
}

/// A closed group, for references with a level: an entry of a linked list. `before` is the index of the previous entry.
#[derive(Clone, Copy)]
struct ClosedGroup {
    group: usize,
    from: usize,
    to: usize,
    depth: i64,
    before: usize,
}

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
            if let Some(end) = search.from(0, at)? {
                let span = |slot: usize| {
                    let (from, to) = (search.slots.get(slot * 2)?, search.slots.get(slot * 2 + 1)?);
                    (*from != NONE && *to != NONE).then_some((*from, (*to).max(*from)))
                };
                let kept = search.slots.get(self.keep).copied().filter(|kept| *kept != NONE).unwrap_or(at);
                let mut spans = vec![Some((kept, end.max(kept)))];
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
    slots: Vec<usize>,
    steps: usize,
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
    fn from(&mut self, op: usize, at: usize) -> Result<Option<usize>, LimitExceeded> {
        let mut branch = Branch { op, at, open: NONE, depth: 0, closed: NONE };
        let mut undo: Vec<Undo> = Vec::new();
        let mut opened: Vec<OpenEntry> = Vec::new();
        let mut ended: Vec<ClosedGroup> = Vec::new();
        loop {
            self.steps += 1;
            if self.steps & 0xFFFF == 0 {
                meter::tick(1 << 16);
            }
            if self.steps > MAX_STEPS {
                return Err(LimitExceeded::Steps);
            }
            if undo.len() > MAX_OPEN || opened.len() > MAX_OPEN {
                return Err(LimitExceeded::Depth);
            }
            let Some(op) = self.code.ops.get(branch.op) else { return Ok(None) };
            branch.op += 1;
            let fits = match op {
                Op::Set(set) => match (self.next(branch.at), self.code.sets.get(*set)) {
                    (Some(c), Some(set)) if set.has(c) => {
                        branch.at += c.len_utf8();
                        true
                    }
                    _ => false,
                },
                Op::Assert(assert) => self.holds(*assert, branch.at),
                Op::Pattern(piece) => match piece.find_from_pos(self.text, branch.at) {
                    Ok(Some(found)) if found.end() <= self.end => {
                        branch.at = found.end();
                        true
                    }
                    _ => false,
                },
                Op::Split(first, second) => {
                    undo.push(Undo::Branch(Branch { op: *second, ..branch }, (opened.len(), ended.len())));
                    branch.op = *first;
                    true
                }
                Op::Jump(op) => {
                    branch.op = *op;
                    true
                }
                Op::Save(slot) => {
                    self.set(*slot, branch.at, &mut undo);
                    true
                }
                Op::OpenGroup(group, referred) => {
                    branch.enter(OpenKind::Group(branch.at), &mut opened);
                    if *referred {
                        self.set(group * 2 + 1, NONE, &mut undo);
                    }
                    true
                }
                Op::CloseGroup(group) => {
                    let from = match branch.leave(&opened) {
                        Some(OpenKind::Group(from)) => from,
                        _ => branch.at,
                    };
                    self.set(group * 2, from, &mut undo);
                    self.set(group * 2 + 1, branch.at, &mut undo);
                    ended.push(ClosedGroup {
                        group: *group,
                        from,
                        to: branch.at,
                        depth: branch.depth,
                        before: branch.closed,
                    });
                    branch.closed = ended.len() - 1;
                    true
                }
                Op::BackReference { groups, ignore_case, level } => {
                    let spans: Vec<(usize, usize)> = match level {
                        None => groups.iter().filter_map(|group| self.span(*group)).collect(),
                        Some(level) => {
                            let wanted = branch.depth + level;
                            let mut at = branch.closed;
                            let mut spans = Vec::new();
                            while let Some(closed) = ended.get(at) {
                                if closed.depth == wanted && groups.contains(&closed.group) {
                                    spans.push((closed.from, closed.to));
                                    break;
                                }
                                at = closed.before;
                            }
                            spans
                        }
                    };
                    match spans.into_iter().find_map(|span| self.repeated(span, branch.at, *ignore_case)) {
                        Some(at) => {
                            branch.at = at;
                            true
                        }
                        None => false,
                    }
                }
                Op::Call(op) => {
                    branch.enter(OpenKind::Call(branch.op), &mut opened);
                    branch.op = *op;
                    branch.depth += 1;
                    true
                }
                Op::Return => match branch.leave(&opened) {
                    Some(OpenKind::Call(op)) => {
                        branch.op = op;
                        branch.depth -= 1;
                        true
                    }
                    _ => false,
                },
                Op::BeginAtomic => {
                    branch.enter(OpenKind::Atomic(branch.at, undo.len()), &mut opened);
                    true
                }
                Op::EndAtomic { back } => match branch.leave(&opened) {
                    Some(OpenKind::Atomic(at, ways)) => {
                        cut(&mut undo, ways);
                        branch.at = if *back { at } else { branch.at };
                        true
                    }
                    _ => false,
                },
                Op::BeginNegative(op) => {
                    undo.push(Undo::Branch(Branch { op: *op, ..branch }, (opened.len(), ended.len())));
                    branch.enter(OpenKind::Atomic(branch.at, undo.len() - 1), &mut opened);
                    true
                }
                Op::EndNegative => {
                    if let Some(OpenKind::Atomic(_, ways)) = branch.leave(&opened) {
                        while undo.len() > ways {
                            if let Some(Undo::Slot(slot, before)) = undo.pop() {
                                self.restore(slot, before);
                            }
                        }
                    }
                    false
                }
                Op::MoveBack(count) => {
                    let mut back = self.text.get(..branch.at).unwrap_or("").char_indices().rev();
                    match count.checked_sub(1).map(|last| back.nth(last)) {
                        None => true,
                        Some(Some((at, _))) => {
                            branch.at = at;
                            true
                        }
                        Some(None) => false,
                    }
                }
                Op::BeginRound => {
                    branch.enter(OpenKind::Round(branch.at), &mut opened);
                    true
                }
                Op::EndRound(out) => {
                    if let Some(OpenKind::Round(at)) = branch.leave(&opened)
                        && at == branch.at
                    {
                        branch.op = *out;
                    }
                    true
                }
                Op::TestGroup(group, otherwise) => {
                    if self.span(*group).is_none() {
                        branch.op = *otherwise;
                    }
                    true
                }
                Op::Absent(behind) => {
                    let inner = branch.op;
                    branch.op = *behind;
                    let mut places = self.without(inner, branch.at)?;
                    let last = places.pop();
                    // The last branch on the stack is tried first.
                    let sizes = (opened.len(), ended.len());
                    undo.extend(places.into_iter().map(|at| Undo::Branch(Branch { at, ..branch }, sizes)));
                    branch.at = last.unwrap_or(branch.at);
                    last.is_some()
                }
                Op::AbsentFound | Op::Match => return Ok(Some(branch.at)),
                Op::Fail => false,
            };
            if fits {
                continue;
            }
            loop {
                match undo.pop() {
                    None => return Ok(None),
                    Some(Undo::Slot(slot, before)) => self.restore(slot, before),
                    Some(Undo::Branch(other, sizes)) => {
                        branch = other;
                        opened.truncate(sizes.0);
                        ended.truncate(sizes.1);
                        break;
                    }
                }
            }
        }
    }

    fn set(&mut self, slot: usize, to: usize, undo: &mut Vec<Undo>) {
        if let Some(place) = self.slots.get_mut(slot) {
            undo.push(Undo::Slot(slot, *place));
            *place = to;
        }
    }

    fn restore(&mut self, slot: usize, before: usize) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = before;
        }
    }

    fn span(&self, group: usize) -> Option<(usize, usize)> {
        let (from, to) = (*self.slots.get(group * 2)?, *self.slots.get(group * 2 + 1)?);
        (from != NONE && to != NONE).then_some((from, to))
    }

    /// The position after another occurrence of a captured string at `at`.
    fn repeated(&self, (from, to): (usize, usize), at: usize, ignore_case: bool) -> Option<usize> {
        // The span of a group that has begun again ends before it begins.
        let wanted = self.text.get(from..to).unwrap_or("");
        if !ignore_case {
            let fits = at + wanted.len() <= self.end && self.text.get(at..)?.starts_with(wanted);
            return fits.then_some(at + wanted.len());
        }
        let mut at = at;
        for c in wanted.chars() {
            let own = self.next(at)?;
            if own != c && !own.to_lowercase().eq(c.to_lowercase()) {
                return None;
            }
            at += own.len_utf8();
        }
        Some(at)
    }

    /// The positions, in ascending order, up to which the string contains no match of the absent pattern. (`OP_ABSENT` of Ruby's engine,
    /// which uses the first match at each position and ends before the last character of this match)
    fn without(&mut self, inner: usize, from: usize) -> Result<Vec<usize>, LimitExceeded> {
        if self.nested >= MAX_NESTED {
            return Err(LimitExceeded::Depth);
        }
        self.nested += 1;
        let (end, slots) = (self.end, self.slots.clone());
        let mut places = Vec::new();
        // The current and the previous position; the start has no previous position.
        let (mut at, mut before) = (from, self.previous(from).map(|c| from - c.len_utf8()));
        loop {
            if at > from && at >= self.end {
                if at == self.end {
                    places.push(at);
                }
                break;
            }
            places.push(at);
            if let Some(found) = self.from(inner, at)? {
                // Groups in the absent pattern did not participate.
                self.slots.clone_from(&slots);
                let last = if found > at { self.previous(found).map(|c| found - c.len_utf8()) } else { before };
                match last.filter(|last| *last >= from) {
                    Some(last) => self.end = self.end.min(last),
                    // The absent pattern matches the empty string.
                    None => {
                        places.clear();
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
        Ok(places)
    }

    fn holds(&self, assert: Assert, at: usize) -> bool {
        match assert {
            Assert::TextStart => at == 0,
            Assert::TextEnd => at == self.text.len(),
            Assert::LastLine => at == self.text.len() || self.text.get(at..) == Some("\n"),
            Assert::LineStart => at == 0 || (at < self.text.len() && self.previous(at) == Some('\n')),
            Assert::LineEnd => at == self.text.len() || self.text.get(at..).is_some_and(|rest| rest.starts_with('\n')),
            Assert::Word { ascii, at_edge } => {
                let is_word = |c: char| if ascii { c.is_ascii_alphanumeric() || c == '_' } else { word(c) };
                let behind = self.text.get(at..).and_then(|rest| rest.chars().next());
                (self.previous(at).is_some_and(is_word) != behind.is_some_and(is_word)) == at_edge
            }
            Assert::SearchStart => at == self.start,
        }
    }
}

/// Whether a character is part of a word for `\b`.
fn word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { regex_syntax_word(c) }
}

fn regex_syntax_word(c: char) -> bool {
    use std::sync::LazyLock;
    static WORD: LazyLock<Option<super::set::Set>> = LazyLock::new(|| super::set::Set::new(r"\w", false));
    WORD.as_ref().is_some_and(|set| set.has(c))
}

/// Removes the branches above this number, but keeps the entries that restore slots.
fn cut(undo: &mut Vec<Undo>, ways: usize) {
    let mut kept = ways;
    for at in ways..undo.len() {
        if matches!(undo.get(at), Some(Undo::Slot(..))) {
            undo.swap(kept, at);
            kept += 1;
        }
    }
    undo.truncate(kept);
}

/// A branch to try: the next step, the position and the open entries.
#[derive(Clone, Copy)]
struct Branch {
    op: usize,
    at: usize,
    open: usize,
    depth: i64,
    closed: usize,
}

impl Branch {
    fn enter(&mut self, kind: OpenKind, opened: &mut Vec<OpenEntry>) {
        opened.push(OpenEntry { kind, outer: self.open });
        self.open = opened.len() - 1;
    }

    fn leave(&mut self, opened: &[OpenEntry]) -> Option<OpenKind> {
        let open = opened.get(self.open)?;
        self.open = open.outer;
        Some(open.kind)
    }
}
