//! Why a script, or a file that scripts may read, cannot be read.

use std::fmt;

use catwalk_base::diag::Cause;
use catwalk_world::WorldError;

/// Why a file cannot be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    /// The reason for people.
    pub(super) message: String,
    /// What made it fail.
    pub(super) cause: Cause,
}

impl From<&WorldError> for Unreadable {
    fn from(refused: &WorldError) -> Unreadable {
        Unreadable { message: refused.to_string(), cause: refused.cause() }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
