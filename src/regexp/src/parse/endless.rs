//! Finds infinitely recursive calls of groups: `(?<a>\g<a>)`. (`subexp_inf_recursive_check` of Ruby's engine)
//!
//! In: the tree with resolved calls. Out: Ruby's error message. Must not: search.

use std::collections::HashMap;

use super::Node;

/// Where a node calls the group being checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallPosition {
    /// Nowhere.
    Nowhere,
    /// After at least one character.
    Later,
    /// Before any character.
    First,
}

/// The index of the whole pattern, which can be called like a group.
pub(super) const WHOLE: usize = usize::MAX;

/// Checks that no group calls itself without end.
/// # Errors
/// `never ending recursion`
pub(super) fn check(root: &Node, groups: &HashMap<usize, &Node>) -> Result<(), String> {
    let mut called = Vec::new();
    collect_called(root, &mut called);
    let mut search = CallSearch { groups, target: WHOLE, inside: Vec::new(), steps: 0 };
    for group in &called {
        search.target = *group;
        let Some(node) = groups.get(group) else { continue };
        if search.find_call(node, true) != CallPosition::Nowhere {
            return Err("never ending recursion".into());
        }
    }
    Ok(())
}

fn collect_called(node: &Node, called: &mut Vec<usize>) {
    if let Node::Call(group) = node {
        let group = group.unwrap_or(WHOLE);
        if !called.contains(&group) {
            called.push(group);
        }
    }
    node.each_part(&mut |part| collect_called(part, called));
}

struct CallSearch<'w, 'n> {
    groups: &'w HashMap<usize, &'n Node>,
    target: usize,
    inside: Vec<usize>,
    steps: usize,
}

/// The highest number of nodes to visit. Larger patterns are not checked.
const MAX_STEPS: usize = 1_000_000;

impl CallSearch<'_, '_> {
    /// Finds a call in `node`. `head`: no character has been matched before it.
    fn find_call(&mut self, node: &Node, head: bool) -> CallPosition {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return CallPosition::Nowhere;
        }
        match node {
            Node::Concat(nodes) => {
                let (mut head, mut found) = (head, CallPosition::Nowhere);
                for node in nodes {
                    match self.find_call(node, head) {
                        CallPosition::First => return CallPosition::First,
                        CallPosition::Later => found = CallPosition::Later,
                        CallPosition::Nowhere => {}
                    }
                    head = head && !self.consumes(node);
                }
                found
            }
            Node::Alternate(nodes) => {
                let mut found = CallPosition::Later;
                for node in nodes {
                    match self.find_call(node, head) {
                        CallPosition::First => return CallPosition::First,
                        CallPosition::Nowhere => found = CallPosition::Nowhere,
                        CallPosition::Later => {}
                    }
                }
                found
            }
            Node::Repeat { node, min, .. } => match self.find_call(node, head) {
                CallPosition::Later if *min == 0 => CallPosition::Nowhere,
                CallPosition::First if *min == 0 => CallPosition::First,
                found => found,
            },
            Node::Call(group) => self.find_call_in_group(group.unwrap_or(WHOLE), head),
            Node::Capture(group, _) => self.find_call_in_group(*group, head),
            Node::Group(node)
            | Node::Case(_, node)
            | Node::LookAhead { node, .. }
            | Node::LookBehind { node, .. }
            | Node::Atomic(node)
            | Node::Absent(node) => self.find_call(node, head),
            Node::Condition { yes, no, .. } => {
                let found = (self.find_call(yes, head), self.find_call(no, head));
                match found {
                    (CallPosition::First, _) | (_, CallPosition::First) => CallPosition::First,
                    (CallPosition::Later, CallPosition::Later) => CallPosition::Later,
                    _ => CallPosition::Nowhere,
                }
            }
            _ => CallPosition::Nowhere,
        }
    }

    fn find_call_in_group(&mut self, group: usize, head: bool) -> CallPosition {
        if group == self.target {
            return if head { CallPosition::First } else { CallPosition::Later };
        }
        if self.inside.contains(&group) {
            return CallPosition::Nowhere;
        }
        let Some(node) = self.groups.get(&group).copied() else { return CallPosition::Nowhere };
        self.inside.push(group);
        let found = self.find_call(node, head);
        self.inside.pop();
        found
    }

    /// Whether a node matches at least one character.
    fn consumes(&mut self, node: &Node) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return false;
        }
        match node {
            Node::Char(_) => true,
            Node::Fancy(_, empty) => !*empty,
            Node::Concat(nodes) => nodes.iter().any(|node| self.consumes(node)),
            Node::Alternate(nodes) => nodes.iter().all(|node| self.consumes(node)),
            Node::Repeat { node, min, .. } => *min > 0 && self.consumes(node),
            Node::Group(node) | Node::Case(_, node) | Node::Atomic(node) => self.consumes(node),
            Node::Capture(group, _) | Node::Call(Some(group)) => self.group_consumes(*group),
            Node::BackReference { groups, .. } => {
                !groups.is_empty() && groups.iter().all(|group| self.group_consumes(*group))
            }
            Node::Condition { yes, no, .. } => self.consumes(yes) && self.consumes(no),
            _ => false,
        }
    }

    fn group_consumes(&mut self, group: usize) -> bool {
        if self.inside.contains(&group) {
            return false;
        }
        let Some(node) = self.groups.get(&group).copied() else { return false };
        self.inside.push(group);
        let some = self.consumes(node);
        self.inside.pop();
        some
    }
}
