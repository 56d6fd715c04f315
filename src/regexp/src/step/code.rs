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

impl Assert {
    /// The condition of [`Node::Assert`]; `None` if it is not supported.
    fn from_engine_syntax(assertion: &str) -> Option<Assert> {
        Some(match assertion {
            r"\A" => Assert::TextStart,
            r"\z" => Assert::TextEnd,
            r"\b" => Assert::Word { ascii: false, at_edge: true },
            r"\B" => Assert::Word { ascii: false, at_edge: false },
            r"(?-u:\b)" => Assert::Word { ascii: true, at_edge: true },
            "(?m:$)" => Assert::LineEnd,
            _ => return None,
        })
    }
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
pub(crate) fn compile(pattern: &Pattern, numbers: &[Option<usize>]) -> Option<Code> {
    let groups = 1 + numbers.iter().flatten().count();
    let widths = Widths::new(&pattern.root);
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
    builder.find_references(&pattern.root);
    // The whole pattern is a group that can be called.
    builder.push(Op::Call(WHOLE_PATTERN))?;
    builder.push(Op::Match)?;
    builder.push(Op::Fail)?;
    builder.compile_node(&pattern.root)?;
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

/// The first step of the whole pattern, after the steps that call it.
const WHOLE_PATTERN: usize = 3;

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

    fn next_step(&self) -> usize {
        self.ops.len()
    }

    fn replace(&mut self, at: usize, op: Op) {
        if let Some(placeholder) = self.ops.get_mut(at) {
            *placeholder = op;
        }
    }

    fn find_references(&mut self, node: &Node) {
        match node {
            Node::Call(Some(group)) => self.called.push(*group),
            Node::BackReference { groups, .. } => self.referenced.extend(groups),
            _ => {}
        }
        node.each_part(&mut |part| self.find_references(part));
    }

    fn compile_node(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Empty => {}
            Node::Char(class) => {
                let set = self.set_index(class)?;
                self.push(Op::Set(set))?;
            }
            Node::Assert(assertion) => self.push_assert(Assert::from_engine_syntax(assertion)?)?,
            Node::Fancy(pattern, _) => self.compile_fancy(pattern)?,
            Node::LineStart => self.push_assert(Assert::LineStart)?,
            Node::TextEnd => self.push_assert(Assert::LastLine)?,
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.compile_node(node))?,
            Node::Alternate(nodes) => self.compile_alternatives(nodes)?,
            Node::Repeat { node, min, max, greed } => self.compile_repeat(node, *min, *max, *greed)?,
            Node::Capture(index, node) => self.compile_capture(*index, node)?,
            Node::Group(node) => self.compile_node(node)?,
            Node::Case(ignore, node) => {
                let outer = std::mem::replace(&mut self.ignore_case, *ignore);
                self.compile_node(node)?;
                self.ignore_case = outer;
            }
            Node::LookAhead { negative, node } => {
                self.compile_look_around(*negative, &mut |builder| builder.compile_node(node))?;
            }
            Node::LookBehind { negative, node } => {
                self.compile_look_around(*negative, &mut |builder| builder.compile_look_behind(node))?;
            }
            Node::Atomic(node) => {
                self.push(Op::BeginAtomic)?;
                self.compile_node(node)?;
                self.push(Op::EndAtomic { back: false })?;
            }
            Node::BackReference { groups, level } => {
                let groups = groups.iter().rev().filter_map(|group| self.number(*group)).collect();
                self.push(Op::BackReference { groups, ignore_case: self.ignore_case, level: *level })?;
            }
            Node::Call(group) => {
                self.push(Op::Call(group.map_or(WHOLE_PATTERN, |group| GROUP_OFFSET + group)))?;
            }
            Node::Condition { group, yes, no } => self.compile_condition(*group, yes, no)?,
            Node::Absent(node) => {
                let absent = self.push(Op::Fail)?;
                self.compile_node(node)?;
                self.push(Op::AbsentFound)?;
                self.replace(absent, Op::Absent(self.next_step()));
            }
        }
        Some(())
    }

    fn push_assert(&mut self, assert: Assert) -> Option<()> {
        self.push(Op::Assert(assert)).map(|_| ())
    }

    fn compile_fancy(&mut self, pattern: &str) -> Option<()> {
        let op = match pattern {
            r"\G" => Op::Assert(Assert::SearchStart),
            r"\K" => Op::Save(self.keep),
            pattern => Op::Pattern(Box::new(fancy_regex::Regex::new(&format!(r"\G(?:{pattern})")).ok()?)),
        };
        self.push(op).map(|_| ())
    }

    fn compile_condition(&mut self, group: usize, yes: &Node, no: &Node) -> Option<()> {
        let group = self.number(group).unwrap_or(0);
        let test = self.push(Op::Fail)?;
        self.compile_node(yes)?;
        let jump = self.push(Op::Fail)?;
        self.replace(test, Op::TestGroup(group, self.next_step()));
        self.compile_node(no)?;
        self.replace(jump, Op::Jump(self.next_step()));
        Some(())
    }

    fn number(&self, group: usize) -> Option<usize> {
        self.numbers.get(group).copied().flatten()
    }

    fn set_index(&mut self, class: &str) -> Option<usize> {
        let key = (class.to_owned(), self.ignore_case);
        if let Some(index) = self.set_indexes.get(&key) {
            return Some(*index);
        }
        self.sets.push(Set::new(class, self.ignore_case)?);
        self.set_indexes.insert(key, self.sets.len() - 1);
        Some(self.sets.len() - 1)
    }

    fn compile_alternatives(&mut self, nodes: &[Node]) -> Option<()> {
        let mut ends = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if at + 1 == nodes.len() {
                self.compile_node(node)?;
                break;
            }
            let split = self.push(Op::Fail)?;
            self.compile_node(node)?;
            ends.push(self.push(Op::Fail)?);
            self.replace(split, Op::Split(split + 1, self.next_step()));
        }
        for end in ends {
            self.replace(end, Op::Jump(self.next_step()));
        }
        Some(())
    }

    fn compile_capture(&mut self, index: usize, node: &Node) -> Option<()> {
        let called = self.called.contains(&index);
        if called && self.group_starts.contains_key(&index) {
            // A repetition compiles its node several times; the group exists only once.
            self.push(Op::Call(GROUP_OFFSET + index))?;
            return Some(());
        }
        let over = if called {
            self.push(Op::Call(GROUP_OFFSET + index))?;
            let over = self.push(Op::Fail)?;
            self.group_starts.insert(index, self.next_step());
            Some(over)
        } else {
            None
        };
        let number = self.number(index);
        if let Some(number) = number {
            let referenced = self.referenced.contains(&index);
            self.push(Op::OpenGroup(number, referenced))?;
        }
        self.compile_node(node)?;
        if let Some(number) = number {
            self.push(Op::CloseGroup(number))?;
        }
        if let Some(over) = over {
            self.push(Op::Return)?;
            self.replace(over, Op::Jump(self.next_step()));
        }
        Some(())
    }

    fn compile_look_around(&mut self, negative: bool, inner: &mut dyn FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if negative {
            let unless = self.push(Op::Fail)?;
            inner(self)?;
            self.push(Op::EndNegative)?;
            self.replace(unless, Op::BeginNegative(self.next_step()));
        } else {
            self.push(Op::BeginAtomic)?;
            inner(self)?;
            self.push(Op::EndAtomic { back: true })?;
        }
        Some(())
    }

    /// Compiles the contents of a look-behind: each alternative begins as many characters back as it is wide.
    fn compile_look_behind(&mut self, node: &Node) -> Option<()> {
        match node {
            Node::Alternate(branches) => {
                let mut ends = Vec::new();
                for branch in branches {
                    let split = self.push(Op::Fail)?;
                    self.compile_look_behind(branch)?;
                    ends.push(self.push(Op::Fail)?);
                    self.replace(split, Op::Split(split + 1, self.next_step()));
                }
                self.push(Op::Fail)?;
                for end in ends {
                    self.replace(end, Op::Jump(self.next_step()));
                }
            }
            Node::Group(node) => self.compile_look_behind(node)?,
            node => {
                let width = usize::try_from(self.widths.width(node)?).ok()?;
                self.push(Op::MoveBack(width))?;
                self.compile_node(node)?;
            }
        }
        Some(())
    }

    fn compile_repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greed: Greed) -> Option<()> {
        if greed == Greed::Possessive {
            self.push(Op::BeginAtomic)?;
        }
        if max == Some(0) {
            // A node that is repeated zero times never matches here, but a call may use its groups.
            let over = self.push(Op::Fail)?;
            self.compile_node(node)?;
            self.replace(over, Op::Jump(self.next_step()));
        }
        for _ in 0..min {
            self.compile_node(node)?;
        }
        let split_into = |round: usize, out: usize| {
            if greed == Greed::Lazy { Op::Split(out, round) } else { Op::Split(round, out) }
        };
        match max {
            None => {
                let split = self.push(Op::Fail)?;
                self.push(Op::BeginRound)?;
                self.compile_node(node)?;
                let last = self.push(Op::Fail)?;
                self.push(Op::Jump(split))?;
                let out = self.next_step();
                self.replace(split, split_into(split + 1, out));
                self.replace(last, Op::EndRound(out));
            }
            Some(max) => {
                let mut splits = Vec::new();
                for _ in min..max {
                    splits.push(self.push(Op::Fail)?);
                    self.compile_node(node)?;
                }
                let out = self.next_step();
                for split in splits {
                    self.replace(split, split_into(split + 1, out));
                }
            }
        }
        if greed == Greed::Possessive {
            self.push(Op::EndAtomic { back: false })?;
        }
        Some(())
    }
}
