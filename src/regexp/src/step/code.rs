//! From a parsed pattern to the steps of the stepwise engine.
//!
//! In: [`Pattern`]. Out: [`Code`]. A group that is called occurs once in the code and is called at its own position, too, as in
//! Ruby's engine. Must not: match.

use std::collections::HashMap;

use super::set::Set;
use crate::parse::Greed;
use crate::parse::Node;
use crate::parse::Pattern;
use crate::parse::Widths;

/// Steps that a pattern may become.
const MOST: usize = 200_000;

/// One step.
#[derive(Debug)]
pub(crate) enum Op {
    /// One character of a set.
    Set(usize),
    /// A condition on the position.
    Assert(Assert),
    /// What the other engine matches here, once.
    Piece(Box<fancy_regex::Regex>),
    /// Goes on at the first; at the second when that fails.
    Split(usize, usize),
    /// Goes on there.
    Jump(usize),
    /// Saves the position in a slot.
    Save(usize),
    /// A group begins; what refers to it finds nothing before it ends, if something does.
    Open(usize, bool),
    /// The group ends.
    Close(usize),
    /// The text of one of these groups, the first that fits.
    Back { groups: Vec<usize>, ignore_case: bool, level: Option<i64> },
    /// Calls a group.
    Call(usize),
    /// Goes on behind the call.
    Return,
    /// Begins what is decided once: an atomic group or a look ahead.
    Begin,
    /// It fits: no other way through it is tried. A look goes back to where it began.
    Cut { back: bool },
    /// Begins a negative look-around; continues there when it does not match.
    Unless(usize),
    /// It fits, so this way is none.
    Refuse,
    /// Moves back by this many characters.
    Behind(usize),
    /// Begins a round of a repetition.
    Round,
    /// Ends a round of a repetition; an empty round is the last: continues there.
    Last(usize),
    /// Tests whether a group took part; continues there if not.
    Took(usize, usize),
    /// As much text as does not contain what follows up to its `Found`, then continues there.
    Absent(usize),
    /// What must be absent was found.
    Found,
    /// The whole fits.
    Done,
    /// Nothing fits.
    Fail,
}

/// A condition on the position in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Assert {
    TextStart,
    TextEnd,
    LastLine,
    LineStart,
    LineEnd,
    Word { ascii: bool, at_edge: bool },
    SearchStart,
}

/// The steps of a pattern.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) sets: Vec<Set>,
    /// Groups that capture, with the whole.
    pub(crate) groups: usize,
    /// The slot of `\K`.
    pub(crate) keep: usize,
}

/// The code of `pattern`, whose parentheses have these final numbers; `None`: it is too large, or a part is unknown.
pub(crate) fn code(pattern: &Pattern, numbers: &[Option<usize>]) -> Option<Code> {
    let groups = 1 + numbers.iter().flatten().count();
    let widths = Widths::of(&pattern.root);
    let mut maker = CodeBuilder {
        widths: &widths,
        ops: Vec::new(),
        sets: Vec::new(),
        known: HashMap::new(),
        numbers,
        called: Vec::new(),
        referred: Vec::new(),
        placed: HashMap::new(),
        ignore_case: false,
        keep: groups * 2,
    };
    maker.find_called(&pattern.root);
    // The whole is a group that may be called.
    maker.push(Op::Call(3))?;
    maker.push(Op::Done)?;
    maker.push(Op::Fail)?;
    maker.node(&pattern.root)?;
    maker.push(Op::Return)?;
    let CodeBuilder { mut ops, sets, placed, keep, .. } = maker;
    for op in &mut ops {
        // Until all groups have their position, calls refer to groups by number.
        if let Op::Call(group) = op {
            *group = if *group < WHOLE { *group } else { *placed.get(&(*group - WHOLE))? };
        }
    }
    Some(Code { ops, sets, groups, keep })
}

/// Group numbers are offset by this in calls whose positions are not known yet.
const WHOLE: usize = 1 << 32;

