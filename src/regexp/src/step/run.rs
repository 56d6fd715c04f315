//! The stepwise engine: tries the ways through a pattern one after the other, as Ruby's engine does.
//!
//! In: code and a text. Out: what the groups matched, or that the search took too long. Must not: know the pattern's source.

use super::code::Assert;
use super::code::Code;
use super::code::Op;
use catwalk_base::meter;

/// Why a search was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GaveUp {
    Steps,
    Depth,
}

/// Steps of one search.
const STEPS: usize = 20_000_000;
/// Ways and calls that may be open at once.
const OPEN: usize = 1_000_000;
/// What is looked for inside of what must be absent nests so deep.
const NESTED: usize = 200;

/// No position.
const NONE: usize = usize::MAX;

/// What to undo when a branch fails.
enum Undo {
    /// Try another branch.
    Branch(Branch, Sizes),
    /// A slot is restored.
    Slot(usize, usize),
}

/// How many were opened and closed so far.
type Sizes = (usize, usize);

/// What is open at a position: a linked list to the previously opened entry.
#[derive(Clone, Copy)]
struct Open {
    what: OpenKind,
    outer: usize,
}

#[derive(Clone, Copy)]
enum OpenKind {
    /// A call: where it returns to.
    Call(usize),
    /// A round of a repetition: where it began.
    Round(usize),
    /// A group: where it began.
    Group(usize),
    /// An atomic group: where it began, and how many branches were open.
    Once(usize, usize),
}

/// A closed group, for references with a level.
#[derive(Clone, Copy)]
struct ClosedGroup {
    group: usize,
    from: usize,
    to: usize,
    depth: i64,
    before: usize,
}

/// Byte offsets of each group.
pub(crate) type Spans = Vec<Option<(usize, usize)>>;

