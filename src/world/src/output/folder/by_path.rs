//! As `relative`, for systems without calls relative to an open directory: each call checks that the directory is still no link.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::path::PathBuf;

use crate::output::status::FileKind;
use crate::output::status::Status;

/// A directory.
#[derive(Debug)]
pub(in crate::output) struct Folder {
    path: PathBuf,
    /// Whether the path may be a link: the user named it.
    is_named: bool,
}

#[allow(clippy::disallowed_methods, reason = "this module writes")]
impl Folder {
    pub(in crate::output) fn open(path: &Path) -> io::Result<Folder> {
        let named = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match std::fs::metadata(named)?.is_dir() {
            true => Ok(Folder { path: named.to_path_buf(), is_named: true }),
            false => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        }
    }

    pub(in crate::output) fn enter(&self, name: &OsStr) -> io::Result<Folder> {
        let folder = Folder { path: self.at(name)?, is_named: false };
        folder.check().map(|()| folder)
    }

    fn check(&self) -> io::Result<()> {
        match self.is_named || std::fs::symlink_metadata(&self.path)?.is_dir() {
            true => Ok(()),
            false => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        }
    }

    fn at(&self, name: &OsStr) -> io::Result<PathBuf> {
        self.check().map(|()| self.path.join(name))
    }

    pub(in crate::output) fn path(&self) -> &Path {
        &self.path
    }

    pub(in crate::output) fn own_status(&self) -> io::Result<Status> {
        Ok(status(&std::fs::metadata(&self.path)?))
    }

    pub(in crate::output) fn status(&self, name: &OsStr) -> io::Result<Option<Status>> {
        match std::fs::symlink_metadata(self.at(name)?) {
            Ok(found) => Ok(Some(status(&found))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(in crate::output) fn list(&self) -> io::Result<Vec<(OsString, FileKind)>> {
        self.check()?;
        let entry = |entry: io::Result<std::fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name(), kind(entry.file_type()?)))
        };
        std::fs::read_dir(&self.path)?.map(entry).collect()
    }

    pub(in crate::output) fn create_folder(&self, name: &OsStr, _: u32) -> io::Result<()> {
        std::fs::create_dir(self.at(name)?)
    }

    pub(in crate::output) fn create_file(&self, name: &OsStr, _: u32) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.at(name)?)
    }

    pub(in crate::output) fn open_lock(&self, name: &OsStr) -> io::Result<File> {
        let path = self.at(name)?;
        if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other("it is not a regular file"));
        }
        OpenOptions::new().create(true).truncate(false).write(true).open(path)
    }

    pub(in crate::output) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        let path = self.at(name)?;
        if !std::fs::symlink_metadata(&path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        File::open(path)
    }

    pub(in crate::output) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_file(self.at(name)?)
    }

    pub(in crate::output) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_dir(self.at(name)?)
    }

    pub(in crate::output) fn rename(&self, name: &OsStr, to: &Folder, new: &OsStr) -> io::Result<()> {
        std::fs::rename(self.at(name)?, to.at(new)?)
    }

    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "other systems sync")]
    pub(in crate::output) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

fn kind(kind: std::fs::FileType) -> FileKind {
    match kind {
        kind if kind.is_symlink() => FileKind::Link,
        kind if kind.is_dir() => FileKind::Directory,
        kind if kind.is_file() => FileKind::File,
        _ => FileKind::Other,
    }
}

fn status(found: &std::fs::Metadata) -> Status {
    Status { kind: kind(found.file_type()), mode: 0o600, owner: 0, group: 0 }
}
