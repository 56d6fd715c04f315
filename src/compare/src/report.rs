//! The report of a comparison, in which equal changes of many nodes are listed once, those of the most nodes first.

use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::comparison::ComparisonResult;
use crate::comparison::Failure;
use crate::comparison::Outcome;
use catwalk_base::diag::Code;
use catwalk_base::diag::visible;
use catwalk_formats::diff::Diff;
use catwalk_formats::diff::Edge;
use catwalk_formats::diff::ResourceDiff;
use catwalk_formats::diff::groups;
use catwalk_formats::diff::groups::Grouping;
use catwalk_formats::diff::groups::Identity;

/// One difference of a catalog.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A resource that only the new catalog has.
    Added(ResourceDiff),
    /// A resource that only the old catalog has.
    Removed(ResourceDiff),
    /// A resource whose parameters differ.
    Changed(ResourceDiff),
    /// An edge that only the new catalog has.
    EdgeAdded(Edge),
    /// An edge that only the old catalog has.
    EdgeRemoved(Edge),
}

/// Changes that occur in the same nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub nodes: Vec<Arc<str>>,
    pub changes: Vec<Change>,
}

impl Group {
    /// The changes as a diff, to render them.
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

/// How failures of a node on the two sides compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FailureKind {
    /// Only the new side fails.
    New,
    /// Only the old side fails.
    Fixed,
    /// Both sides fail, with different errors.
    Changed,
    /// Both sides fail with the same error.
    Both,
}

impl FailureKind {
    /// Its name in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FailureKind::New => "new",
            FailureKind::Fixed => "fixed",
            FailureKind::Changed => "changed",
            FailureKind::Both => "both",
        }
    }
}

/// A failure that one or more nodes have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    pub kind: FailureKind,
    /// The error of the old side.
    pub old: Option<String>,
    /// The error of the new side.
    pub new: Option<String>,
    /// The code of the new side's error, and its file, line and column.
    pub origin: Option<(Code, Option<(PathBuf, u32, u32)>)>,
    /// The nodes that fail.
    pub nodes: Vec<Arc<str>>,
}

/// The complete report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The name of the old side.
    pub old: String,
    /// The name of the new side.
    pub new: String,
    /// The changes, grouped by the nodes in which they occur; groups of the most nodes come first.
    pub groups: Vec<Group>,
    /// The failures; those of the most nodes come first.
    pub failures: Vec<Failures>,
    /// Nodes that only the new side has, with their number of resources.
    pub added: Vec<(Arc<str>, usize)>,
    /// Nodes that only the old side has.
    pub removed: Vec<Arc<str>>,
    /// Nodes with catalogs that differ.
    pub differing: Vec<Arc<str>>,
    /// The number of nodes whose catalogs are equal.
    pub same: usize,
    /// The number of these that were not compiled on the new side, since their inputs are the same.
    pub skipped: usize,
    /// The number of all nodes.
    pub nodes: usize,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

