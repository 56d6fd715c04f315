//! The cost of searches. A search cannot be interrupted, so one that may take minutes is not started.
//!
//! In: a parsed pattern, the length of a string. Out: whether to search. Must not: know how the engines work.

use super::parse::Node;
use catwalk_base::meter;

/// The highest product of a pattern's weight and a string's bytes for a linear-time search: at most 20 s.
const MAX_LINEAR: usize = 1_000_000_000;

/// Lengths of strings in bytes, and the steps that the backtracking engine may take in one search of a string up to this length. Each
/// step may read the whole string: at most 10 s. Longer strings are refused.
pub(super) const STEP_LIMITS: [(usize, usize); 3] = [(2_000, 2_000_000), (10_000, 400_000), (60_000, 80_000)];

/// Whether a step of the backtracking engine may read more characters than the pattern has.
pub(super) fn reads_far(node: &Node) -> bool {
    match node {
        Node::Repeat { max: None, .. } | Node::Call(_) | Node::BackReference { .. } | Node::Absent(_) => true,
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().any(reads_far),
        Node::Repeat { node, .. }
        | Node::Capture(_, node)
        | Node::Group(node)
        | Node::Case(_, node)
        | Node::LookAhead { node, .. }
        | Node::LookBehind { node, .. }
        | Node::Atomic(node) => reads_far(node),
        Node::Condition { yes, no, .. } => reads_far(yes) || reads_far(no),
        Node::Empty | Node::Char(_) | Node::Fancy(..) | Node::Assert(_) | Node::LineStart | Node::TextEnd => false,
    }
}

/// The size of a pattern with counted repetitions expanded.
pub(super) fn weight(node: &Node) -> usize {
    match node {
        Node::Char(text) => 1 + text.len() / 16,
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
        Node::Empty
        | Node::Assert(_)
        | Node::LineStart
        | Node::TextEnd
        | Node::BackReference { .. }
        | Node::Call(_) => 1,
    }
}

/// Whether a linear-time search of a string of this length, with a pattern of this weight, is fast enough.
pub(super) fn is_fast_enough(weight: usize, len: usize) -> bool {
    // Counts the search as steps, so that the time limit is checked between long searches.
    meter::tick(weight.saturating_mul(len) / 64);
    weight.saturating_mul(len) <= MAX_LINEAR
}
