//! How a look behind counts: what it holds has a fixed width.
//!
//! In: nodes. Out: their width in characters, or that there is none. Must not: parse.

use super::Node;

/// Ruby allows alternatives of different but fixed widths, and no captures in the negative form.
pub(super) fn look_behind(negative: bool, node: Box<Node>) -> Result<Node, String> {
    let fixed = branches_are_fixed(&node);
    if !fixed || (negative && has_capture(&node)) {
        return Err("invalid pattern in look-behind".into());
    }
    Ok(Node::LookBehind { negative, node })
}

fn branches_are_fixed(node: &Node) -> bool {
    match node {
        Node::Alternate(branches) => branches.iter().all(branches_are_fixed),
        Node::Group(node) | Node::Case(_, node) => branches_are_fixed(node),
        node => width(node).is_some(),
    }
}

/// The number of characters a node matches, if it is always the same.
fn width(node: &Node) -> Option<u64> {
    match node {
        Node::Empty | Node::Assert(_) | Node::LineStart | Node::TextEnd => Some(0),
        Node::LookAhead { .. } | Node::LookBehind { .. } => Some(0),
        Node::One(_) => Some(1),
        Node::Fancy(_, empty) => empty.then_some(0),
        Node::Concat(nodes) => nodes.iter().try_fold(0u64, |sum, node| Some(sum + width(node)?)),
        Node::Alternate(nodes) => {
            let first = width(nodes.first()?)?;
            nodes.iter().all(|node| width(node) == Some(first)).then_some(first)
        }
        Node::Repeat { node, min, max, .. } => {
            let one = width(node)?;
            if *max == Some(*min) { Some(one.saturating_mul(u64::from(*min))) } else { None }
        }
        Node::Capture(_, node) | Node::Group(node) | Node::Case(_, node) | Node::Atomic(node) => width(node),
        Node::Back(_) | Node::Call(_) | Node::Condition { .. } => None,
    }
}

fn has_capture(node: &Node) -> bool {
    match node {
        Node::Capture(..) => true,
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().any(has_capture),
        Node::Repeat { node, .. } | Node::Group(node) | Node::Case(_, node) | Node::Atomic(node) => has_capture(node),
        _ => false,
    }
}
