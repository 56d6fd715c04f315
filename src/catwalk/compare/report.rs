//! Collects differences: equal changes of many nodes are listed once, those of the most nodes first.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::compare::Compared;
use crate::compare::Failure;
use crate::compare::Outcome;
use catwalk_formats::diff::Diff;
use catwalk_formats::diff::Edge;
use catwalk_formats::diff::Item;
use catwalk_formats::diff::groups;
use catwalk_formats::diff::groups::Grouping;
use catwalk_formats::diff::groups::Identity;

/// One difference of a catalog.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A resource that is new.
    Added(Item),
    /// A resource that is gone.
    Removed(Item),
    /// A resource with other parameters.
    Changed(Item),
    /// An edge that is new.
    EdgeAdded(Edge),
    /// An edge that is gone.
    EdgeRemoved(Edge),
}

/// Differences that the same nodes have.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// These nodes.
    pub nodes: Vec<Arc<str>>,
    /// What is different.
    pub changes: Vec<Change>,
}

impl Group {
    /// The changes as a diff, for what draws those.
    #[must_use]
    pub fn diff(&self) -> Diff {
        let mut diff = Diff::default();
        for change in &self.changes {
            match change.clone() {
                Change::Added(item) => diff.added.push(item),
                Change::Removed(item) => diff.removed.push(item),
                Change::Changed(item) => diff.changed.push(item),
                Change::EdgeAdded(edge) => diff.edges_added.push(edge),
                Change::EdgeRemoved(edge) => diff.edges_removed.push(edge),
            }
        }
        diff
    }
}

/// Which side does not compile.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Which {
    /// Only the new one.
    New,
    /// Only the old one.
    Fixed,
    /// Both, with other errors.
    Changed,
    /// Both, with the same error: nothing to compare, nothing changed.
    Both,
}

impl Which {
    /// A word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Which::New => "new",
            Which::Fixed => "fixed",
            Which::Changed => "changed",
            Which::Both => "both",
        }
    }
}

/// An error that some nodes share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// Which side fails.
    pub which: Which,
    /// Why the old side fails.
    pub old: Option<String>,
    /// Why the new side fails.
    pub new: Option<String>,
    /// Where.
    pub nodes: Vec<Arc<str>>,
}

/// The complete report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What the old side is called.
    pub old: String,
    /// What the new side is called.
    pub new: String,
    /// What differs, by the nodes that it concerns; most nodes first.
    pub groups: Vec<Group>,
    /// What does not compile; most nodes first.
    pub failures: Vec<Failures>,
    /// Nodes that only the new side has, with their number of resources.
    pub added: Vec<(Arc<str>, usize)>,
    /// Nodes that only the old side has.
    pub removed: Vec<Arc<str>>,
    /// Nodes with catalogs that differ.
    pub differing: Vec<Arc<str>>,
    /// How many nodes are the same.
    pub same: usize,
    /// How many of these were not even compiled on the new side, since their inputs are the same.
    pub skipped: usize,
    /// How many nodes there are.
    pub nodes: usize,
    /// What the reader should know.
    pub notes: Vec<String>,
}

impl Report {
    /// Collects the results of the nodes.
    #[must_use]
    pub fn new(old: String, new: String, compared: Compared) -> Report {
        let mut report = Report { old, new, nodes: compared.nodes.len(), ..Report::default() };
        let mut changes: Grouping<usize, Change> = Grouping::default();
        let mut failures: IndexMap<(Which, String, String), Failures> = IndexMap::new();
        let mut bare = 0;
        for (certname, outcome) in compared.nodes {
            match outcome {
                Outcome::Same { compiled, bare: nothing } => {
                    report.same += 1;
                    report.skipped += usize::from(!compiled);
                    bare += usize::from(nothing);
                }
                Outcome::Added(resources) => report.added.push((certname, resources)),
                Outcome::Removed => report.removed.push(certname),
                Outcome::Failed { old, new } => {
                    let which = match (&old, &new) {
                        (None, _) => Which::New,
                        (_, None) => Which::Fixed,
                        (Some(old), Some(new)) if old.message == new.message => Which::Both,
                        _ => Which::Changed,
                    };
                    // Many messages name the node; they are the same all the same.
                    let message = |failure: &Option<Failure>| {
                        failure.as_ref().map(|failure| failure.message.replace(&*certname, "NODE"))
                    };
                    let key = (which, message(&old).unwrap_or_default(), message(&new).unwrap_or_default());
                    let entry = failures.entry(key).or_insert_with(|| Failures {
                        which,
                        old: old.map(|failure| failure.text),
                        new: new.map(|failure| failure.text),
                        nodes: Vec::new(),
                    });
                    entry.nodes.push(certname);
                }
                Outcome::Differs(diff) => {
                    let node = report.differing.len();
                    report.differing.push(certname);
                    split(*diff).for_each(|change| changes.add(node, identity(&change), change));
                }
            }
        }
        let named = |nodes: Vec<usize>| nodes.iter().filter_map(|node| report.differing.get(*node).cloned()).collect();
        report.groups = changes
            .groups()
            .into_iter()
            .map(|group| Group { nodes: named(group.owners), changes: group.changes })
            .collect();
        report.failures = failures.into_values().collect();
        report.failures.sort_by_key(|failures| std::cmp::Reverse(failures.nodes.len()));
        if bare > 0 {
            let text = "their catalogs have no resources but those that every catalog has: was their code found?";
            report.notes.push(format!("{}: {text}", counted(bare, "node")));
        }
        report
    }

