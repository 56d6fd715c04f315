//! The cost of searches: they cannot be interrupted, so one that may run for minutes is not started. In: a parsed pattern, the
//! length of a text. Out: whether to search. Must not: know how the engines work.

use super::parse::Node;
use catwalk_base::meter;

/// Size of pattern times bytes of text that a search of linear time may take: 20 s at the worst.
const MOST: usize = 1_000_000_000;

/// Texts up to a length, and the steps the backtracking engine may take in one search of them, where each step may look
/// at all of the text: 10 s at the worst. Longer texts are refused.
pub(super) const STEPS: [(usize, usize); 3] = [(2_000, 2_000_000), (10_000, 400_000), (60_000, 80_000)];

/// Whether a step of the backtracking engine may look at more of a text than the pattern is long.
pub(super) fn looks_far(node: &Node) -> bool {
    match node {
        Node::Repeat { max: None, .. } | Node::Call(_) | Node::Back { .. } | Node::Absent(_) => true,
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().any(looks_far),
        Node::Repeat { node, .. }
        | Node::Capture(_, node)
        | Node::Group(node)
        | Node::Case(_, node)
        | Node::LookAhead { node, .. }
        | Node::LookBehind { node, .. }
        | Node::Atomic(node) => looks_far(node),
        Node::Condition { yes, no, .. } => looks_far(yes) || looks_far(no),
        Node::Empty | Node::One(_) | Node::Fancy(..) | Node::Assert(_) | Node::LineStart | Node::TextEnd => false,
    }
}

/// The size of a pattern, counted repetitions written out.
pub(super) fn weight(node: &Node) -> usize {
    match node {
        Node::One(text) => 1 + text.len() / 16,
        Node::Fancy(text, _) => 1 + text.len(),
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().map(weight).fold(1, usize::saturating_add),
        Node::Repeat { node, min, max, .. } => {
            let times = max.unwrap_or(min.saturating_add(1)).max(1);
            weight(node).saturating_mul(times as usize)
        }
        Node::Capture(_, node)
        | Node::Group(node)
        | Node::Case(_, node)
        | Node::LookAhead { node, .. }
        | Node::LookBehind { node, .. }
        | Node::Absent(node)
        | Node::Atomic(node) => weight(node).saturating_add(1),
        Node::Condition { yes, no, .. } => weight(yes).saturating_add(weight(no)),
        Node::Empty | Node::Assert(_) | Node::LineStart | Node::TextEnd | Node::Back { .. } | Node::Call(_) => 1,
    }
}

/// Whether a pattern of this weight may search a text of this length in linear time.
pub(super) fn is_bearable(weight: usize, len: usize) -> bool {
    // The clock is looked at between searches that are not short.
    meter::tick(weight.saturating_mul(len) / 64);
    weight.saturating_mul(len) <= MOST
}
