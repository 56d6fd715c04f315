//! Reading of files and directories, with bounds: no path in a site can hang the program or fill its memory.
//!
//! In: paths. Out: bytes and entries, or an error. Only regular files are read, and devices and pipes that the
//! user named in the arguments of the program. Must not: cache anything.

use std::io::Read;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;

use crate::Entry;
use crate::Kind;
use crate::WorldError;
use crate::tree_state::FileStamp;

/// The default of the limit `file`: the largest file that is read, in bytes.
pub const DEFAULT_FILE_LIMIT: u64 = 64 << 20;

/// Directories with more entries are refused.
const MAX_ENTRIES: usize = 1_000_000;

/// How often the start of a program is repeated while an editor still has it open for writing.
pub(super) const BUSY_TRIES: u32 = 200;

/// The devices and pipes among the arguments of this process.
static NAMED: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Permits reading the devices and pipes that the user named on the command line, such as `/dev/stdin` or the `/dev/fd/63` of a
/// process substitution, as a word or after the last `=` of one. Only the first call in a process has an effect.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
pub fn allow_named_devices(words: impl IntoIterator<Item = std::ffi::OsString>) {
    let special = |path: &Path| std::fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    let mut named = Vec::new();
    for word in words {
        let value = word.to_str().and_then(|word| Some(PathBuf::from(word.rsplit_once('=')?.1)));
        for path in [Some(PathBuf::from(&word)), value].into_iter().flatten().filter(|path| special(path)) {
            let here = std::env::current_dir().unwrap_or_default();
            named.push(catwalk_base::source::path::normalize_path(&here.join(&path)));
            named.push(path);
        }
    }
    let _ = NAMED.set(named);
}

/// Whether the user named a device or pipe by this path.
#[must_use]
pub fn is_named_device(path: &Path) -> bool {
    NAMED.get().is_some_and(|named| named.iter().any(|known| known == path))
}

/// Why a path is not read.
pub(super) fn refused(path: &Path, error: &std::io::Error) -> WorldError {
    match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => WorldError::Missing(path.to_path_buf()),
        // Opening a socket fails with "No such device or address".
        _ if is_no_device(error) => unreadable(path, "it is not a regular file"),
        _ => unreadable(path, &error.to_string()),
    }
}

fn unreadable(path: &Path, why: &str) -> WorldError {
    WorldError::Unreadable(path.to_path_buf(), Arc::from(why))
}

/// The error of a file above the limit, in bytes.
pub(crate) fn too_large(limit: u64) -> String {
    let size = if limit.is_multiple_of(1 << 20) { format!("{} MiB", limit >> 20) } else { format!("{limit} bytes") };
    format!("larger than {size} (raise the limit with --limit file=N, or `file` under [limits] in catwalk.toml)")
}

/// Reads a file whole, up to [`DEFAULT_FILE_LIMIT`].
///
/// # Errors
/// As [`read_file_up_to`].
pub fn read_file(path: &Path) -> Result<Arc<[u8]>, WorldError> {
    read_file_up_to(path, DEFAULT_FILE_LIMIT)
}

/// Reads a file whole if it has at most `limit` bytes.
///
/// # Errors
/// The file is missing, unreadable, larger than the limit, or a device, pipe or socket that the user did not name.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
pub(super) fn read_file_up_to(path: &Path, limit: u64) -> Result<Arc<[u8]>, WorldError> {
    read_stamped(path, limit).0
}