    /// Whether the two sides say the same: nodes that fail on both with the same error do.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let failures = self.failures.iter().all(|failures| failures.which == Which::Both);
        self.groups.is_empty() && self.added.is_empty() && self.removed.is_empty() && failures
    }

    /// Whether not a single node could be compared.
    #[must_use]
    pub fn is_trouble(&self) -> bool {
        let both = self.failures.iter().filter(|failures| failures.which == Which::Both);
        self.nodes > 0 && both.map(|failures| failures.nodes.len()).sum::<usize>() == self.nodes
    }

    /// How many nodes fail on some side.
    #[must_use]
    pub fn failing(&self) -> usize {
        self.failures.iter().map(|failures| failures.nodes.len()).sum()
    }

    /// The line at the end: `1000 nodes: 10 differ, 990 are the same (990 with the same inputs)`.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts = Vec::new();
        let differing = self.differing.len();
        if differing > 0 {
            parts.push(format!("{differing} {}", if differing == 1 { "differs" } else { "differ" }));
        }
        if !self.added.is_empty() {
            parts.push(format!("{} new", self.added.len()));
        }
        if !self.removed.is_empty() {
            parts.push(format!("{} gone", self.removed.len()));
        }
        for (which, text) in [
            (Which::New, "no longer compile"),
            (Which::Fixed, "compile again"),
            (Which::Changed, "fail otherwise"),
            (Which::Both, "fail on both sides"),
        ] {
            let nodes = self.failures.iter().filter(|failures| failures.which == which).map(|f| f.nodes.len()).sum();
            let text = match (nodes, which) {
                (1, Which::New) => "no longer compiles",
                (1, Which::Fixed) => "compiles again",
                (1, Which::Changed) => "fails otherwise",
                (1, Which::Both) => "fails on both sides",
                _ => text,
            };
            if nodes > 0 {
                parts.push(format!("{nodes} {text}"));
            }
        }
        if self.same > 0 || parts.is_empty() {
            let skipped = match self.skipped {
                0 => String::new(),
                skipped if skipped == self.same => " (same inputs)".to_owned(),
                skipped => format!(" ({skipped} with the same inputs)"),
            };
            parts.push(format!("{} the same{skipped}", self.same));
        }
        format!("{}: {}", counted(self.nodes, "node"), parts.join(", "))
    }
}

/// `1 node`, `3 nodes`
pub(super) fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Names, the first ones in full: `web1, web2, web3 and 109 more`.
pub(super) fn names(nodes: &[Arc<str>], shown: usize) -> String {
    let first: Vec<&str> = nodes.iter().take(shown).map(AsRef::as_ref).collect();
    match nodes.len().saturating_sub(shown) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn split(diff: Diff) -> impl Iterator<Item = Change> {
    let added = diff.added.into_iter().map(Change::Added);
    let removed = diff.removed.into_iter().map(Change::Removed);
    let changed = diff.changed.into_iter().map(Change::Changed);
    let edges = diff.edges_added.into_iter().map(Change::EdgeAdded);
    added.chain(removed).chain(changed).chain(edges).chain(diff.edges_removed.into_iter().map(Change::EdgeRemoved))
}

fn identity(change: &Change) -> Identity {
    match change {
        Change::Added(item) => groups::identity("added", item),
        Change::Removed(item) => groups::identity("removed", item),
        Change::Changed(item) => groups::identity("changed", item),
        Change::EdgeAdded(edge) => of_edge("edge added", edge),
        Change::EdgeRemoved(edge) => of_edge("edge removed", edge),
    }
}

/// Where an edge was written is ignored, as that of a resource is.
fn of_edge(kind: &str, edge: &Edge) -> Identity {
    groups::digest(&[kind, &edge.source, &edge.relationship, &edge.target])
}
