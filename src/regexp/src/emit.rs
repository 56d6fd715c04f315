//! Writes a parsed pattern in the engines' syntax and determines which engine it needs.
//!
//! In: [`Pattern`], whether the searched strings have newlines. Out: an engine's pattern, the names of groups by their final numbers.
//! Must not know: Ruby's syntax.

use super::parse::Greed;
use super::parse::Node;
use super::parse::Pattern;

/// A pattern in the engines' syntax.
#[derive(Debug)]
pub(super) struct EnginePattern {
    /// The pattern in the engines' syntax.
    pub(super) pattern: String,
    /// Whether it needs the backtracking engine.
    pub(super) fancy: bool,
    /// Whether only the stepwise engine supports the whole pattern.
    pub(super) stepwise: bool,
    /// The final number of each capturing parenthesis.
    pub(super) numbers: Vec<Option<usize>>,
    /// The name of each group, from group 1 on.
    pub(super) names: Vec<Option<String>>,
}

/// The strings that will be searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Haystack {
    /// Any strings.
    Any,
    /// Strings without newlines, which are one line.
    OneLine,
}

/// Writes `pattern`. If it has a named group, parentheses without a name do not capture, as in Ruby.
pub(super) fn emit(pattern: &Pattern, haystack: Haystack) -> EnginePattern {
    let has_names = pattern.groups.iter().any(Option::is_some);
    let mut numbers = Vec::with_capacity(pattern.groups.len());
    let mut names = Vec::new();
    for group in &pattern.groups {
        if has_names && group.is_none() {
            numbers.push(None);
        } else {
            names.push(group.clone());
            numbers.push(Some(names.len()));
        }
    }
    let mut emitter =
        Emitter { text: String::new(), fancy: false, stepwise: false, open: Vec::new(), haystack, numbers };
    emitter.write_node(&pattern.root, false);
    let Emitter { text: pattern, fancy, stepwise, numbers, .. } = emitter;
    EnginePattern { pattern, fancy, stepwise, numbers, names }
}

struct Emitter {
    text: String,
    fancy: bool,
    stepwise: bool,
    /// The capturing parentheses around the current node.
    open: Vec<usize>,
    haystack: Haystack,
    /// The final group number of each parenthesis.
    numbers: Vec<Option<usize>>,
}

impl Emitter {
    /// Writes `node`. `follows`: at least one character must match after it.
    fn write_node(&mut self, node: &Node, follows: bool) {
        match node {
            Node::Empty => self.text.push_str("(?:)"),
            Node::Char(text) => self.text.push_str(text),
            Node::Assert(text) => self.text.push_str(text),
            Node::Fancy(text, _) => self.write_fancy(text),
            Node::LineStart if self.haystack == Haystack::OneLine => self.text.push_str(r"\A"),
            Node::TextEnd if self.haystack == Haystack::OneLine => self.text.push_str(r"\z"),
            Node::TextEnd => self.write_fancy(r"(?=\n?\z)"),
            // Ruby's `^` does not match after a final newline. If a character must follow, this makes no difference.
            Node::LineStart if follows => self.text.push_str("(?m:^)"),
            Node::LineStart => self.write_fancy(r"(?:\A|(?<=\n)(?!\z))"),
            Node::Concat(nodes) => self.write_concat(nodes, follows),
            Node::Alternate(nodes) => self.write_group_of("(?:", nodes, follows),
            Node::Repeat { node, min, max, greed } => self.write_repeat(node, *min, *max, *greed, follows),
            Node::Capture(index, node) => {
                self.open.push(*index);
                self.write_group(if self.number(*index).is_some() { "(" } else { "(?:" }, node, follows);
                self.open.pop();
            }
            Node::Group(node) => self.write_group("(?:", node, follows),
            Node::Case(true, node) => self.write_group("(?i:", node, follows),
            Node::Case(false, node) => self.write_group("(?-i:", node, follows),
            Node::LookAhead { negative, node } => {
                self.fancy = true;
                self.write_group(if *negative { "(?!" } else { "(?=" }, node, false);
            }
            Node::LookBehind { negative, node } => {
                self.fancy = true;
                self.write_group(if *negative { "(?<!" } else { "(?<=" }, node, follows);
            }
            Node::Atomic(node) => {
                self.fancy = true;
                self.write_group("(?>", node, follows);
            }
            // fancy-regex does not support a reference to a group inside of this group.
            Node::BackReference { groups, level: None } if groups.len() == 1 && !self.is_open(groups) => {
                let number = groups.first().and_then(|group| self.number(*group)).unwrap_or(0);
                self.write_fancy(&format!(r"\k<{number}>"));
            }
            Node::BackReference { .. } | Node::Call(_) | Node::Condition { .. } | Node::Absent(_) => {
                self.require_stepwise()
            }
        }
    }

