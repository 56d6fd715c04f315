//! The effect of an edit on a node.

use std::sync::Arc;
use std::time::Duration;

use catwalk_base::diag::Diagnostic;
use catwalk_formats::diff::Diff;

/// The effect of an edit on one node.
#[derive(Debug)]
pub struct NodeUpdate {
    /// The certname of the node.
    pub certname: Arc<str>,
    /// The result of its compile.
    pub outcome: Outcome,
    /// The messages that the compile logged.
    pub logs: Vec<Diagnostic>,
    /// The time of the compile.
    pub elapsed: Duration,
}

/// The result of a compile, compared with the catalog before.
#[derive(Debug)]
pub enum Outcome {
    /// The first catalog of a node, with its number of resources.
    First(usize),
    /// The catalog differs.
    Changed(Box<Diff>),
    /// The node was recompiled, and its catalog is equal.
    Same {
        /// The compile before this one failed.
        recovered: bool,
    },
    /// The node does not compile; its last successful catalog is kept.
    Failed {
        /// The error.
        error: Box<Diagnostic>,
        /// The compile before this one failed with the same message at the same position.
        is_repeated: bool,
    },
    /// The node no longer exists.
    Removed,
}

impl NodeUpdate {
    /// Whether the node does not compile.
    #[must_use]
    pub fn failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed { .. })
    }

    /// Whether the catalog or the error has changed.
    #[must_use]
    pub fn is_change(&self) -> bool {
        !matches!(self.outcome, Outcome::Same { recovered: false } | Outcome::Failed { is_repeated: true, .. })
    }
}
