//! An open directory: its entries are reached by name, without following symbolic links, even if another process replaces a part of the path.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::path::PathBuf;

use rustix::fd::OwnedFd;
use rustix::fs::AtFlags;
use rustix::fs::CWD;
use rustix::fs::FileType;
use rustix::fs::Mode;
use rustix::fs::OFlags;

use crate::output::status::FileKind;
use crate::output::status::Status;

/// How a directory is opened to reach its entries: on Linux without the permission to list it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const REACH: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const REACH: OFlags = OFlags::RDONLY;

/// An open directory.
#[derive(Debug)]
pub(in crate::output) struct Folder {
    descriptor: OwnedFd,
    /// The path under which it was opened, for messages.
    path: PathBuf,
}

impl Folder {
    /// Opens a directory by its path; links are followed.
    pub(in crate::output) fn open(path: &Path) -> io::Result<Folder> {
        let named = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let flags = REACH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Folder { descriptor: rustix::fs::openat(CWD, named, flags, Mode::empty())?, path: path.to_path_buf() })
    }

    /// Opens a directory in this one. A link is an error.
    pub(in crate::output) fn enter(&self, name: &OsStr) -> io::Result<Folder> {
        let flags = REACH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(&self.descriptor, name, flags, Mode::empty())?;
        Ok(Folder { descriptor, path: self.path.join(name) })
    }

    /// The path, for messages.
    pub(in crate::output) fn path(&self) -> &Path {
        &self.path
    }

    /// What the directory itself is.
    pub(in crate::output) fn own_status(&self) -> io::Result<Status> {
        Ok(status(&rustix::fs::fstat(&self.descriptor)?))
    }

    /// What an entry is; `None` if it does not exist. A link is described itself.
    pub(in crate::output) fn status(&self, name: &OsStr) -> io::Result<Option<Status>> {
        match rustix::fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(status(&found))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The entries with their kinds, in no order.
    pub(in crate::output) fn list(&self) -> io::Result<Vec<(OsString, FileKind)>> {
        use std::os::unix::ffi::OsStrExt;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let readable = rustix::fs::openat(&self.descriptor, ".", flags, Mode::empty())?;
        let mut found = Vec::new();
        for entry in rustix::fs::Dir::new(readable)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => self.status(name)?.map_or(FileKind::Other, |status| status.kind),
                known => kind(known),
            };
            found.push((name.to_owned(), kind));
        }
        Ok(found)
    }

    /// Creates a directory.
    pub(in crate::output) fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.descriptor, name, permissions(mode))?)
    }

    /// Creates a file for writing; one that exists is an error.
    pub(in crate::output) fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.descriptor, name, flags, permissions(mode))?))
    }

    /// Opens a file only to lock it; creates it if it does not exist. A link, device or pipe is an error.
    pub(in crate::output) fn open_lock(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        regular(File::from(rustix::fs::openat(&self.descriptor, name, flags, permissions(0o600))?))
    }

    /// Opens a file for reading. A link, device or pipe is an error.
    pub(in crate::output) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        regular(File::from(rustix::fs::openat(&self.descriptor, name, flags, Mode::empty())?))
    }

    /// Removes a file or a link.
    pub(in crate::output) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.descriptor, name, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub(in crate::output) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.descriptor, name, AtFlags::REMOVEDIR)?)
    }

    /// Renames an entry; replaces a file that has the new name.
    pub(in crate::output) fn rename(&self, name: &OsStr, to: &Folder, new: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.descriptor, name, &to.descriptor, new)?)
    }

    /// Syncs the directory to the disk. A directory that cannot be read is not synced.
    pub(in crate::output) fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.descriptor, ".", flags, Mode::empty()) {
            Ok(readable) => Ok(rustix::fs::fsync(&readable)?),
            Err(_) => Ok(()),
        }
    }
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

fn permissions(mode: u32) -> Mode {
    Mode::from_bits_truncate(rustix::fs::RawMode::try_from(mode).unwrap_or_default())
}

fn kind(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    reason = "the types of the fields differ between systems"
)]
fn status(found: &rustix::fs::Stat) -> Status {
    Status {
        kind: kind(FileType::from_raw_mode(found.st_mode)),
        mode: u32::from(found.st_mode) & 0o7777,
        owner: found.st_uid,
        group: found.st_gid,
    }
}
