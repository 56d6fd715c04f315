//! Opens directories for writing: the one way to files that Catwalk creates, replaces, renames or removes in directories.
//!
//! In: a [`Place`], a [`Purpose`]. Out: a [`Directory`], or why it is not used. Nothing is written before all checks have passed. Must not:
//! follow a link below the part of a path that the user named, even if another process replaces a directory by a link meanwhile.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::io;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::Kind;
use super::Lock;
use super::Output;
use super::Step;
use super::contents;
use super::contents::Contents;
use super::contents::Marker;
use super::contents::Purpose;
use super::directory_error::Cause;
use super::directory_error::DirectoryError;
use super::fault;
use super::folder::Folder;
use super::marker;
use super::marker::MachineKey;
use super::marker::Mark;
use super::place;
use super::place::Place;
use super::status::FileKind;
use super::status::Status;
use super::temporary;
use super::walk::step;
use super::walk::walk;

/// The largest file that is read: markers, keys, snapshots, commands.
const MAX_FILE: u64 = 256 << 20;

/// An open directory in which Catwalk writes.
#[derive(Clone, Debug)]
pub struct Directory {
    folder: Arc<Folder>,
    purpose: &'static Purpose,
}

/// An entry of a directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// What it is.
    pub kind: FileKind,
}

impl Directory {
    /// Opens a directory, which is created with its parents if it does not exist. A private directory gets its marker.
    ///
    /// # Errors
    /// The path leads through a link that the user did not name; the directory is private and contains others' files, or others may
    /// write to it; it cannot be created.
    pub fn open(place: &Place, purpose: &'static Purpose) -> Result<Directory, DirectoryError> {
        Directory::open_marked(place, purpose, None)
    }

    /// As [`Directory::open`] for a private directory in a repository: it must be new, empty, or marked by this machine.
    ///
    /// # Errors
    /// As [`Directory::open`].
    pub fn open_marked(
        place: &Place,
        purpose: &'static Purpose,
        key: Option<&MachineKey>,
    ) -> Result<Directory, DirectoryError> {
        let mode = if matches!(purpose.contents, Contents::Mixed) { 0o777 } else { 0o700 };
        let found = walk(place, Some(mode)).map_err(|(cause, path)| cause.at(path, purpose))?;
        let failed = |error: io::Error| Cause::Failed(error).at(place.path(), purpose);
        let opened = found.ok_or_else(|| failed(io::Error::from(io::ErrorKind::NotFound)))?;
        let directory = Directory { folder: Arc::new(opened.folder), purpose };
        let is_marked = directory.check(place, &opened.base, key)?;
        if !is_marked {
            let marked = match directory.marker(place, key) {
                Some((name, text)) => directory.write_marker(name, &text),
                None => Ok(()),
            };
            // A directory that is recognised by its contents needs no marker.
            if marked.is_err() && (key.is_some() || directory.is_empty()) {
                marked.map_err(failed)?;
            }
        }
        Ok(directory)
    }

    /// Opens a directory without changing anything. `None`: it does not exist.
    ///
    /// # Errors
    /// As [`Directory::open`], or the directory cannot be read.
    pub fn open_existing(place: &Place, purpose: &'static Purpose) -> Result<Option<Directory>, DirectoryError> {
        Directory::open_existing_marked(place, purpose, None)
    }

    /// As [`Directory::open_existing`] for a private directory in a repository: see [`Directory::open_marked`].
    ///
    /// # Errors
    /// As [`Directory::open_existing`].
    pub fn open_existing_marked(
        place: &Place,
        purpose: &'static Purpose,
        key: Option<&MachineKey>,
    ) -> Result<Option<Directory>, DirectoryError> {
        let found = walk(place, None).map_err(|(cause, path)| cause.at(path, purpose))?;
        let Some(opened) = found else { return Ok(None) };
        let directory = Directory { folder: Arc::new(opened.folder), purpose };
        directory.check(place, &opened.base, key)?;
        Ok(Some(directory))
    }

