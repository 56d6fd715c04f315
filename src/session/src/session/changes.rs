//! What may have changed on disk, as the session is told.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// What may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Paths of files and directories that appeared, changed or went away.
    pub paths: BTreeSet<PathBuf>,
    /// Events were lost: everything may have changed.
    pub rescan: bool,
}
