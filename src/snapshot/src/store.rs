//! The folder of snapshots: accepted ones (`NAME.snap`) and pending ones (`NAME.snap.new`).
//!
//! In: names such as `web1.example.com` or `ntp/defaults`. Out: [`Snapshot`]s, which are written atomically. Must not: interpret
//! snapshots; delete files that others have written.

use std::io;
use std::path::Path;
use std::path::PathBuf;

use crate::file::Snapshot;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::FileKind;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The deepest nesting of folders.
const MAX_DEPTH: u32 = 16;

/// Folders of snapshots.
static SNAPSHOTS: Purpose =
    Purpose { name: "snapshots", description: "snapshots", option: "--snapshots DIR", contents: Contents::Mixed };

/// A folder of snapshots.
#[derive(Clone, Debug)]
pub struct Store {
    place: Place,
    root: PathBuf,
}

/// The snapshots with one name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// Whether there is an accepted snapshot.
    pub accepted: bool,
    /// Whether there is a pending snapshot.
    pub pending: bool,
}

fn file_error(action: &str, path: &Path, error: &dyn std::fmt::Display) -> Reason {
    Reason::new(Code::SNAPSHOT, format!("cannot {action} {}: {error}", path.display()))
}

impl Store {
    /// The snapshots in a folder, which may be missing.
    #[must_use]
    pub fn new(place: Place) -> Store {
        Store { root: place.path(), place }
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Checks the folder before anything is written. It need not exist.
    ///
    /// # Errors
    /// The folder is reached through a link that the user did not name.
    pub fn check(&self) -> Result<(), Reason> {
        self.existing().map(|_| ())
    }

    /// The accepted snapshot of a name.
    ///
    /// # Errors
    /// Its file cannot be read.
    pub fn accepted(&self, name: &str) -> Result<Option<Snapshot>, Reason> {
        self.read(&accepted_file(name))
    }

    /// The pending snapshot of a name.
    ///
    /// # Errors
    ///
    /// Its file cannot be read.
    pub fn pending(&self, name: &str) -> Result<Option<Snapshot>, Reason> {
        self.read(&pending_file(name))
    }

    /// Writes a pending snapshot.
    ///
    /// # Errors
    ///
    /// Its file cannot be written.
    pub fn propose(&self, name: &str, snapshot: &Snapshot) -> Result<(), Reason> {
        self.write(&pending_file(name), &snapshot.print())
    }

    /// Makes this the accepted snapshot.
    ///
    /// # Errors
    /// Its file cannot be written.
    pub fn accept(&self, name: &str, snapshot: Snapshot) -> Result<(), Reason> {
        self.write(&accepted_file(name), &snapshot.accepted().print())
    }

    /// Removes the pending snapshot of a name.
    ///
    /// # Errors
    ///
    /// The file cannot be removed.
    pub fn settle(&self, name: &str) -> Result<(), Reason> {
        self.remove(&pending_file(name))
    }

    /// Removes the snapshots of a name. Files that Catwalk has not written stay.
    ///
    /// # Errors
    ///
    /// A file cannot be read or removed.
    pub fn delete(&self, name: &str) -> Result<(), Reason> {
        for file in [pending_file(name), accepted_file(name)] {
            if self.is_own(&file)? {
                self.remove(&file)?;
            }
        }
        // A folder that has become empty is removed, too.
        if let (Some((folder, _)), Some(directory)) = (name.rsplit_once('/'), self.existing()?) {
            directory.remove_empty_folder(folder);
        }
        Ok(())
    }

    /// Removes the temporary files that killed runs left in the folder.
    pub fn sweep(&self) {
        if let Ok(Some(directory)) = self.existing() {
            sweep(&directory, "", 0);
        }
    }

    /// All snapshots in the folder, sorted by name.
    ///
    /// # Errors
    /// A folder cannot be read; a missing folder is not an error.
    pub fn entries(&self) -> Result<Vec<Entry>, Reason> {
        let mut found = FoundSnapshots::default();
        if let Some(directory) = self.existing()? {
            collect(&directory, "", 0, &mut found).map_err(|error| file_error("read", &self.root, &error))?;
        }
        Ok(found.into_iter().map(|(name, (accepted, pending))| Entry { name, accepted, pending }).collect())
    }

    /// As [`Store::entries`], without files that Catwalk has not written.
    ///
    /// # Errors
    /// A folder or file cannot be read.
    pub fn own_entries(&self) -> Result<Vec<Entry>, Reason> {
        let mut own = Vec::new();
        for entry in self.entries()? {
            let accepted = entry.accepted && self.is_own(&accepted_file(&entry.name))?;
            let pending = entry.pending && self.is_own(&pending_file(&entry.name))?;
            if accepted || pending {
                own.push(Entry { accepted, pending, ..entry });
            }
        }
        Ok(own)
    }

    fn existing(&self) -> Result<Option<Directory>, Reason> {
        Directory::open_existing(&self.place, &SNAPSHOTS).map_err(|error| match error.is_refusal() {
            true => error.into(),
            false => Reason::new(Code::SNAPSHOT, error.to_string()),
        })
    }

    /// Whether a file is a snapshot that Catwalk has written.
    fn is_own(&self, file: &str) -> Result<bool, Reason> {
        let Some(directory) = self.existing()? else { return Ok(false) };
        if matches!(directory.kind(file), Ok(Some(kind)) if kind != FileKind::File) {
            return Ok(false);
        }
        let bytes = directory.read(file).map_err(|error| file_error("read", &self.root.join(file), &error))?;
        let is_own =
            |bytes: &Vec<u8>| std::str::from_utf8(bytes).is_ok_and(|text| Snapshot::parse(text).is_of_catalog());
        Ok(bytes.as_ref().is_some_and(is_own))
    }

    fn read(&self, file: &str) -> Result<Option<Snapshot>, Reason> {
        let path = || self.root.join(file);
        let Some(directory) = self.existing()? else { return Ok(None) };
        let bytes = match directory.kind(file) {
            // It is replaced when a snapshot is written.
            Ok(Some(FileKind::Link)) => None,
            _ => directory.read(file).map_err(|error| file_error("read", &path(), &error))?,
        };
        let Some(bytes) = bytes else { return Ok(None) };
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(Some(Snapshot::parse(text))),
            Err(error) => Err(file_error("read", &path(), &error)),
        }
    }