impl Code {
    /// The first match at `start` or after it.
    pub(crate) fn search(&self, text: &str, start: usize) -> Result<Option<Spans>, GaveUp> {
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
    /// No character at or behind it is taken.
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

    /// Runs from a step at a position; returns the end of the match.
    fn from(&mut self, op: usize, at: usize) -> Result<Option<usize>, GaveUp> {
        let mut way = Branch { op, at, open: NONE, depth: 0, closed: NONE };
        let mut undo: Vec<Undo> = Vec::new();
        let mut opened: Vec<Open> = Vec::new();
        let mut ended: Vec<ClosedGroup> = Vec::new();
        loop {
            self.steps += 1;
            if self.steps & 0xFFFF == 0 {
                meter::tick(1 << 16);
            }
            if self.steps > STEPS {
                return Err(GaveUp::Steps);
            }
            if undo.len() > OPEN || opened.len() > OPEN {
                return Err(GaveUp::Depth);
            }
            let Some(op) = self.code.ops.get(way.op) else { return Ok(None) };
            way.op += 1;
            let fits = match op {
                Op::Set(set) => match (self.next(way.at), self.code.sets.get(*set)) {
                    (Some(c), Some(set)) if set.has(c) => {
                        way.at += c.len_utf8();
                        true
                    }
                    _ => false,
                },
                Op::Assert(assert) => self.holds(*assert, way.at),
                Op::Piece(piece) => match piece.find_from_pos(self.text, way.at) {
                    Ok(Some(found)) if found.end() <= self.end => {
                        way.at = found.end();
                        true
                    }
                    _ => false,
                },
                Op::Split(first, second) => {
                    undo.push(Undo::Branch(Branch { op: *second, ..way }, (opened.len(), ended.len())));
                    way.op = *first;
                    true
                }
                Op::Jump(op) => {
                    way.op = *op;
                    true
                }
                Op::Save(slot) => {
                    self.set(*slot, way.at, &mut undo);
                    true
                }
                Op::Open(group, referred) => {
                    way.enter(OpenKind::Group(way.at), &mut opened);
                    if *referred {
                        self.set(group * 2 + 1, NONE, &mut undo);
                    }
                    true
                }
                Op::Close(group) => {
                    let from = match way.leave(&opened) {
                        Some(OpenKind::Group(from)) => from,
                        _ => way.at,
                    };
                    self.set(group * 2, from, &mut undo);
                    self.set(group * 2 + 1, way.at, &mut undo);
                    ended.push(ClosedGroup { group: *group, from, to: way.at, depth: way.depth, before: way.closed });
                    way.closed = ended.len() - 1;
                    true
                }
                Op::Back { groups, ignore_case, level } => {
                    let spans: Vec<(usize, usize)> = match level {
                        None => groups.iter().filter_map(|group| self.span(*group)).collect(),
                        Some(level) => {
                            let wanted = way.depth + level;
                            let mut at = way.closed;
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
                    match spans.into_iter().find_map(|span| self.repeated(span, way.at, *ignore_case)) {
                        Some(at) => {
                            way.at = at;
                            true
                        }
                        None => false,
                    }
                }
                Op::Call(op) => {
                    way.enter(OpenKind::Call(way.op), &mut opened);
                    way.op = *op;
                    way.depth += 1;
                    true
                }
                Op::Return => match way.leave(&opened) {
                    Some(OpenKind::Call(op)) => {
                        way.op = op;
                        way.depth -= 1;
                        true
                    }
                    _ => false,
                },
                Op::Begin => {
                    way.enter(OpenKind::Once(way.at, undo.len()), &mut opened);
                    true
                }
                Op::Cut { back } => match way.leave(&opened) {
                    Some(OpenKind::Once(at, ways)) => {
                        cut(&mut undo, ways);
                        way.at = if *back { at } else { way.at };
                        true
                    }
                    _ => false,
                },
                Op::Unless(op) => {
                    undo.push(Undo::Branch(Branch { op: *op, ..way }, (opened.len(), ended.len())));
                    way.enter(OpenKind::Once(way.at, undo.len() - 1), &mut opened);
                    true
                }
                Op::Refuse => {
                    if let Some(OpenKind::Once(_, ways)) = way.leave(&opened) {
                        while undo.len() > ways {
                            if let Some(Undo::Slot(slot, before)) = undo.pop() {
                                self.restore(slot, before);
                            }
                        }
                    }
                    false
                }
                Op::Behind(count) => {
                    let mut back = self.text.get(..way.at).unwrap_or("").char_indices().rev();
                    match count.checked_sub(1).map(|last| back.nth(last)) {
                        None => true,
                        Some(Some((at, _))) => {
                            way.at = at;
                            true
                        }
                        Some(None) => false,
                    }
                }
                Op::Round => {
                    way.enter(OpenKind::Round(way.at), &mut opened);
                    true
                }
                Op::Last(out) => {
                    if let Some(OpenKind::Round(at)) = way.leave(&opened)
                        && at == way.at
                    {
                        way.op = *out;
                    }
                    true
                }
                Op::Took(group, otherwise) => {
                    if self.span(*group).is_none() {
                        way.op = *otherwise;
                    }
                    true
                }
                Op::Absent(behind) => {
                    let inner = way.op;
                    way.op = *behind;
                    let mut places = self.without(inner, way.at)?;
                    let last = places.pop();
                    // The last is tried first.
                    let sizes = (opened.len(), ended.len());
                    undo.extend(places.into_iter().map(|at| Undo::Branch(Branch { at, ..way }, sizes)));
                    way.at = last.unwrap_or(way.at);
                    last.is_some()
                }
                Op::Found | Op::Done => return Ok(Some(way.at)),
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
                        way = other;
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

    /// The position after a repetition of the captured text.
    fn repeated(&self, (from, to): (usize, usize), at: usize, ignore_case: bool) -> Option<usize> {
        // A group that has begun again and not ended yet ends before it begins.
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

    /// The positions up to which the text does not contain what must be absent, in order. (`OP_ABSENT` of Ruby's engine, which
    /// takes the first match at each place, and what lies before its last character)
    fn without(&mut self, inner: usize, from: usize) -> Result<Vec<usize>, GaveUp> {
        if self.nested >= NESTED {
            return Err(GaveUp::Depth);
        }
        self.nested += 1;
        let (end, slots) = (self.end, self.slots.clone());
        let mut places = Vec::new();
        // The current position and the one before; there is none before the start.
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
                // What was absent has taken no part.
                self.slots.clone_from(&slots);
                let last = if found > at { self.previous(found).map(|c| found - c.len_utf8()) } else { before };
                match last.filter(|last| *last >= from) {
                    Some(last) => self.end = self.end.min(last),
                    // It is found at once, without a character.
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

/// Whether a character is part of a word, as `\b` sees it.
fn word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { regex_syntax_word(c) }
}

fn regex_syntax_word(c: char) -> bool {
    use std::sync::LazyLock;
    static WORD: LazyLock<Option<super::set::Set>> = LazyLock::new(|| super::set::Set::new(r"\w", false));
    WORD.as_ref().is_some_and(|set| set.has(c))
}

/// Removes the branches above this number, but keeps the saved slots.
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

/// A branch to try: the next step, the position, what is open.
#[derive(Clone, Copy)]
struct Branch {
    op: usize,
    at: usize,
    open: usize,
    depth: i64,
    closed: usize,
}

impl Branch {
    fn enter(&mut self, what: OpenKind, opened: &mut Vec<Open>) {
        opened.push(Open { what, outer: self.open });
        self.open = opened.len() - 1;
    }

    fn leave(&mut self, opened: &[Open]) -> Option<OpenKind> {
        let open = opened.get(self.open)?;
        self.open = open.outer;
        Some(open.what)
    }
}
