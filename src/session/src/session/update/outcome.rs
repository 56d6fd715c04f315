//! What an edit did to a node, for those who show it.

use std::sync::Arc;
use std::time::Duration;

use catwalk_base::diag::Diagnostic;
use catwalk_formats::diff::Diff;

/// What an edit did to one node.
#[derive(Debug)]
pub struct NodeUpdate {
    /// The node.
    pub certname: Arc<str>,
    /// What came of it.
    pub outcome: Outcome,
    /// What was logged on the way.
    pub logs: Vec<Diagnostic>,
    /// Time of its compile.
    pub elapsed: Duration,
}

/// What came of a compile, against what was there before.
#[derive(Debug)]
pub enum Outcome {
    /// The first catalog of a node, with its number of resources.
    First(usize),
    /// The catalog differs.
    Changed(Box<Diff>),
    /// It was compiled again and is the same; `recovered`: it had failed before.
    Same {
        /// The compile before this one failed.
        recovered: bool,
    },
    /// It does not compile; the last good catalog is kept.
    Failed {
        /// Why.
        why: Box<Diagnostic>,
        /// The compile before this one failed with the same message at the same place.
        again: bool,
    },
    /// The node is gone.
    Removed,
}

impl NodeUpdate {
    /// Whether it does not compile.
    #[must_use]
    pub fn failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed { .. })
    }

    /// Whether it is more than the same catalog or the same error again.
    #[must_use]
    pub fn is_news(&self) -> bool {
        !matches!(self.outcome, Outcome::Same { recovered: false } | Outcome::Failed { again: true, .. })
    }
}