    fn remove(&self, file: &str) -> Result<(), Reason> {
        let Some(directory) = self.existing()? else { return Ok(()) };
        directory.remove(file).map_err(|error| file_error("remove", &self.root.join(file), &error))
    }

    fn write(&self, file: &str, text: &str) -> Result<(), Reason> {
        let directory = Directory::open(&self.place, &SNAPSHOTS).map_err(|error| match error.is_refusal() {
            true => error.into(),
            false => Reason::new(Code::SNAPSHOT, error.to_string()),
        })?;
        let written = directory.write(file, output::Kind::Snapshot, text.as_bytes());
        written.map_err(|error| file_error("write", &self.root.join(file), &error))
    }
}

fn accepted_file(name: &str) -> String {
    format!("{name}.snap")
}

fn pending_file(name: &str) -> String {
    format!("{name}.snap.new")
}

type FoundSnapshots = std::collections::BTreeMap<String, (bool, bool)>;

/// Adds the snapshots in a folder; `prefix` is its name below that of all snapshots, with a `/` at its end.
fn collect(directory: &Directory, prefix: &str, depth: u32, found: &mut FoundSnapshots) -> io::Result<()> {
    for entry in directory.list(prefix)? {
        let Ok(name) = entry.name.into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        if entry.kind == FileKind::Directory {
            if depth < MAX_DEPTH {
                collect(directory, &format!("{prefix}{name}/"), depth + 1, found)?;
            }
        } else if let Some(name) = name.strip_suffix(".snap") {
            found.entry(format!("{prefix}{name}")).or_default().0 = true;
        } else if let Some(name) = name.strip_suffix(".snap.new") {
            found.entry(format!("{prefix}{name}")).or_default().1 = true;
        }
    }
    Ok(())
}

fn sweep(directory: &Directory, prefix: &str, depth: u32) {
    directory.sweep(prefix);
    for entry in directory.list(prefix).unwrap_or_default() {
        let Ok(name) = entry.name.into_string() else { continue };
        if entry.kind == FileKind::Directory && depth < MAX_DEPTH && !name.starts_with('.') {
            sweep(directory, &format!("{prefix}{name}/"), depth + 1);
        }
    }
}
