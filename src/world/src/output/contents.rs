//! What directories that Catwalk writes are for, and what they may contain.

use std::ffi::OsStr;

use super::marker;
use super::status::FileKind;
use super::temporary;

/// What a directory is for. The crate that names the files in it defines it.
#[derive(Debug)]
pub struct Purpose {
    /// One word for the marker of a private directory: `queue`.
    pub name: &'static str,
    /// As part of a sentence: "the queue of commands for PuppetDB".
    pub description: &'static str,
    /// How the user names another directory: "--queue DIR".
    pub option: &'static str,
    /// Who owns the files in it.
    pub contents: Contents,
}

/// Who owns the files in a directory.
#[derive(Debug)]
pub enum Contents {
    /// Catwalk's state. The directory must be new, empty, marked as Catwalk's, or contain only entries that `is_own` accepts: versions
    /// without markers wrote it.
    Private {
        /// Whether Catwalk gives this name to an entry of this kind in the directory.
        is_own: fn(&str, FileKind) -> bool,
        /// The name and contents of the file that marks the directory, if it is not the usual one, [`marker::FILE`].
        marker: Option<(&'static str, &'static str)>,
    },
    /// The user's files, among which Catwalk writes those that it names.
    Mixed,
}

/// Whether an entry may be in each private directory: the marker, temporary files, and what a file system creates itself.
pub(super) fn is_common(name: &OsStr, kind: FileKind) -> bool {
    match kind {
        FileKind::File => name == marker::FILE || name == temporary::GIT_IGNORE,
        FileKind::Directory => name == temporary::FOLDER || name == "lost+found",
        FileKind::Link | FileKind::Other => false,
    }
}
