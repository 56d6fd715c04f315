//! Calls of groups that never end: `(?<a>\\g<a>)`. (`subexp_inf_recursive_check` of Ruby's engine)
//!
//! In: the tree with its calls bound. Out: Ruby's complaint. Must not: search.

use std::collections::HashMap;

use super::Node;

/// How a part of a pattern calls the group being checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallPosition {
    /// Nothing.
    No,
    /// Calls it after at least one character.
    Again,
    /// Calls it before any character.
    Endless,
}

/// The whole pattern, as a group that is called.
pub(super) const WHOLE: usize = usize::MAX;

/// # Errors
/// `never ending recursion`
pub(super) fn check(root: &Node, groups: &HashMap<usize, &Node>) -> Result<(), String> {
    let mut called = Vec::new();
    collect(root, &mut called);
    let mut walk = Walk { groups, wanted: WHOLE, inside: Vec::new(), steps: 0 };
    for group in &called {
        walk.wanted = *group;
        let Some(node) = groups.get(group) else { continue };
        if walk.walk(node, true) != CallPosition::No {
            return Err("never ending recursion".into());
        }
    }
    Ok(())
}

fn collect(node: &Node, called: &mut Vec<usize>) {
    if let Node::Call(group) = node {
        let group = group.unwrap_or(WHOLE);
        if !called.contains(&group) {
            called.push(group);
        }
    }
    node.each_part(&mut |part| collect(part, called));
}

struct Walk<'w, 'n> {
    groups: &'w HashMap<usize, &'n Node>,
    wanted: usize,
    inside: Vec<usize>,
    steps: usize,
}

/// Nodes looked at in all: patterns that need more are not of this world.
const STEPS: usize = 1_000_000;

impl Walk<'_, '_> {
    /// `head`: nothing was matched yet.
    fn walk(&mut self, node: &Node, head: bool) -> CallPosition {
        self.steps += 1;
        if self.steps > STEPS {
            return CallPosition::No;
        }
        match node {
            Node::Concat(nodes) => {
                let (mut head, mut found) = (head, CallPosition::No);
                for node in nodes {
                    match self.walk(node, head) {
                        CallPosition::Endless => return CallPosition::Endless,
                        CallPosition::Again => found = CallPosition::Again,
                        CallPosition::No => {}
                    }
                    head = head && !self.takes_some(node);
                }
                found
            }
            Node::Alternate(nodes) => {
                let mut found = CallPosition::Again;
                for node in nodes {
                    match self.walk(node, head) {
                        CallPosition::Endless => return CallPosition::Endless,
                        CallPosition::No => found = CallPosition::No,
                        CallPosition::Again => {}
                    }
                }
                found
            }
            Node::Repeat { node, min, .. } => match self.walk(node, head) {
                CallPosition::Again if *min == 0 => CallPosition::No,
                CallPosition::Endless if *min == 0 => CallPosition::Endless,
                found => found,
            },
            Node::Call(group) => self.group(group.unwrap_or(WHOLE), head),
            Node::Capture(group, _) => self.group(*group, head),
            Node::Group(node)
            | Node::Case(_, node)
            | Node::LookAhead { node, .. }
            | Node::LookBehind { node, .. }
            | Node::Atomic(node)
            | Node::Absent(node) => self.walk(node, head),
            Node::Condition { yes, no, .. } => {
                let found = (self.walk(yes, head), self.walk(no, head));
                match found {
                    (CallPosition::Endless, _) | (_, CallPosition::Endless) => CallPosition::Endless,
                    (CallPosition::Again, CallPosition::Again) => CallPosition::Again,
                    _ => CallPosition::No,
                }
            }
            _ => CallPosition::No,
        }
    }

    fn group(&mut self, group: usize, head: bool) -> CallPosition {
        if group == self.wanted {
            return if head { CallPosition::Endless } else { CallPosition::Again };
        }
        if self.inside.contains(&group) {
            return CallPosition::No;
        }
        let Some(node) = self.groups.get(&group).copied() else { return CallPosition::No };
        self.inside.push(group);
        let found = self.walk(node, head);
        self.inside.pop();
        found
    }

    /// Whether a node matches at least one character.
    fn takes_some(&mut self, node: &Node) -> bool {
        self.steps += 1;
        if self.steps > STEPS {
            return false;
        }
        match node {
            Node::One(_) => true,
            Node::Fancy(_, empty) => !*empty,
            Node::Concat(nodes) => nodes.iter().any(|node| self.takes_some(node)),
            Node::Alternate(nodes) => nodes.iter().all(|node| self.takes_some(node)),
            Node::Repeat { node, min, .. } => *min > 0 && self.takes_some(node),
            Node::Group(node) | Node::Case(_, node) | Node::Atomic(node) => self.takes_some(node),
            Node::Capture(group, _) | Node::Call(Some(group)) => self.group_takes_some(*group),
            Node::Back { groups, .. } => !groups.is_empty() && groups.iter().all(|group| self.group_takes_some(*group)),
            Node::Condition { yes, no, .. } => self.takes_some(yes) && self.takes_some(no),
            _ => false,
        }
    }

    fn group_takes_some(&mut self, group: usize) -> bool {
        if self.inside.contains(&group) {
            return false;
        }
        let Some(node) = self.groups.get(&group).copied() else { return false };
        self.inside.push(group);
        let some = self.takes_some(node);
        self.inside.pop();
        some
    }
}
