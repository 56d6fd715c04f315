//! Compiles a parsed pattern to the steps of the stepwise engine.
//!
//! In: [`Pattern`]. Out: [`Code`]. Must not: match. The steps of a group that is called exist once; the position of the group calls
//! them, too, as in Ruby's engine.

use std::collections::HashMap;

use super::set::Set;
use crate::parse::Greed;
use crate::parse::Node;
use crate::parse::Pattern;
use crate::parse::Widths;

/// The highest number of steps of a pattern.
const MAX_STEPS: usize = 200_000;

/// A step. Numbers named "step" are indexes in [`Code::ops`].
#[derive(Debug)]
pub(crate) enum Op {
    /// Matches one character of a set.
    Set(usize),
    /// Tests a condition of the position.
    Assert(Assert),
    /// Matches a pattern of fancy-regex at this position, without backtracking into it.
    Pattern(Box<fancy_regex::Regex>),
    /// Continues at the first step; at the second if that fails.
    Split(usize, usize),
    /// Continues at this step.
    Jump(usize),
    /// Saves the position in a slot.
    Save(usize),
    /// Begins a group. If the flag is set (something refers to the group), references to it fail until it ends.
    OpenGroup(usize, bool),
    /// Ends the group.
    CloseGroup(usize),
    /// Matches the string that one of these groups captured: the first that matches.
    BackReference { groups: Vec<usize>, ignore_case: bool, level: Option<i64> },
    /// Calls the steps of a group.
    Call(usize),
    /// Continues after the call.
    Return,
    /// Begins an atomic group or a positive look-around.
    BeginAtomic,
    /// Ends an atomic group or a positive look-around: discards its remaining branches. `back` (look-arounds): returns to its start.
    EndAtomic { back: bool },
    /// Begins a negative look-around; continues at this step if it does not match.
    BeginNegative(usize),
    /// The negative look-around matched: fails.
    EndNegative,
    /// Moves back by this number of characters.
    MoveBack(usize),
    /// Begins a round of a repetition.
    BeginRound,
    /// Ends a round of a repetition; continues at this step if the round was empty, so that it is the last.
    EndRound(usize),
    /// Tests whether a group (the first number) participated; continues at the step if not.
    TestGroup(usize, usize),
    /// Matches the longest string that does not contain a match of the following steps up to `AbsentFound`, then continues at this step.
    Absent(usize),
    /// The steps of an absence operator matched.
    AbsentFound,
    /// The whole pattern matched.
    Match,
    /// The pattern does not match at this position.
    Fail,
}

/// A condition of a position in the string.
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
    /// The number of capturing groups, including the whole match.
    pub(crate) groups: usize,
    /// The slot in which `\K` saves its position.
    pub(crate) keep: usize,
}

/// Compiles `pattern`, whose parentheses have these final numbers. `None` if it is too large or contains an unsupported node.
pub(crate) fn code(pattern: &Pattern, numbers: &[Option<usize>]) -> Option<Code> {
    let groups = 1 + numbers.iter().flatten().count();
    let widths = Widths::of(&pattern.root);
    let mut builder = CodeBuilder {
        widths: &widths,
        ops: Vec::new(),
        sets: Vec::new(),
        set_indexes: HashMap::new(),
        numbers,
        called: Vec::new(),
        referenced: Vec::new(),
        group_starts: HashMap::new(),
        ignore_case: false,
        keep: groups * 2,
    };
    builder.find_called(&pattern.root);
    // The whole pattern is a group that can be called.
    builder.push(Op::Call(3))?;
    builder.push(Op::Match)?;
    builder.push(Op::Fail)?;
    builder.node(&pattern.root)?;
    builder.push(Op::Return)?;
    let CodeBuilder { mut ops, sets, group_starts, keep, .. } = builder;
    for op in &mut ops {
        // While groups are compiled, calls contain numbers of groups instead of steps.
        if let Op::Call(group) = op {
            *group = if *group < GROUP_OFFSET { *group } else { *group_starts.get(&(*group - GROUP_OFFSET))? };
        }
    }
    Some(Code { ops, sets, groups, keep })
}

/// Added to the number of a group in a call whose step is not known yet.
const GROUP_OFFSET: usize = 1 << 32;

