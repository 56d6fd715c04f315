//! Possible changes on disk, as the file watcher reports them.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// Paths that may have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Paths of files and directories that were created, changed or removed.
    pub paths: BTreeSet<PathBuf>,
    /// Events were lost: everything may have changed.
    pub rescan: bool,
}