/// As [`read_file_up_to`], with the stamp of the open file after it was read; `None`: it cannot be opened.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
pub(super) fn read_stamped(path: &Path, limit: u64) -> (Result<Arc<[u8]>, WorldError>, Option<FileStamp>) {
    // Wait for the writer of a pipe only if the user named the pipe.
    let named = is_named_device(path);
    match open(path, named) {
        Err(error) => (Err(refused(path, &error)), None),
        Ok(mut file) => {
            let bytes = read_open_file(path, &mut file, named, limit);
            let meta = file.metadata().ok().filter(|meta| !meta.is_dir());
            (bytes, meta.map(|meta| FileStamp::new(&meta)))
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn read_open_file(path: &Path, file: &mut std::fs::File, named: bool, limit: u64) -> Result<Arc<[u8]>, WorldError> {
    let meta = file.metadata().map_err(|error| refused(path, &error))?;
    if meta.is_dir() {
        return Err(unreadable(path, "Is a directory"));
    }
    if meta.is_file() && meta.len() > limit {
        return Err(unreadable(path, &too_large(limit)));
    }
    let length = usize::try_from(meta.len()).unwrap_or(0);
    if meta.is_file() && length > 0 {
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, length).collect();
        if Arc::get_mut(&mut bytes).is_some_and(|bytes| file.read_exact(bytes).is_ok()) {
            return Ok(bytes);
        }
        // The file became shorter meanwhile: read to its end.
        std::io::Seek::rewind(file).map_err(|error| refused(path, &error))?;
    } else if !meta.is_file() {
        if is_null(&meta) {
            return Ok(Arc::from([]));
        }
        if !named {
            return Err(unreadable(path, special_kind(&meta)));
        }
    }
    read_to_end(path, file, limit)
}

/// Reads what has no known length, such as files of `/proc`, up to the limit.
fn read_to_end(path: &Path, file: &std::fs::File, limit: u64) -> Result<Arc<[u8]>, WorldError> {
    let mut bytes = Vec::new();
    match file.take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > limit => Err(unreadable(path, &too_large(limit))),
        Ok(_) => Ok(Arc::from(bytes)),
        Err(error) => Err(refused(path, &error)),
    }
}

/// Opens a file to read it. Unless it may wait, the open of a pipe without a writer returns at once.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn open(path: &Path, wait: bool) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = if wait { libc::O_NOCTTY } else { libc::O_NOCTTY | libc::O_NONBLOCK };
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn open(path: &Path, _: bool) -> std::io::Result<std::fs::File> {
    std::fs::File::open(path)
}

/// Lists a directory, sorted by name. Names that are not UTF-8 are left out.
///
/// # Errors
/// The directory is missing or unreadable, or has more than a million entries.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
pub(crate) fn list(path: &Path) -> Result<Arc<[Entry]>, WorldError> {
    let entries = std::fs::read_dir(path).map_err(|error| refused(path, &error))?;
    let mut found = Vec::new();
    for entry in entries {
        // Stop at the first error: in a damaged directory the iterator returns it forever.
        let entry = entry.map_err(|error| refused(path, &error))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        // Files that this program is writing.
        if name == crate::output::FOLDER {
            continue;
        }
        if found.len() == MAX_ENTRIES {
            return Err(unreadable(path, &format!("a directory of more than {MAX_ENTRIES} entries")));
        }
        let (kind, link) = match entry.file_type() {
            Ok(t) if t.is_file() => (Kind::File, false),
            Ok(t) if t.is_dir() => (Kind::Directory, false),
            Ok(t) if t.is_symlink() => (kind_of(&entry.path()), true),
            _ => (kind_of(&entry.path()), false),
        };
        found.push(Entry { name: Arc::from(name), kind, link });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Arc::from(found))
}

/// The kind of the entry that a path leads to; links are followed.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
pub(crate) fn kind_of(path: &Path) -> Kind {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Kind::Directory,
        Ok(_) => Kind::File,
        Err(_) => Kind::Missing,
    }
}

#[cfg(unix)]
fn is_no_device(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENXIO)
}

#[cfg(not(unix))]
fn is_no_device(_: &std::io::Error) -> bool {
    false
}

/// What to call a file that is neither regular nor a directory.
#[cfg(unix)]
fn special_kind(meta: &std::fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = meta.file_type();
    match () {
        () if kind.is_fifo() => "it is a pipe, not a regular file",
        () if kind.is_char_device() || kind.is_block_device() => "it is a device, not a regular file",
        () => "it is not a regular file",
    }
}

#[cfg(not(unix))]
fn special_kind(_: &std::fs::Metadata) -> &'static str {
    "it is not a regular file"
}

/// Whether this is `/dev/null`, which configurations use as an empty file.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn is_null(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::fs::MetadataExt;
    meta.file_type().is_char_device()
        && std::fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == meta.rdev() && null.rdev() != 0)
}

#[cfg(not(unix))]
fn is_null(_: &std::fs::Metadata) -> bool {
    false
}
