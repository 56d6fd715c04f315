//! Replaces files and links atomically: a process that is killed at any time leaves the old or the new entry.
//!
//! In: a path, bytes, mode and owner. Out: the file. The bytes are written to a temporary file in the same directory that only its
//! owner may read. Then its mode, owner and extended attributes are set, the file is synced and renamed, and the directory is synced.
//!
//! Entries of another kind are replaced atomically, too (see `rename`).
//!
//! A temporary file is named `.catwalk-tmp-XXXXXXXX` and locked until its process ends. The first write of a process in a
//! directory removes temporary files that no process has locked.
#![allow(clippy::disallowed_methods, reason = "this is the machine")]

use std::fs::File;
use std::io::ErrorKind;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::FlockOperation;
use rustix::fs::XattrFlags;
use tempfile::NamedTempFile;

use super::Machine;
use super::absolute;
use super::reason;
use super::rename::delete;
use super::rename::rename;
use crate::Check;
use crate::Ownership;
use crate::Result;
use crate::SystemError;

/// The prefix of temporary files' names.
pub(super) const PREFIX: &str = ".catwalk-tmp-";
/// The number of random characters after the prefix.
pub(super) const RANDOM_CHARACTERS: usize = 8;
/// The default mode of a new file, before the umask.
const NEW_FILE: u32 = 0o666;
/// The number of attempts to create a temporary file that other processes remove as abandoned.
const TRIES: usize = 20;

pub(super) fn write(
    machine: &mut Machine,
    path: &Path,
    source: &mut dyn Read,
    ownership: Ownership,
    check: Option<&mut Check<'_>>,
) -> Result<()> {
    let failed = |error: std::io::Error| SystemError::at(path, &error);
    let beside = parent_directory(path)?;
    let old = existing(path, ownership.replaces_other_kinds)?;
    sweep(machine, beside);
    let mut temporary = create(beside).map_err(failed)?;
    std::io::copy(source, temporary.as_file_mut()).map_err(failed)?;
    if let Some(check) = check {
        check(machine, temporary.path())?;
    }
    prepare(machine, path, temporary.as_file(), old.as_ref(), ownership)?;
    temporary.as_file().sync_all().map_err(failed)?;
    // The lock is held until the file has its final name.
    let (_file, temporary) = temporary.into_parts();
    rename_into_place(temporary, path, ownership)
}

/// Creates a link with its owner, replacing an existing entry.
pub(super) fn link(machine: &mut Machine, path: &Path, target: &Path, ownership: Ownership) -> Result<()> {
    let failed = |error: std::io::Error| SystemError::at(path, &error);
    let beside = parent_directory(path)?;
    if !ownership.replaces_other_kinds && std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir()) {
        return Err(failed(is_directory()));
    }
    sweep(machine, beside);
    let mut builder = tempfile::Builder::new();
    let link = builder
        .prefix(PREFIX)
        .rand_bytes(RANDOM_CHARACTERS)
        .make_in(beside, |at| std::os::unix::fs::symlink(target, at));
    let temporary = link.map_err(failed)?.into_temp_path();
    std::os::unix::fs::lchown(&temporary, ownership.uid, ownership.gid).map_err(failed)?;
    rename_into_place(temporary, path, ownership)
}

/// Creates a directory, replacing an existing entry.
pub(super) fn directory(machine: &mut Machine, path: &Path, ownership: Ownership) -> Result<()> {
    let failed = |error: std::io::Error| SystemError::at(path, &error);
    let beside = parent_directory(path)?;
    sweep(machine, beside);
    let temporary =
        tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM_CHARACTERS).tempdir_in(beside).map_err(failed)?;
    let lock = File::open(temporary.path()).map_err(failed)?;
    let _ = rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive);
    super::files::set_owner(temporary.path(), ownership.uid, ownership.gid, false)?;
    super::files::set_mode(temporary.path(), ownership.mode.unwrap_or_else(|| 0o777 & !own_umask()))?;
    rename(temporary.path(), path, ownership.replaces_other_kinds).map_err(failed)?;
    // The entry was renamed: its temporary name must not be deleted on drop.
    let _ = temporary.keep();
    sync_directory(beside);
    Ok(())
}

/// Renames a complete temporary file to its final path.
fn rename_into_place(temporary: tempfile::TempPath, path: &Path, ownership: Ownership) -> Result<()> {
    rename(&temporary, path, ownership.replaces_other_kinds).map_err(|error| SystemError::at(path, &error))?;
    // The entry was renamed: its temporary name must not be deleted on drop.
    let _ = temporary.keep();
    if let Some(beside) = path.parent() {
        sync_directory(beside);
    }
    Ok(())
}

fn is_directory() -> std::io::Error {
    rustix::io::Errno::ISDIR.into()
}

fn parent_directory(path: &Path) -> Result<&Path> {
    absolute(path)?;
    path.parent().ok_or_else(|| SystemError::at(path, &is_directory()))
}