impl Report {
    /// Creates a report of the results of all nodes.
    #[must_use]
    pub fn new(old: String, new: String, compared: ComparisonResult) -> Report {
        let mut report = Report { old, new, nodes: compared.nodes.len(), ..Report::default() };
        let mut changes: Grouping<usize, Change> = Grouping::default();
        let mut failures: IndexMap<(FailureKind, String, String), Failures> = IndexMap::new();
        let mut bare = 0;
        for (certname, outcome) in compared.nodes {
            match outcome {
                Outcome::Same { compiled, bare: is_bare } => {
                    report.same += 1;
                    report.skipped += usize::from(!compiled);
                    bare += usize::from(is_bare);
                }
                Outcome::Added(resources) => report.added.push((certname, resources)),
                Outcome::Removed => report.removed.push(certname),
                Outcome::Failed { old, new } => {
                    let kind = match (&old, &new) {
                        (None, _) => FailureKind::New,
                        (_, None) => FailureKind::Fixed,
                        (Some(old), Some(new)) if old.message == new.message => FailureKind::Both,
                        _ => FailureKind::Changed,
                    };
                    // Messages that differ only in the name of the node are treated as the same.
                    let message = |failure: &Option<Failure>| {
                        failure.as_ref().map(|failure| failure.message.replace(&*certname, "NODE"))
                    };
                    let key = (kind, message(&old).unwrap_or_default(), message(&new).unwrap_or_default());
                    let entry = failures.entry(key).or_insert_with(|| Failures {
                        kind,
                        old: old.map(|failure| failure.text),
                        origin: new.as_ref().map(|failure| (failure.code, failure.position.clone())),
                        new: new.map(|failure| failure.text),
                        nodes: Vec::new(),
                    });
                    entry.nodes.push(certname);
                }
                Outcome::Differs(diff) => {
                    let node = report.differing.len();
                    report.differing.push(certname);
                    changes_of(*diff).for_each(|change| changes.add(node, identity(&change), change));
                }
            }
        }
        let certnames =
            |nodes: Vec<usize>| nodes.iter().filter_map(|node| report.differing.get(*node).cloned()).collect();
        report.groups = changes
            .groups()
            .into_iter()
            .map(|group| Group { nodes: certnames(group.owners), changes: group.changes })
            .collect();
        report.failures = failures.into_values().collect();
        report.failures.sort_by_key(|failures| std::cmp::Reverse(failures.nodes.len()));
        if bare > 0 {
            let text = "their catalogs have no resources but those that every catalog has: was their code found?";
            report.notes.push(format!("{}: {text}", count_noun(bare, "node")));
        }
        report
    }

    /// Whether the two sides are equal; nodes that fail on both sides with the same error are equal too.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let failures = self.failures.iter().all(|failures| failures.kind == FailureKind::Both);
        self.groups.is_empty() && self.added.is_empty() && self.removed.is_empty() && failures
    }

    /// Whether no node could be compared.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        let both = self.failures.iter().filter(|failures| failures.kind == FailureKind::Both);
        self.nodes > 0 && both.map(|failures| failures.nodes.len()).sum::<usize>() == self.nodes
    }

    /// The number of nodes that fail on at least one side.
    #[must_use]
    pub fn failing(&self) -> usize {
        self.failures.iter().map(|failures| failures.nodes.len()).sum()
    }

    /// The last line of the report: `1000 nodes: 10 differ, 990 are the same (990 with the same inputs)`.
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
        for (kind, text) in [
            (FailureKind::New, "no longer compile"),
            (FailureKind::Fixed, "compile again"),
            (FailureKind::Changed, "fail otherwise"),
            (FailureKind::Both, "fail on both sides"),
        ] {
            let nodes = self.failures.iter().filter(|failures| failures.kind == kind).map(|f| f.nodes.len()).sum();
            let text = match (nodes, kind) {
                (1, FailureKind::New) => "no longer compiles",
                (1, FailureKind::Fixed) => "compiles again",
                (1, FailureKind::Changed) => "fails otherwise",
                (1, FailureKind::Both) => "fails on both sides",
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
        format!("{}: {}", count_noun(self.nodes, "node"), parts.join(", "))
    }
}

/// `1 node`, `3 nodes`
#[must_use]
pub fn count_noun(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// The first names, and the number of the others: `web1, web2, web3 and 109 more`.
#[must_use]
pub fn list_names(nodes: &[Arc<str>], max: usize) -> String {
    let first: Vec<std::borrow::Cow<str>> = nodes.iter().take(max).map(|node| visible::line(node)).collect();
    match nodes.len().saturating_sub(max) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn changes_of(diff: Diff) -> impl Iterator<Item = Change> {
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
        Change::EdgeAdded(edge) => edge_identity("edge added", edge),
        Change::EdgeRemoved(edge) => edge_identity("edge removed", edge),
    }
}

/// The identity of an added or removed edge. Its location is ignored.
fn edge_identity(kind: &str, edge: &Edge) -> Identity {
    groups::digest(&[kind, &edge.source, &edge.relationship, &edge.target])
}
