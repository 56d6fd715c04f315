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
        /// What marks the directory.
        marker: Marker,
    },
    /// The user's files, among which Catwalk writes those that it names.
    Mixed,
    /// As `Mixed`, for secrets of the user: a new directory is accessible to its owner only.
    MixedSecrets,
}

/// The file by which Catwalk recognises a private directory that it has created.
#[derive(Clone, Copy, Debug)]
pub enum Marker {
    /// The file that is locked while the directory is changed.
    Lock,
    /// A file with this name and these contents.
    File(&'static str, &'static str),
    /// None: only the names of the entries tell.
    Names,
}

/// Whether an entry may be in each private directory: the marker, temporary files, and what a file system creates itself.
pub(super) fn is_common(name: &OsStr, kind: FileKind) -> bool {
    match kind {
        FileKind::File => name == marker::FILE || name == temporary::GIT_IGNORE,
        FileKind::Directory => name == temporary::FOLDER || name == "lost+found",
        FileKind::Link | FileKind::Other => false,
    }
}