    /// The path, for messages.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Checks that a private directory is Catwalk's. Returns whether it needs no marker.
    fn check(&self, place: &Place, base: &Status, key: Option<&MachineKey>) -> Result<bool, DirectoryError> {
        let Contents::Private { is_own, .. } = &self.purpose.contents else { return Ok(true) };
        let refuse = |why: String| Err(Cause::Foreign(why).at(self.path().to_path_buf(), self.purpose));
        let failed = |error: io::Error| Cause::Failed(error).at(self.path().to_path_buf(), self.purpose);
        let status = self.folder.own_status().map_err(failed)?;
        if !place.is_named() {
            if !is_trusted(status.owner, base.owner) {
                return refuse("it belongs to another user".to_owned());
            }
            if status.mode & 0o002 != 0 && base.mode & 0o002 == 0 {
                return refuse("everybody can write to it".to_owned());
            }
        }
        let marker = self.marker(place, key);
        let mark = || -> io::Result<Mark> {
            let Some((name, expected)) = &marker else { return Ok(Mark::None) };
            let found = self.read(name)?.unwrap_or_default();
            Ok(marker::compare(&String::from_utf8_lossy(&found), expected))
        };
        let first = mark().map_err(failed)?;
        match first {
            Mark::Own => return Ok(true),
            Mark::None => {}
            // Version control ignores the directory in a way of the user's.
            Mark::Other if marker.as_ref().is_some_and(|(name, _)| *name != marker::FILE) => {}
            Mark::Other if key.is_some() => {
                return refuse("it was not created on this machine, so its contents come from others".to_owned());
            }
            Mark::Other => return refuse("Catwalk has not created it for this".to_owned()),
        }
        let entries = self.list("").map_err(failed)?;
        let is_foreign = |entry: &&Entry| {
            let own = key.is_none() && entry.name.to_str().is_some_and(|name| is_own(name, entry.kind));
            !own && !contents::is_common(&entry.name, entry.kind)
        };
        match entries.iter().find(is_foreign) {
            // A file of the user's in place of the marker stays.
            None => Ok(first == Mark::Other),
            // Another process has just marked and used it.
            Some(_) if mark().map_err(failed)? == Mark::Own => Ok(true),
            Some(entry) if key.is_some() => {
                let name = entry.name.display();
                refuse(format!("it was not created on this machine, and contains {name}, which may come from others"))
            }
            Some(entry) => refuse(format!("it contains {}, which Catwalk has not written", entry.name.display())),
        }
    }

    /// The name and contents of the marker.
    fn marker(&self, place: &Place, key: Option<&MachineKey>) -> Option<(&'static str, String)> {
        let Contents::Private { marker, .. } = &self.purpose.contents else { return None };
        match marker {
            Marker::Names => None,
            Marker::File(name, text) => Some((*name, (*text).to_owned())),
            Marker::Lock => {
                let real = real_path(place);
                Some((marker::FILE, marker::text(self.purpose, key.map(|key| (key, real.as_path())))))
            }
        }
    }

    /// Writes the marker in place, since another process may have locked it. All processes write the same contents.
    fn write_marker(&self, name: &str, text: &str) -> io::Result<()> {
        fault(Step::Write)?;
        let mut file = self.folder.open_lock(OsStr::new(name))?;
        io::Write::write_all(&mut file, text.as_bytes())?;
        super::supported(file.sync_all())
    }

    fn is_empty(&self) -> bool {
        self.list("").is_ok_and(|entries| entries.iter().all(|entry| contents::is_common(&entry.name, entry.kind)))
    }

    /// Writes a file as a whole. Directories in its name are created; a link that has the name is replaced.
    ///
    /// # Errors
    /// The name leads out of the directory or through a link; the file cannot be written, and is unchanged.
    pub fn write(&self, name: &str, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        let mut output = self.create(name, kind)?;
        io::Write::write_all(&mut output, bytes)?;
        output.commit()
    }