struct CodeBuilder<'p> {
    widths: &'p Widths<'p>,
    ops: Vec<Op>,
    sets: Vec<Set>,
    /// Indexes of sets by their source and whether they ignore case.
    set_indexes: HashMap<(String, bool), usize>,
    numbers: &'p [Option<usize>],
    /// Parentheses that are called.
    called: Vec<usize>,
    /// Parentheses that backreferences refer to.
    referenced: Vec<usize>,
    /// The first step of each called group.
    group_starts: HashMap<usize, usize>,
    ignore_case: bool,
    keep: usize,
}

impl CodeBuilder<'_> {
    fn push(&mut self, op: Op) -> Option<usize> {
        self.ops.push(op);
        (self.ops.len() <= MAX_STEPS).then(|| self.ops.len() - 1)
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
            Node::BackReference { groups, .. } => self.referenced.extend(groups),
            _ => {}
        }
        node.each_part(&mut |part| self.find_called(part));
    }

    fn node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Empty => {}
            Node::Char(text) => {
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
                    self.push(Op::Pattern(Box::new(piece)))?;
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
            Node::LookAhead { negative, node } => self.look(*negative, &mut |builder| builder.node(node))?,
            Node::LookBehind { negative, node } => self.look(*negative, &mut |builder| builder.behind(node))?,
            Node::Atomic(node) => {
                self.push(Op::BeginAtomic)?;
                self.node(node)?;
                self.push(Op::EndAtomic { back: false })?;
            }
            Node::BackReference { groups, level } => {
                let groups = groups.iter().rev().filter_map(|group| self.number(*group)).collect();
                self.push(Op::BackReference { groups, ignore_case: self.ignore_case, level: *level })?;
            }
            Node::Call(None) => {
                self.push(Op::Call(3))?;
            }
            Node::Call(Some(group)) => {
                self.push(Op::Call(GROUP_OFFSET + group))?;
            }
            Node::Condition { group, yes, no } => {
                let group = self.number(*group).unwrap_or(0);
                let took = self.push(Op::Fail)?;
                self.node(yes)?;
                let over = self.push(Op::Fail)?;
                self.put(took, Op::TestGroup(group, self.here()));
                self.node(no)?;
                self.put(over, Op::Jump(self.here()));
            }
            Node::Absent(node) => {
                let absent = self.push(Op::Fail)?;
                self.node(node)?;
                self.push(Op::AbsentFound)?;
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
        if let Some(index) = self.set_indexes.get(&key) {
            return Some(*index);
        }
        self.sets.push(Set::new(text, self.ignore_case)?);
        self.set_indexes.insert(key, self.sets.len() - 1);
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
        if called && self.group_starts.contains_key(&index) {
            // A repetition compiles its node several times; the group exists only once.
            self.push(Op::Call(GROUP_OFFSET + index))?;
            return Some(());
        }
        let over = if called {
            self.push(Op::Call(GROUP_OFFSET + index))?;
            let over = self.push(Op::Fail)?;
            self.group_starts.insert(index, self.here());
            Some(over)
        } else {
            None
        };
        let number = self.number(index);
        if let Some(number) = number {
            let referenced = self.referenced.contains(&index);
            self.push(Op::OpenGroup(number, referenced))?;
        }
        self.node(node)?;
        if let Some(number) = number {
            self.push(Op::CloseGroup(number))?;
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
            self.push(Op::EndNegative)?;
            self.put(unless, Op::BeginNegative(self.here()));
        } else {
            self.push(Op::BeginAtomic)?;
            inner(self)?;
            self.push(Op::EndAtomic { back: true })?;
        }
        Some(())
    }

    /// Compiles the contents of a look-behind: each alternative begins as many characters back as it is wide.
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
                self.push(Op::MoveBack(width))?;
                self.node(node)?;
            }
        }
        Some(())
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greed: Greed) -> Option<()> {
        if greed == Greed::Possessive {
            self.push(Op::BeginAtomic)?;
        }
        if max == Some(0) {
            // A node that is repeated zero times never matches here, but a call may use its groups.
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
                self.push(Op::BeginRound)?;
                self.node(node)?;
                let last = self.push(Op::Fail)?;
                self.push(Op::Jump(split))?;
                let out = self.here();
                self.put(split, order(split + 1, out));
                self.put(last, Op::EndRound(out));
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
            self.push(Op::EndAtomic { back: false })?;
        }
        Some(())
    }
}
