//! Files: kinds, contents, directories, modes, owners.
//!
//! In: absolute paths. Out: metadata, bytes. Must not: write contents (that is `replace`).
#![allow(clippy::disallowed_methods, reason = "this is the machine")]

use std::fs::File;
use std::io::ErrorKind;
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;
use std::time::SystemTime;

use super::absolute;
use crate::FileKind;
use crate::Ownership;
use crate::Result;
use crate::Stat;
use crate::SystemError;

/// The most bytes of one read.
const CHUNK: usize = 1 << 16;

/// The mask of permission bits, setuid, setgid and sticky.
const MODE: u32 = 0o7777;

pub(super) fn stat(path: &Path, follow: bool) -> Result<Option<Stat>> {
    absolute(path)?;
    let found = if follow { std::fs::metadata(path) } else { std::fs::symlink_metadata(path) };
    let meta = match found {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(SystemError::at(path, &error)),
    };
    let kind = meta.file_type();
    let target = if kind.is_symlink() { std::fs::read_link(path).ok() } else { None };
    Ok(Some(Stat {
        kind: match () {
            () if kind.is_symlink() => FileKind::Link,
            () if kind.is_dir() => FileKind::Directory,
            () if kind.is_file() => FileKind::File,
            () => FileKind::Other,
        },
        size: meta.size(),
        mode: meta.mode() & MODE,
        uid: meta.uid(),
        gid: meta.gid(),
        modified: time(meta.mtime(), meta.mtime_nsec()),
        changed: time(meta.ctime(), meta.ctime_nsec()),
        target,
    }))
}

/// Converts a time of the file system; times before 1970 are negative.
fn time(seconds: i64, nanoseconds: i64) -> SystemTime {
    let nanoseconds = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(0));
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let start = SystemTime::UNIX_EPOCH;
    let time = if seconds < 0 { start.checked_sub(whole) } else { start.checked_add(whole) };
    time.and_then(|time| time.checked_add(nanoseconds)).unwrap_or(start)
}

/// Opens a regular file; never blocks on a pipe or a device.
pub(super) fn open(path: &Path) -> Result<File> {
    absolute(path)?;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    let file = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| SystemError::at(path, &error))?;
    let kind = file.metadata().map_err(|error| SystemError::at(path, &error))?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let kind_name = match () {
        () if kind.is_dir() => return Err(SystemError::at(path, &rustix::io::Errno::ISDIR.into())),
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    Err(SystemError::new(format!("{}: it is {kind_name}, not a regular file", path.display())))
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut contents = Vec::new();
    file.read_to_end(&mut contents).map_err(|error| SystemError::at(path, &error))?;
    Ok(contents)
}

pub(super) fn stream(path: &Path, each: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
    let mut file = open(path)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(length) => {
                if !each(chunk.get(..length).unwrap_or_default()) {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(SystemError::at(path, &error)),
        }
    }
}

pub(super) fn list(path: &Path) -> Result<Vec<String>> {
    absolute(path)?;
    let failed = |error| SystemError::at(path, &error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let unreadable =
            |name: std::ffi::OsString| SystemError::new(format!("{}: the name {name:?} is not UTF-8", path.display()));
        names.push(name.into_string().map_err(unreadable)?);
    }
    names.sort();
    Ok(names)
}

pub(super) fn create_directory(path: &Path, ownership: Ownership) -> Result<()> {
    absolute(path)?;
    let failed = |error| SystemError::at(path, &error);
    let mut builder = std::fs::DirBuilder::new();
    // Other users must not enter the directory before its owner and mode are set.
    let is_final = ownership.mode.is_none() && ownership.uid.is_none() && ownership.gid.is_none();
    if !is_final {
        builder.mode(0o700);
    }
    builder.create(path).map_err(failed)?;
    if is_final {
        return Ok(());
    }
    set_owner(path, ownership.uid, ownership.gid, false)?;
    set_mode(path, ownership.mode.unwrap_or(0o755))
}

pub(super) fn delete_file(path: &Path) -> Result<()> {
    absolute(path)?;
    match std::fs::remove_file(path) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(SystemError::at(path, &error))
        }
        _ => Ok(()),
    }
}

pub(super) fn delete_directory(path: &Path, recursive: bool) -> Result<()> {
    absolute(path)?;
    // `remove_dir_all` would delete a link, which is not a directory.
    let deleted =
        if recursive && !path.is_symlink() { std::fs::remove_dir_all(path) } else { std::fs::remove_dir(path) };
    deleted.map_err(|error| SystemError::at(path, &error))
}

pub(super) fn set_mode(path: &Path, mode: u32) -> Result<()> {
    absolute(path)?;
    let permissions = std::fs::Permissions::from_mode(mode & MODE);
    std::fs::set_permissions(path, permissions).map_err(|error| SystemError::at(path, &error))
}

pub(super) fn set_owner(path: &Path, uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()> {
    absolute(path)?;
    if uid.is_none() && gid.is_none() {
        return Ok(());
    }
    let changed = match follow {
        true => std::os::unix::fs::chown(path, uid, gid),
        false => std::os::unix::fs::lchown(path, uid, gid),
    };
    changed.map_err(|error| SystemError::at(path, &error))
}