    /// Begins to write a file. Directories in its name are created; a link that has the name is replaced.
    ///
    /// # Errors
    /// The name leads out of the directory or through a link, or the file cannot be created.
    pub fn create(&self, name: &str, kind: Kind) -> io::Result<Output> {
        match self.enter_parent(name, true)? {
            Some((folder, name)) => Output::in_folder(&folder, name, kind),
            None => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    }

    /// The contents of a file; `None` if it does not exist.
    ///
    /// # Errors
    /// The name leads out of the directory or through a link, or is not that of a regular file; the file cannot be read.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some((folder, name)) = self.enter_parent(name, false)? else { return Ok(None) };
        match folder.status(&name)?.map(|found| found.kind) {
            None => return Ok(None),
            Some(FileKind::Link) => return Err(io::Error::other("it is a symbolic link")),
            Some(FileKind::File) => {}
            Some(_) => return Err(io::Error::other("it is not a regular file")),
        }
        let mut bytes = Vec::new();
        match folder.open_file(&name) {
            Ok(file) => {
                let too_large = || io::Error::other(format!("it is larger than {} MiB", MAX_FILE >> 20));
                if file.metadata()?.len() > MAX_FILE {
                    return Err(too_large());
                }
                // It may grow meanwhile.
                file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
                if bytes.len() as u64 > MAX_FILE { Err(too_large()) } else { Ok(Some(bytes)) }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The size of a regular file in bytes; `None` if there is none with this name.
    ///
    /// # Errors
    /// The name leads out of the directory or through a link; the file cannot be opened.
    pub fn size(&self, name: &str) -> io::Result<Option<u64>> {
        let Some((folder, name)) = self.enter_parent(name, false)? else { return Ok(None) };
        match folder.status(&name)?.map(|found| found.kind) {
            Some(FileKind::File) => Ok(Some(folder.open_file(&name)?.metadata()?.len())),
            _ => Ok(None),
        }
    }

    /// The kind of an entry; `None` if it does not exist.
    ///
    /// # Errors
    /// The name leads out of the directory or through a link.
    pub fn kind(&self, name: &str) -> io::Result<Option<FileKind>> {
        let Some((folder, name)) = self.enter_parent(name, false)? else { return Ok(None) };
        Ok(folder.status(&name)?.map(|found| found.kind))
    }

    /// The entries of the directory or of one below it (`""`: of itself), sorted by name; none if it does not exist.
    ///
    /// # Errors
    /// The name leads out of the directory or through a link, or the directory cannot be listed.
    pub fn list(&self, name: &str) -> io::Result<Vec<Entry>> {
        let Some(folder) = self.enter(name)? else { return Ok(Vec::new()) };
        let mut entries: Vec<Entry> = folder.list()?.into_iter().map(|(name, kind)| Entry { name, kind }).collect();
        entries.sort();
        Ok(entries)
    }

    /// Removes a file. A missing file is not an error.
    ///
    /// # Errors
    /// The name leads out of the directory or through a link; the file cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fault(Step::Remove)?;
        let Some((folder, name)) = self.enter_parent(name, false)? else { return Ok(()) };
        match folder.remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Renames a file in the directory; replaces a file that has the new name. Directories in the new name are created.
    ///
    /// # Errors
    /// A name leads out of the directory or through a link; the file cannot be renamed.
    pub fn rename(&self, name: &str, new: &str) -> io::Result<()> {
        fault(Step::Rename)?;
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let (from, name) = self.enter_parent(name, false)?.ok_or_else(missing)?;
        let (to, new) = self.enter_parent(new, true)?.ok_or_else(missing)?;
        from.rename(&name, &to, &new)
    }

    /// Creates a directory with its parents.
    ///
    /// # Errors
    /// The name leads out of the directory or through a link; the directory cannot be created.
    pub fn create_folder(&self, name: &str) -> io::Result<()> {
        self.enter_parent(&format!("{name}/x"), true).map(|_| ())
    }

    /// Removes a directory below this one if it is empty.
    pub fn remove_empty_folder(&self, name: &str) {
        if let Ok(Some((folder, name))) = self.enter_parent(name, false) {
            // Fails if the directory contains files.
            let _ = folder.remove_folder(&name);
        }
    }

    /// Acquires the lock of the directory; waits for other processes up to `patience`, then returns `None`. On file systems without locks
    /// every process gets it.
    ///
    /// # Errors
    /// The file of the lock cannot be opened.
    pub fn lock(&self, patience: Duration) -> io::Result<Option<Lock>> {
        Ok(super::lock::acquire(self.folder.open_lock(OsStr::new(marker::FILE))?, patience))
    }

    /// Creates an empty file and removes it, so that watchers of the directory are notified.
    ///
    /// # Errors
    /// The name leads out of the directory, or the file cannot be created.
    pub fn touch(&self, name: &str) -> io::Result<()> {
        let (folder, name) = self.enter_parent(name, false)?.ok_or(io::ErrorKind::NotFound)?;
        folder.create_file(&name, 0o600)?;
        folder.remove_file(&name)
    }

    /// Removes the temporary files of killed processes in the directory or in one below it (`""`: in itself).
    pub fn sweep(&self, name: &str) {
        if let Ok(Some(folder)) = self.enter(name) {
            temporary::sweep(&folder);
        }
    }

    /// Opens a directory below this one. `None`: it does not exist.
    fn enter(&self, name: &str) -> io::Result<Option<Arc<Folder>>> {
        let inside = place::normal(Path::new(name)).ok_or_else(|| outside(name))?;
        let mut at = self.folder.clone();
        for part in inside.components() {
            match step(&at, part.as_os_str(), None)? {
                Some(next) => at = Arc::new(next),
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Opens the directory that contains an entry, and returns it with the last part of the name. `None`: it does not exist.
    fn enter_parent(&self, name: &str, create: bool) -> io::Result<Option<(Arc<Folder>, OsString)>> {
        let path = place::normal(Path::new(name)).ok_or_else(|| outside(name))?;
        let (Some(last), Some(above)) = (path.file_name(), path.parent()) else { return Err(outside(name)) };
        let mode = match self.purpose.contents {
            Contents::Private { .. } | Contents::MixedSecrets => 0o700,
            Contents::Mixed => 0o777,
        };
        let mut at = self.folder.clone();
        for part in above.components() {
            match step(&at, part.as_os_str(), create.then_some(mode))? {
                Some(next) => at = Arc::new(next),
                None => return Ok(None),
            }
        }
        Ok(Some((at, last.to_owned())))
    }
}

/// The path of a place without links in the part that the user named.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn real_path(place: &Place) -> PathBuf {
    let base = place.base().canonicalize().unwrap_or_else(|_| place.base().to_path_buf());
    place.names().iter().fold(base, |path, name| path.join(name))
}

fn outside(name: &str) -> io::Error {
    io::Error::other(format!("'{name}' is not the name of a file in its directory"))
}

/// Whether the owner of a private directory is this user, root, or the owner of the directory that the user named.
#[cfg(unix)]
fn is_trusted(owner: u32, base: u32) -> bool {
    owner == rustix::process::geteuid().as_raw() || owner == 0 || owner == base
}

#[cfg(not(unix))]
fn is_trusted(_: u32, _: u32) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests;
