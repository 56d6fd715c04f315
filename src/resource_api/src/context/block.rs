//! Messages at the end of block functions.

use super::Operation;
use crate::Level;

/// The kind of a block function.
#[derive(Debug)]
pub(super) enum BlockKind {
    /// One of the operations.
    Operation(Operation),
    /// The title and the desired value, as messages show them.
    Processing(String, String),
}

impl BlockKind {
    /// The message after a successful block function.
    pub(super) fn finished(&self, seconds: &str) -> (Level, String) {
        match self {
            BlockKind::Operation(Operation::Failing) => {
                (Level::Warning, format!("Finished failing in {seconds} seconds"))
            }
            BlockKind::Operation(_) => (Level::Notice, format!("Finished in {seconds} seconds")),
            BlockKind::Processing(title, should) => {
                (Level::Notice, format!("Finished processing {title} in {seconds} seconds: {should}"))
            }
        }
    }

    /// The beginning of the message after a failed block function; the error is appended.
    pub(super) fn failed(&self, seconds: &str) -> String {
        match self {
            BlockKind::Operation(_) => format!("Failed after {seconds} seconds"),
            BlockKind::Processing(title, _) => format!("Failed processing {title} after {seconds} seconds"),
        }
    }
}
