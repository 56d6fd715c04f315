//! Which files are stores, and their permissions. SQLite creates the files beside a store with the same permissions.

use std::io;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use crate::error::StoreError;
use crate::schema;

/// The start of each file of SQLite, and where the number of its application is.
const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION_AT: usize = 68;

/// The files that SQLite keeps beside a database: of a file that does not exist, it would take them for its own.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Checks that a file is a store, empty or missing before SQLite opens it: SQLite changes the files of others, too, to repair them.
///
/// # Errors
/// It is a file of others, or it is missing and others have a file that SQLite would use.
#[allow(clippy::disallowed_methods, reason = "this crate opens its file by itself")]
pub(crate) fn check(path: &Path) -> Result<(), StoreError> {
    let damaged = |why: &str| Err(StoreError::Damaged(path.to_path_buf(), why.to_owned()));
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        // SQLite reports why it cannot be opened.
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Ok(()),
        Err(_) => {
            let foreign = BESIDE.iter().map(|end| beside(path, end)).find(|path| path.symlink_metadata().is_ok());
            return match foreign {
                Some(foreign) => damaged(&format!("it does not exist, but {}, which belongs to it", foreign.display())),
                None => Ok(()),
            };
        }
    };
    if !meta.is_file() {
        return Ok(());
    }
    let mut header = Vec::new();
    let file = std::fs::File::open(path);
    if file.and_then(|file| file.take(100).read_to_end(&mut header)).is_err() || header.is_empty() {
        return Ok(());
    }
    if !header.starts_with(MAGIC) {
        return damaged("file is not a database");
    }
    let application = header.get(APPLICATION_AT..).and_then(|rest| rest.first_chunk::<4>());
    match application.map(|bytes| i64::from(i32::from_be_bytes(*bytes))) {
        Some(schema::APPLICATION) => Ok(()),
        _ => damaged("it is a file of another program"),
    }
}

/// Creates a file that only its owner can read and write, unless it exists.
///
/// # Errors
/// The file cannot be created.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "this crate opens its file by itself")]
pub(crate) fn create(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created.map(drop),
    }
}

/// Restricts a store that everybody can read or write, and the files beside it that SQLite creates, to their owner. The permissions of
/// another user's files stay unchanged.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "this crate opens its file by itself")]
pub(crate) fn restrict(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let is_open = |meta: std::fs::Metadata| meta.is_file() && meta.permissions().mode() & 0o007 != 0;
    // The file itself may be a link that the user named.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    for name in ["", "-wal", "-shm"].map(|end| beside(&path, end)) {
        if std::fs::symlink_metadata(&name).is_ok_and(is_open) {
            let _ = std::fs::set_permissions(&name, std::fs::Permissions::from_mode(0o600));
        }
    }
}

/// Does nothing: other systems have different permissions, and SQLite creates the file.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub(crate) fn create(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Does nothing: other systems have different permissions.
#[cfg(not(unix))]
pub(crate) fn restrict(_: &Path) {}

/// Whether the directory of a store exists.
#[allow(clippy::disallowed_methods, reason = "this crate opens its file by itself")]
pub(crate) fn has_folder(path: &Path) -> bool {
    path.parent().is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir())
}

/// Whether the file system of a store has no room for another page.
#[cfg(unix)]
pub(crate) fn is_full(path: &Path) -> bool {
    /// Less than SQLite's largest page and the index of its log.
    const ROOM: u64 = 64 << 10;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    rustix::fs::statvfs(folder).is_ok_and(|stat| stat.f_bavail.saturating_mul(stat.f_frsize) < ROOM)
}

/// Unknown on other systems.
#[cfg(not(unix))]
pub(crate) fn is_full(_: &Path) -> bool {
    false
}