struct CodeBuilder<'p> {
    widths: &'p Widths<'p>,
    ops: Vec<Op>,
    sets: Vec<Set>,
    /// Sets by their source and whether case matters.
    known: HashMap<(String, bool), usize>,
    numbers: &'p [Option<usize>],
    /// Parentheses that are called.
    called: Vec<usize>,
    /// Parentheses that are referred to.
    referred: Vec<usize>,
    /// Where each of those begins.
    placed: HashMap<usize, usize>,
    ignore_case: bool,
    keep: usize,
}

impl CodeBuilder<'_> {
    fn push(&mut self, op: Op) -> Option<usize> {
        self.ops.push(op);
        (self.ops.len() <= MOST).then(|| self.ops.len() - 1)
    }

    fn here(&self) -> usize {
        self.ops.len()
    }

    fn put(&mut self, at: usize, op: Op) {
        if let Some(place) = self.ops.get_mut(at) {
            *place = op;
        }
    }

    fn find_called(&mut self, node: &Node) {
        match node {
            Node::Call(Some(group)) => self.called.push(*group),
            Node::Back { groups, .. } => self.referred.extend(groups),
            _ => {}
        }
        node.each_part(&mut |part| self.find_called(part));
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Empty => {}
            Node::One(text) => {
                let set = self.set(text)?;
                self.push(Op::Set(set))?;
            }
            Node::Assert(text) => {
                let assert = match *text {
                    r"\A" => Assert::TextStart,
                    r"\z" => Assert::TextEnd,
                    r"\b" => Assert::Word { ascii: false, at_edge: true },
                    r"\B" => Assert::Word { ascii: false, at_edge: false },
                    r"(?-u:\b)" => Assert::Word { ascii: true, at_edge: true },
                    "(?m:$)" => Assert::LineEnd,
                    _ => return None,
                };
                self.push(Op::Assert(assert))?;
            }
            Node::Fancy(text, _) => match text.as_str() {
                r"\G" => {
                    self.push(Op::Assert(Assert::SearchStart))?;
                }
                r"\K" => {
                    self.push(Op::Save(self.keep))?;
                }
                text => {
                    let piece = fancy_regex::Regex::new(&format!(r"\G(?:{text})")).ok()?;
                    self.push(Op::Piece(Box::new(piece)))?;
                }
            },
            Node::LineStart => {
                self.push(Op::Assert(Assert::LineStart))?;
            }
            Node::TextEnd => {
                self.push(Op::Assert(Assert::LastLine))?;
            }
            Node::Concat(nodes) => {
                for node in nodes {
                    self.node(node)?;
                }
            }
            Node::Alternate(nodes) => self.alternatives(nodes)?,
            Node::Repeat { node, min, max, greed } => self.repeat(node, *min, *max, *greed)?,
            Node::Capture(index, node) => self.capture(*index, node)?,
            Node::Group(node) => self.node(node)?,
            Node::Case(ignore, node) => {
                let outer = std::mem::replace(&mut self.ignore_case, *ignore);
                self.node(node)?;
                self.ignore_case = outer;
            }
            Node::LookAhead { negative, node } => self.look(*negative, &mut |maker| maker.node(node))?,
            Node::LookBehind { negative, node } => self.look(*negative, &mut |maker| maker.behind(node))?,
            Node::Atomic(node) => {
                self.push(Op::Begin)?;
                self.node(node)?;
                self.push(Op::Cut { back: false })?;
            }
            Node::Back { groups, level } => {
                let groups = groups.iter().rev().filter_map(|group| self.number(*group)).collect();
                self.push(Op::Back { groups, ignore_case: self.ignore_case, level: *level })?;
            }
            Node::Call(None) => {
                self.push(Op::Call(3))?;
            }
            Node::Call(Some(group)) => {
                self.push(Op::Call(WHOLE + group))?;
            }
            Node::Condition { group, yes, no } => {
                let group = self.number(*group).unwrap_or(0);
                let took = self.push(Op::Fail)?;
                self.node(yes)?;
                let over = self.push(Op::Fail)?;
                self.put(took, Op::Took(group, self.here()));
                self.node(no)?;
                self.put(over, Op::Jump(self.here()));
            }
            Node::Absent(node) => {
                let absent = self.push(Op::Fail)?;
                self.node(node)?;
                self.push(Op::Found)?;
                self.put(absent, Op::Absent(self.here()));
            }
        }
        Some(())
    }

    fn number(&self, group: usize) -> Option<usize> {
        self.numbers.get(group).copied().flatten()
    }

    fn set(&mut self, text: &str) -> Option<usize> {
        let key = (text.to_owned(), self.ignore_case);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        self.sets.push(Set::new(text, self.ignore_case)?);
        self.known.insert(key, self.sets.len() - 1);
        Some(self.sets.len() - 1)
    }

    fn alternatives(&mut self, nodes: &[Node]) -> Option<()> {
        let mut ends = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if at + 1 == nodes.len() {
                self.node(node)?;
                break;
            }
            let split = self.push(Op::Fail)?;
            self.node(node)?;
            ends.push(self.push(Op::Fail)?);
            self.put(split, Op::Split(split + 1, self.here()));
        }
        for end in ends {
            self.put(end, Op::Jump(self.here()));
        }
        Some(())
    }

    fn capture(&mut self, index: usize, node: &Node) -> Option<()> {
        let called = self.called.contains(&index);
        if called && self.placed.contains_key(&index) {
            // A copy of a repetition.
            self.push(Op::Call(WHOLE + index))?;
            return Some(());
        }
        let over = if called {
            self.push(Op::Call(WHOLE + index))?;
            let over = self.push(Op::Fail)?;
            self.placed.insert(index, self.here());
            Some(over)
        } else {
            None
        };
        let number = self.number(index);
        if let Some(number) = number {
            let referred = self.referred.contains(&index);
            self.push(Op::Open(number, referred))?;
        }
        self.node(node)?;
        if let Some(number) = number {
            self.push(Op::Close(number))?;
        }
        if let Some(over) = over {
            self.push(Op::Return)?;
            self.put(over, Op::Jump(self.here()));
        }
        Some(())
    }

    fn look(&mut self, negative: bool, inner: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if negative {
            let unless = self.push(Op::Fail)?;
            inner(self)?;
            self.push(Op::Refuse)?;
            self.put(unless, Op::Unless(self.here()));
        } else {
            self.push(Op::Begin)?;
            inner(self)?;
            self.push(Op::Cut { back: true })?;
        }
        Some(())
    }

    /// What follows: each alternative begins as far back as it is wide.
    fn behind(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Alternate(branches) => {
                let mut ends = Vec::new();
                for branch in branches {
                    let split = self.push(Op::Fail)?;
                    self.behind(branch)?;
                    ends.push(self.push(Op::Fail)?);
                    self.put(split, Op::Split(split + 1, self.here()));
                }
                self.push(Op::Fail)?;
                for end in ends {
                    self.put(end, Op::Jump(self.here()));
                }
            }
            Node::Group(node) => self.behind(node)?,
            node => {
                let width = usize::try_from(self.widths.width(node)?).ok()?;
                self.push(Op::Behind(width))?;
                self.node(node)?;
            }
        }
        Some(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greed: Greed) -> Option<()> {
        if greed == Greed::Possessive {
            self.push(Op::Begin)?;
        }
        if max == Some(0) {
            // Not here, but it may be called.
            let over = self.push(Op::Fail)?;
            self.node(node)?;
            self.put(over, Op::Jump(self.here()));
        }
        for _ in 0..min {
            self.node(node)?;
        }
        let order = |here: usize, out: usize| {
            if greed == Greed::Lazy { Op::Split(out, here) } else { Op::Split(here, out) }
        };
        match max {
            None => {
                let split = self.push(Op::Fail)?;
                self.push(Op::Round)?;
                self.node(node)?;
                let last = self.push(Op::Fail)?;
                self.push(Op::Jump(split))?;
                let out = self.here();
                self.put(split, order(split + 1, out));
                self.put(last, Op::Last(out));
            }
            Some(max) => {
                let mut splits = Vec::new();
                for _ in min..max {
                    splits.push(self.push(Op::Fail)?);
                    self.node(node)?;
                }
                let out = self.here();
                for split in splits {
                    self.put(split, order(split + 1, out));
                }
            }
        }
        if greed == Greed::Possessive {
            self.push(Op::Cut { back: false })?;
        }
        Some(())
    }
}
