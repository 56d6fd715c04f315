//! Reading of files and directories.
//!
//! In: paths. Out: what is there, or why it is not read. Must not: keep anything.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::world::Entry;
use crate::world::Kind;
use crate::world::Refused;

/// Files larger than this are refused: a manifest or data file of this size is a mistake.
const MAX_FILE: u64 = 256 << 20;

/// How often a program that is being written is tried to run.
pub(super) const BUSY_TRIES: u32 = 200;

pub(super) fn refused(path: &Path, error: &std::io::Error) -> Refused {
    match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Refused::Missing(path.to_path_buf()),
        _ => Refused::Unreadable(path.to_path_buf(), Arc::from(error.to_string())),
    }
}

#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub(super) fn read(path: &Path) -> Result<Arc<[u8]>, Refused> {
    let file = open(path, false).map_err(|error| refused(path, &error))?;
    let meta = file.metadata().map_err(|error| refused(path, &error))?;
    if meta.is_dir() {
        return Err(Refused::Unreadable(path.to_path_buf(), Arc::from("Is a directory")));
    }
    if meta.len() > MAX_FILE {
        return Err(Refused::Unreadable(path.to_path_buf(), Arc::from("larger than 256 MiB")));
    }
    let length = usize::try_from(meta.len()).unwrap_or(0);
    if meta.is_file() && length > 0 {
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, length).collect();
        // One that became shorter meanwhile is read as what has no length.
        if Arc::get_mut(&mut bytes).is_some_and(|bytes| (&file).read_exact(bytes).is_ok()) {
            return Ok(bytes);
        }
    }
    // A pipe may never give anything, but for those that the caller's shell made.
    let waits = is_pipe(&meta);
    if waits && !["/dev", "/proc"].iter().any(|root| path.starts_with(root)) {
        return Err(Refused::Unreadable(path.to_path_buf(), Arc::from("it is a pipe")));
    }
    // Devices have no length, and some no end.
    let mut bytes = Vec::with_capacity(length);
    let again = if waits || length > 0 { open(path, waits) } else { Ok(file) };
    match again.and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes)) {
        Ok(_) if bytes.len() as u64 > MAX_FILE => {
            Err(Refused::Unreadable(path.to_path_buf(), Arc::from("larger than 256 MiB")))
        }
        Ok(_) => Ok(Arc::from(bytes)),
        Err(error) => Err(refused(path, &error)),
    }
}

/// Opens a file, as what may be a pipe without a writer: that waits only when it is wanted.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub(super) fn open(path: &Path, wait: bool) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = if wait { 0 } else { libc::O_NONBLOCK };
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub(super) fn open(path: &Path, _: bool) -> std::io::Result<std::fs::File> {
    std::fs::File::open(path)
}

#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub(super) fn list(path: &Path) -> Result<Arc<[Entry]>, Refused> {
    let entries = std::fs::read_dir(path).map_err(|error| refused(path, &error))?;
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Files that this program is writing.
        if name == crate::output::FOLDER {
            continue;
        }
        let kind = match entry.file_type() {
            Ok(t) if t.is_file() => Kind::File,
            Ok(t) if t.is_dir() => Kind::Directory,
            _ => kind_of(&entry.path()),
        };
        found.push(Entry { name: Arc::from(name), kind });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Arc::from(found))
}

#[cfg(unix)]
fn is_pipe(meta: &std::fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&meta.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    false
}

#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub(super) fn kind_of(path: &Path) -> Kind {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Kind::Directory,
        Ok(_) => Kind::File,
        Err(_) => Kind::Missing,
    }
}
