//! Permissions of store files. SQLite creates the files beside a store with the same permissions.

use std::io;
use std::path::Path;

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
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        if std::fs::metadata(&name).is_ok_and(is_open) {
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
