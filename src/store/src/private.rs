//! Permissions of store files. SQLite gives those of a store to the files beside it.

use std::io;
use std::path::Path;

/// Makes a file that does not exist, for its owner only.
///
/// # Errors
/// The file cannot be made.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "this crate opens its file by itself")]
pub(crate) fn create(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(drop),
    }
}

/// Makes a store that everybody could read or write one for its owner only. Another user's stays as that user wants it.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "this crate opens its file by itself")]
pub(crate) fn restrict(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let is_open = |meta: std::fs::Metadata| meta.is_file() && meta.permissions().mode() & 0o007 != 0;
    if std::fs::metadata(path).is_ok_and(is_open) {
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
    }
}

/// Other systems have permissions of another kind: SQLite makes the file.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub(crate) fn create(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Other systems have permissions of another kind.
#[cfg(not(unix))]
pub(crate) fn restrict(_: &Path) {}
