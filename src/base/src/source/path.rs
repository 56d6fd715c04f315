//! Paths compared as strings.
//!
//! In: a path. Out: another. Must not: look at files.

use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

/// The path without `.` and `..`, resolved as by `File.expand_path`: without following links.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
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