    fn is_open(&self, groups: &[usize]) -> bool {
        groups.iter().any(|group| self.open.contains(group))
    }

    fn number(&self, group: usize) -> Option<usize> {
        self.numbers.get(group).copied().flatten()
    }

    fn write_fancy(&mut self, text: &str) {
        self.fancy = true;
        self.text.push_str(text);
    }

    fn require_stepwise(&mut self) {
        self.fancy = true;
        self.stepwise = true;
    }

    fn write_group(&mut self, open: &str, node: &Node, follows: bool) {
        self.text.push_str(open);
        match node {
            Node::Empty => {}
            Node::Alternate(nodes) => self.write_branches(nodes, follows),
            node => self.write_node(node, follows),
        }
        self.text.push(')');
    }

    fn write_group_of(&mut self, open: &str, nodes: &[Node], follows: bool) {
        self.text.push_str(open);
        self.write_branches(nodes, follows);
        self.text.push(')');
    }

    fn write_branches(&mut self, nodes: &[Node], follows: bool) {
        for (i, node) in nodes.iter().enumerate() {
            if i > 0 {
                self.text.push('|');
            }
            if !matches!(node, Node::Empty) {
                self.write_node(node, follows);
            }
        }
    }

    fn write_concat(&mut self, nodes: &[Node], follows: bool) {
        // From right to left, to find whether a later node consumes a character.
        let mut behind = vec![follows; nodes.len()];
        for i in (1..nodes.len()).rev() {
            behind[i - 1] = behind[i] || !can_be_empty(&nodes[i]);
        }
        for (node, follows) in nodes.iter().zip(behind) {
            self.write_node(node, follows);
        }
    }

    fn write_repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greed: Greed, follows: bool) {
        if max == Some(0) {
            // The groups of a node that is never matched have numbers, too.
            self.write_group("(?:", node, follows);
            self.text.push_str("{0}");
            return;
        }
        if is_zero_width(node) {
            // The engines reject some repetitions of empty matches. Repeating an empty match once has the same effect.
            if min == 0 {
                self.text.push_str(if greed == Greed::Lazy { "(?:|" } else { "(?:" });
                self.write_group("(?:", node, follows);
                self.text.push_str(if greed == Greed::Lazy { ")" } else { "|)" });
            } else {
                self.write_node(node, follows);
            }
            return;
        }
        if greed == Greed::Possessive {
            self.fancy = true;
            self.text.push_str("(?>");
        }
        if matches!(node, Node::Repeat { .. } | Node::Concat(_) | Node::Fancy(..) | Node::BackReference { .. }) {
            self.write_group("(?:", node, follows);
        } else {
            self.write_node(node, follows);
        }
        match (min, max) {
            (0, None) => self.text.push('*'),
            (1, None) => self.text.push('+'),
            (0, Some(1)) => self.text.push('?'),
            (min, None) => self.text.push_str(&format!("{{{min},}}")),
            (min, Some(max)) if min == max => self.text.push_str(&format!("{{{min}}}")),
            (min, Some(max)) => self.text.push_str(&format!("{{{min},{max}}}")),
        }
        match greed {
            Greed::Greedy => {}
            Greed::Lazy => self.text.push('?'),
            Greed::Possessive => self.text.push(')'),
        }
    }
}

/// Whether a node can match the empty string.
fn can_be_empty(node: &Node) -> bool {
    match node {
        Node::Char(_) => false,
        Node::Fancy(_, empty) => *empty,
        Node::Concat(nodes) => nodes.iter().all(can_be_empty),
        Node::Alternate(nodes) => nodes.iter().any(can_be_empty),
        Node::Repeat { node, min, .. } => *min == 0 || can_be_empty(node),
        Node::Capture(_, node) | Node::Group(node) | Node::Case(_, node) | Node::Atomic(node) => can_be_empty(node),
        _ => true,
    }
}

/// Whether a node can only match the empty string.
fn is_zero_width(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Assert(_) | Node::LineStart | Node::TextEnd => true,
        Node::LookAhead { .. } | Node::LookBehind { .. } => true,
        Node::Fancy(_, empty) => *empty,
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().all(is_zero_width),
        Node::Repeat { node, .. } | Node::Group(node) | Node::Case(_, node) | Node::Atomic(node) => is_zero_width(node),
        Node::Capture(_, node) => is_zero_width(node),
        _ => false,
    }
}
