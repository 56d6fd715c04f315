//! Normalization of paths as strings.
//!
//! In: a path. Out: the normalized path. Must not: access files.

use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

/// Removes `.` and `..` from a path as Ruby's `File.expand_path` does, without following links.
#[must_use]
pub fn normalize_path(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
