//! Normalization of paths as strings.
//!
//! In: a path. Out: the normalized path. Must not: access files.

use std::borrow::Cow;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

/// A path as all messages for people show it: relative to the directory of the site if it is below it, else unchanged. Paths are never
/// relative to two directories in one message, and do not depend on the current directory, as those of Cargo in a workspace. Puppet's own
/// messages, `(file: …, line: …)`, keep absolute paths.
#[must_use]
pub fn shown<'p>(path: &'p Path, root: Option<&Path>) -> Cow<'p, str> {
    let relative = root.and_then(|root| path.strip_prefix(root).ok());
    relative.filter(|path| !path.as_os_str().is_empty()).unwrap_or(path).to_string_lossy()
}

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
