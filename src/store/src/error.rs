//! Errors of store files and queries.

use std::fmt;
use std::path::Path;
use std::path::PathBuf;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::meter;

use crate::permissions;

/// Why a store file cannot be used.
#[derive(Debug)]
pub enum StoreError {
    /// The file does not exist or cannot be opened.
    Unreadable(PathBuf, String),
    /// The file is not a store, or its content is damaged.
    Damaged(PathBuf, String),
    /// A newer Catwalk wrote the file: its schema has this version.
    Newer(PathBuf, i64),
    /// Another process has been writing for longer than the time limit.
    Busy(PathBuf),
    /// The disk is full.
    Full(PathBuf),
    /// Any other failure of the database.
    Failed(PathBuf, String),
    /// A catalog, facts or a fixture that cannot be stored.
    Document(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Unreadable(path, why) => write!(f, "{}: {why}", path.display()),
            StoreError::Damaged(path, why) => write!(f, "{}: not a usable store file: {why}", path.display()),
            StoreError::Newer(path, version) => {
                write!(f, "{}: a store of version {version}, which only a newer Catwalk can read", path.display())
            }
            StoreError::Busy(path) => write!(f, "{}: another process is writing to the store", path.display()),
            StoreError::Full(path) => write!(f, "{}: the disk is full", path.display()),
            StoreError::Failed(path, why) => write!(f, "{}: {why}", path.display()),
            StoreError::Document(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for StoreError {}

impl StoreError {
    /// The error as it is reported, with what to do about it.
    #[must_use]
    pub fn reason(&self) -> Reason {
        let reason = Reason::new(Code::BAD_STORE, self.to_string());
        let folder = |path: &Path| path.parent().unwrap_or(path).display().to_string();
        match self {
            StoreError::Full(path) => {
                reason.help(format!("free some space in {}, or write the store to another file system", folder(path)))
            }
            StoreError::Unreadable(path, _) if !permissions::has_folder(path) => {
                reason.help(format!("there is no directory {}", folder(path)))
            }
            _ => reason,
        }
    }

    /// The error of creating the file at `path`.
    pub(crate) fn from_io(path: &Path, error: &std::io::Error) -> StoreError {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StoreError::Full(path.to_path_buf()),
            _ => StoreError::Unreadable(path.to_path_buf(), format!("cannot be created: {error}")),
        }
    }

    /// Converts the error of an SQLite call on the store at `path`.
    pub(crate) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
        use rusqlite::ErrorCode;
        let path = path.to_path_buf();
        match error.sqlite_error_code() {
            // Ends the compile whose limit stopped the statement.
            Some(ErrorCode::OperationInterrupted) => {
                meter::check(|| format!("the store {}", path.display()));
                StoreError::Failed(path, error.to_string())
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => StoreError::Damaged(path, error.to_string()),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy(path),
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                StoreError::Unreadable(path, error.to_string())
            }
            // The value of a column has the wrong type or is not valid JSON.
            None => StoreError::Damaged(path, error.to_string()),
            Some(ErrorCode::DiskFull) => StoreError::Full(path),
            // SQLite reports so that the files beside the store cannot grow.
            Some(ErrorCode::SystemIoFailure) if permissions::is_full(&path) => StoreError::Full(path),
            Some(_) => StoreError::Failed(path, error.to_string()),
        }
    }
}

/// Why a query fails.
#[derive(Debug)]
pub enum QueryError {
    /// The query is invalid; the message is PuppetDB's if PuppetDB has one.
    Bad(String),
    /// The store cannot be read.
    Store(StoreError),
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::Bad(why) => f.write_str(why),
            QueryError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for QueryError {}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> QueryError {
        QueryError::Store(error)
    }
}
