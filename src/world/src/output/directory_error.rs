//! Why a directory is not used for writing.

use std::fmt;
use std::io;
use std::path::PathBuf;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

use super::contents::Purpose;

/// Why a directory is not used.
#[derive(Debug)]
pub struct DirectoryError {
    pub(super) path: PathBuf,
    pub(super) cause: Cause,
    pub(super) purpose: &'static Purpose,
}

/// Why a directory is not used, without the directory.
#[derive(Debug)]
pub(super) enum Cause {
    /// The path is a symbolic link.
    Link,
    /// It belongs to others: why.
    Foreign(String),
    /// The environment names no directory for the user's state.
    NoState,
    Failed(io::Error),
}

impl Cause {
    pub(super) fn at(self, path: PathBuf, purpose: &'static Purpose) -> DirectoryError {
        DirectoryError { path, cause: self, purpose }
    }
}

impl DirectoryError {
    pub(super) fn without_state(purpose: &'static Purpose) -> DirectoryError {
        Cause::NoState.at(PathBuf::new(), purpose)
    }

    pub(super) fn failed(path: PathBuf, error: io::Error, purpose: &'static Purpose) -> DirectoryError {
        Cause::Failed(error).at(path, purpose)
    }

    /// Whether the directory is another's or reached through a link, rather than unwritable.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self.cause, Cause::Link | Cause::Foreign(_))
    }

    /// What the user can do.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match &self.cause {
            Cause::Link => Some(format!("name the directory that is meant: {}", self.purpose.option)),
            Cause::Foreign(_) => Some(format!("name a new or empty directory: {}", self.purpose.option)),
            Cause::NoState => Some("set HOME or XDG_STATE_HOME".to_owned()),
            Cause::Failed(_) => None,
        }
    }
}

impl fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, what) = (self.path.display(), self.purpose.description);
        match &self.cause {
            Cause::Link => {
                write!(f, "{path} is a symbolic link, which is not followed for {what}; nothing was changed there")
            }
            Cause::Foreign(why) => {
                write!(f, "{path} is not used for {what}: {why}; nothing was changed there")
            }
            Cause::NoState => write!(f, "there is no directory for {what}"),
            Cause::Failed(error) => write!(f, "cannot write {path}: {error}"),
        }
    }
}

impl std::error::Error for DirectoryError {}

impl From<DirectoryError> for Reason {
    fn from(error: DirectoryError) -> Reason {
        let code = match &error.cause {
            Cause::Link => Code::LINKED_DIRECTORY,
            Cause::Foreign(_) => Code::FOREIGN_DIRECTORY,
            Cause::NoState | Cause::Failed(_) => Code::RUNTIME_ERROR,
        };
        let reason = Reason::new(code, error.to_string());
        match error.help() {
            Some(help) => reason.help(help),
            None => reason,
        }
    }
}

impl From<DirectoryError> for io::Error {
    fn from(error: DirectoryError) -> io::Error {
        match error.cause {
            Cause::Failed(error) => error,
            _ => io::Error::other(error.to_string()),
        }
    }
}