/// The metadata of the regular file at `path`; `None` if there is no entry, a link, or another kind of entry that may be replaced.
fn existing(path: &Path, replaces_other_kinds: bool) -> Result<Option<std::fs::Metadata>> {
    match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => Ok(Some(meta)),
        Ok(meta) if meta.is_symlink() || replaces_other_kinds => Ok(None),
        Ok(meta) if meta.is_dir() => Err(SystemError::at(path, &is_directory())),
        Ok(_) => Err(SystemError::new(format!("{}: it is not a regular file", path.display()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SystemError::at(path, &error)),
    }
}

/// A locked temporary file that only its owner may read.
fn create(beside: &Path) -> std::io::Result<NamedTempFile> {
    for _ in 0..TRIES {
        let mut builder = tempfile::Builder::new();
        let open = |path: &Path| std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        let temporary = builder.prefix(PREFIX).rand_bytes(RANDOM_CHARACTERS).make_in(beside, open)?;
        // On a file system without locks, the file is used unlocked.
        let is_held = rustix::fs::flock(temporary.as_file(), FlockOperation::NonBlockingLockExclusive)
            == Err(rustix::io::Errno::WOULDBLOCK);
        if !is_held && temporary.as_file().metadata()?.nlink() > 0 {
            return Ok(temporary);
        }
    }
    Err(std::io::Error::other("other processes keep removing temporary files"))
}

/// Sets the owner, attributes and mode of the temporary file. The owner is first: changing it clears setuid.
fn prepare(
    machine: &mut Machine,
    path: &Path,
    file: &File,
    old: Option<&std::fs::Metadata>,
    ownership: Ownership,
) -> Result<()> {
    let failed = |error: std::io::Error| SystemError::at(path, &error);
    let created = file.metadata().map_err(failed)?;
    let mut mode = ownership.mode.unwrap_or_else(|| old.map_or_else(new_mode, |old| old.mode() & 0o7777));
    let uid = ownership.uid.filter(|uid| *uid != created.uid());
    let gid = ownership.gid.filter(|gid| *gid != created.gid());
    std::os::unix::fs::fchown(file, uid, gid).map_err(failed)?;
    if let Some(old) = old {
        let old_uid = Some(old.uid()).filter(|uid| ownership.uid.is_none() && *uid != created.uid());
        let old_gid = Some(old.gid()).filter(|gid| ownership.gid.is_none() && *gid != created.gid());
        let is_preserved = std::os::unix::fs::fchown(file, old_uid, old_gid).is_ok();
        if !is_preserved {
            // Removes permissions that were meant for the old owner or group.
            mode &= !0o6070;
            machine.notes.push(format!("{}: the owner {}:{} cannot be kept", path.display(), old.uid(), old.gid()));
        }
        if old.nlink() > 1 {
            let others = old.nlink() - 1;
            machine.notes.push(format!("{}: {others} hard links keep the old contents", path.display()));
        }
        keep_attributes(machine, path, file);
    }
    file.set_permissions(std::fs::Permissions::from_mode(mode)).map_err(failed)
}

/// The default mode of a new file after the umask.
fn new_mode() -> u32 {
    NEW_FILE & !own_umask()
}

/// The umask of this process, which only Linux exposes; 022 on other systems.
fn own_umask() -> u32 {
    static UMASK: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *UMASK.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
        line.and_then(|digits| u32::from_str_radix(digits.trim(), 8).ok()).unwrap_or(0o022)
    })
}

/// Copies extended attributes: access control lists, labels of SELinux, capabilities.
fn keep_attributes(machine: &mut Machine, path: &Path, file: &File) {
    let mut names = vec![0_u8; 1 << 16];
    // An error means that the file system has no extended attributes.
    let Ok(length) = rustix::fs::llistxattr(path, &mut names) else { return };
    let names = names.get(..length).unwrap_or_default().split(|byte| *byte == 0).filter(|name| !name.is_empty());
    for name in names {
        let mut value = vec![0_u8; 1 << 16];
        let copied = rustix::fs::lgetxattr(path, name, &mut value).and_then(|length| {
            rustix::fs::fsetxattr(file, name, value.get(..length).unwrap_or_default(), XattrFlags::empty())
        });
        if let Err(error) = copied {
            let name = String::from_utf8_lossy(name);
            let why = reason(&error.into());
            machine.notes.push(format!("{}: the attribute {name} cannot be kept: {why}", path.display()));
        }
    }
}

/// Syncs a directory, so that a rename in it is durable. A directory that is not readable is not synced.
fn sync_directory(path: &Path) {
    if let Ok(directory) = File::open(path) {
        let _ = directory.sync_all();
    }
}

/// Removes temporary files of killed processes from a directory, once for each [`Machine`].
fn sweep(machine: &mut Machine, directory: &Path) {
    if machine.swept.contains(directory) {
        return;
    }
    machine.swept.insert(directory.to_path_buf());
    let current_user = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if !entry.file_name().to_str().is_some_and(is_temporary) {
            continue;
        }
        let path = entry.path();
        let is_ours = entry.metadata().is_ok_and(|meta| meta.uid() == current_user || current_user == 0);
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if is_ours && (is_link || is_abandoned(&path)) {
            delete(&path);
        }
    }
}

/// Whether a name is that of a temporary file.
pub(super) fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX);
    random.is_some_and(|random| {
        random.len() == RANDOM_CHARACTERS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Whether no process holds the lock of a temporary file.
fn is_abandoned(path: &Path) -> bool {
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let Ok(file) = rustix::fs::open(path, flags, rustix::fs::Mode::empty()) else { return false };
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
}
