//! Checks look-behinds, which must have a fixed width.
//!
//! In: nodes. Out: their width in characters, if it is fixed. Must not: parse.

use std::cell::Cell;
use std::collections::HashMap;

use super::Node;
use super::endless::WHOLE;

/// The group of a condition that refers to a group which does not exist.
pub(super) const NO_GROUP: usize = usize::MAX - 1;

/// Computes the widths of nodes. A call is as wide as its group.
pub(crate) struct Widths<'n> {
    /// The contents of the groups, by index.
    pub(super) groups: HashMap<usize, &'n Node>,
    /// The number of nodes visited.
    steps: Cell<usize>,
}

/// The highest number of nodes to visit: groups that call groups may double it at each level.
const MAX_STEPS: usize = 1_000_000;

impl<'n> Widths<'n> {
    /// The widths of the nodes of a pattern.
    pub(crate) fn new(root: &'n Node) -> Widths<'n> {
        let mut groups = HashMap::from([(WHOLE, root)]);
        collect_groups(root, &mut groups);
        Widths { groups, steps: Cell::new(0) }
    }

    /// The number of characters that a node matches, if it is constant.
    pub(crate) fn width(&self, node: &Node) -> Option<u64> {
        self.width_inside(node, &mut Vec::new())
    }

    /// [`Widths::width`] inside these groups, whose widths are being computed.
    fn width_inside(&self, node: &Node, inside: &mut Vec<usize>) -> Option<u64> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS {
            return None;
        }
        match node {
            Node::Empty | Node::Assert(_) | Node::LineStart | Node::TextEnd => Some(0),
            Node::LookAhead { .. } | Node::LookBehind { .. } => Some(0),
            Node::Char(_) => Some(1),
            Node::Fancy(_, empty) => empty.then_some(0),
            Node::Concat(nodes) => {
                let mut sum = 0u64;
                for node in nodes {
                    sum = sum.saturating_add(self.width_inside(node, inside)?);
                }
                Some(sum)
            }
            Node::Alternate(nodes) => {
                let first = self.width_inside(nodes.first()?, inside)?;
                nodes.iter().all(|node| self.width_inside(node, inside) == Some(first)).then_some(first)
            }
            Node::Repeat { node, min, max, .. } if *max == Some(*min) => {
                Some(self.width_inside(node, inside)?.saturating_mul(u64::from(*min)))
            }
            Node::Capture(_, node) | Node::Group(node) | Node::Case(_, node) | Node::Atomic(node) => {
                self.width_inside(node, inside)
            }
            Node::Call(group) => {
                let group = group.unwrap_or(WHOLE);
                if inside.contains(&group) {
                    return None;
                }
                inside.push(group);
                let width = self.groups.get(&group).and_then(|node| self.width_inside(node, inside));
                inside.pop();
                width
            }
            Node::Repeat { .. } | Node::Absent(_) | Node::BackReference { .. } | Node::Condition { .. } => None,
        }
    }
}

fn collect_groups<'n>(node: &'n Node, groups: &mut HashMap<usize, &'n Node>) {
    if let Node::Capture(index, inner) = node {
        groups.insert(*index, inner);
    }
    node.each_part(&mut |part| collect_groups(part, groups));
}

/// Checks that every look-behind has a fixed width. As in Ruby, its alternatives may have different fixed widths; it must not contain
/// look-aheads, ends of the string, atomic groups, conditions or backreferences, and a negative one no captures.
///
/// # Errors
/// `invalid pattern in look-behind`, or `invalid backref number/name` for a group that does not exist, whichever is first.
pub(super) fn check(node: &Node, widths: &Widths<'_>, captures: &dyn Fn(usize) -> bool) -> Result<(), String> {
    if let Node::LookBehind { negative, node } = node
        && !(is_allowed(node, *negative, captures) && branches_are_fixed(node, widths))
    {
        return Err("invalid pattern in look-behind".into());
    }
    let no_group = match node {
        Node::BackReference { groups, .. } => groups.is_empty(),
        Node::Condition { group, .. } => *group == NO_GROUP,
        _ => false,
    };
    if no_group {
        return Err("invalid backref number/name".into());
    }
    let mut result = Ok(());
    node.each_part(&mut |part| {
        if result.is_ok() {
            result = check(part, widths, captures);
        }
    });
    result
}

fn branches_are_fixed(node: &Node, widths: &Widths<'_>) -> bool {
    match node {
        Node::Alternate(branches) => branches.iter().all(|branch| branches_are_fixed(branch, widths)),
        Node::Group(node) => branches_are_fixed(node, widths),
        node => widths.width(node).is_some(),
    }
}

fn is_allowed(node: &Node, negative: bool, captures: &dyn Fn(usize) -> bool) -> bool {
    let fits = match node {
        Node::LookAhead { .. } | Node::TextEnd | Node::Assert(r"\z") => false,
        Node::Atomic(_) | Node::Absent(_) | Node::Condition { .. } | Node::BackReference { .. } => false,
        Node::Fancy(_, empty) => *empty,
        Node::Capture(group, _) => !(negative && captures(*group)),
        _ => true,
    };
    let mut all = fits;
    node.each_part(&mut |part| all = all && is_allowed(part, negative, captures));
    all
}
