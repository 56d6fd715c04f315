//! Renames a complete temporary file to its final path, which may be an entry of another kind.
//!
//! In: a temporary file, link or directory, its final path. Out: the entry is at that path, and the previous entry is deleted.
//! Must not: write contents.
//!
//! A rename cannot replace a directory by a file, or a file by a directory. In these cases the entries exchange their names in one
//! step, and the old entry is deleted under the temporary name. If the process is killed in between, the next run deletes it.
#![allow(clippy::disallowed_methods, reason = "this is the machine")]

use std::io::Result;
use std::path::Path;

/// Renames `temporary` to `path`. With `replaces_other_kinds` it replaces any existing entry.
///
/// # Errors
/// The system refuses the rename; `path` is unchanged.
pub(super) fn rename(temporary: &Path, path: &Path, replaces_other_kinds: bool) -> Result<()> {
    match std::fs::rename(temporary, path) {
        Err(error) if replaces_other_kinds && is_other_kind(&error) => {
            exchange(temporary, path)?;
            delete(temporary);
            Ok(())
        }
        renamed => renamed,
    }
}

fn is_other_kind(error: &std::io::Error) -> bool {
    let code = error.raw_os_error().map(rustix::io::Errno::from_raw_os_error);
    matches!(code, Some(rustix::io::Errno::ISDIR | rustix::io::Errno::NOTDIR))
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange(temporary: &Path, path: &Path) -> Result<()> {
    use rustix::fs::CWD;
    use rustix::fs::RenameFlags;
    use rustix::io::Errno;
    match rustix::fs::renameat_with(CWD, temporary, CWD, path, RenameFlags::EXCHANGE) {
        // The file system or the kernel does not support the exchange.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => exchange_in_steps(temporary, path),
        exchanged => Ok(exchanged?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn exchange(temporary: &Path, path: &Path) -> Result<()> {
    exchange_in_steps(temporary, path)
}

/// Exchanges two names by three renames. If the process is killed in between, nothing may be left at `path`.
fn exchange_in_steps(temporary: &Path, path: &Path) -> Result<()> {
    let beside = tempfile::Builder::new()
        .prefix(super::replace::PREFIX)
        .rand_bytes(super::replace::RANDOM_CHARACTERS)
        .tempdir_in(path.parent().unwrap_or(Path::new("/")))?;
    let old = beside.path().join("old");
    std::fs::rename(path, &old)?;
    if let Err(error) = std::fs::rename(temporary, path) {
        std::fs::rename(&old, path)?;
        return Err(error);
    }
    std::fs::rename(&old, temporary)
}

/// Deletes a file, link or directory. Errors are ignored: the next run tries again.
pub(super) fn delete(path: &Path) {
    // `remove_dir_all` does not follow a link: only the link is deleted.
    let is_directory = std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
    let _ = if is_directory { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
}
