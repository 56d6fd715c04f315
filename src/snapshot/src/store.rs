//! The folder of snapshots: accepted ones (`NAME.snap`) and pending ones (`NAME.snap.new`).
//!
//! In: names such as `web1.example.com` or `ntp/defaults`. Out: [`Snapshot`]s, which are written atomically. Must not: interpret
//! snapshots.

#![allow(clippy::disallowed_methods, reason = "snapshots are outputs: they are read past what the world keeps")]

use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;

use crate::file::Snapshot;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_world::WorldError;
use catwalk_world::output;
use catwalk_world::read_file;

/// The deepest nesting of folders.
const MAX_DEPTH: u32 = 16;

/// The age after which temporary files of older versions are unused.
const OLDER_VERSIONS: std::time::Duration = std::time::Duration::from_secs(3600);

/// A folder of snapshots.
#[derive(Clone, Debug)]
pub struct Store {
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
    pub fn new(root: PathBuf) -> Store {
        Store { root }
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of an accepted snapshot.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(format!("{name}.snap"))
    }

    fn pending_path(&self, name: &str) -> PathBuf {
        self.root.join(format!("{name}.snap.new"))
    }

    /// The accepted snapshot of a name.
    ///
    /// # Errors
    /// Its file cannot be read.
    pub fn accepted(&self, name: &str) -> Result<Option<Snapshot>, Reason> {
        read(&self.path(name))
    }

    /// The pending snapshot of a name.
    ///
    /// # Errors
    ///
    /// Its file cannot be read.
    pub fn pending(&self, name: &str) -> Result<Option<Snapshot>, Reason> {
        read(&self.pending_path(name))
    }

    /// Writes a pending snapshot.
    ///
    /// # Errors
    ///
    /// Its file cannot be written.
    pub fn propose(&self, name: &str, snapshot: &Snapshot) -> Result<(), Reason> {
        write(&self.pending_path(name), &snapshot.print())
    }

    /// Makes this the accepted snapshot.
    ///
    /// # Errors
    /// Its file cannot be written.
    pub fn accept(&self, name: &str, snapshot: Snapshot) -> Result<(), Reason> {
        write(&self.path(name), &snapshot.accepted().print())
    }

    /// Removes the pending snapshot of a name.
    ///
    /// # Errors
    ///
    /// The file cannot be removed.
    pub fn settle(&self, name: &str) -> Result<(), Reason> {
        remove(&self.pending_path(name))
    }

    /// Removes the snapshots of a name.
    ///
    /// # Errors
    ///
    /// A file cannot be removed.
    pub fn delete(&self, name: &str) -> Result<(), Reason> {
        remove(&self.pending_path(name))?;
        remove(&self.path(name))?;
        let folder = self.path(name);
        // A folder that has become empty is removed, too.
        if let Some(folder) = folder.parent().filter(|folder| *folder != self.root) {
            output::remove_empty_folder(folder);
        }
        Ok(())
    }

    /// Removes the temporary files that killed runs left in the folder.
    pub fn sweep(&self) {
        sweep(&self.root, 0);
    }

    /// All snapshots in the folder, sorted by name.
    ///
    /// # Errors
    /// A folder cannot be read; a missing folder is not an error.
    pub fn entries(&self) -> Result<Vec<Entry>, Reason> {
        let mut found = FoundSnapshots::default();
        collect(&self.root, "", 0, &mut found)?;
        Ok(found.into_iter().map(|(name, (accepted, pending))| Entry { name, accepted, pending }).collect())
    }
}

type FoundSnapshots = std::collections::BTreeMap<String, (bool, bool)>;

fn collect(folder: &Path, prefix: &str, depth: u32, found: &mut FoundSnapshots) -> Result<(), Reason> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(file_error("read", folder, &error)),
        Ok(entries) => entries,
    };
    for entry in entries {
        let entry = entry.map_err(|error| file_error("read", folder, &error))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth < MAX_DEPTH {
                collect(&entry.path(), &format!("{prefix}{name}/"), depth + 1, found)?;
            }
        } else if let Some(name) = name.strip_suffix(".snap") {
            found.entry(format!("{prefix}{name}")).or_default().0 = true;
        } else if let Some(name) = name.strip_suffix(".snap.new") {
            found.entry(format!("{prefix}{name}")).or_default().1 = true;
        }
    }
    Ok(())
}

fn sweep(folder: &Path, depth: u32) {
    output::sweep(folder);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir()) && depth < MAX_DEPTH;
        if is_folder && !entry.file_name().to_string_lossy().starts_with('.') {
            sweep(&entry.path(), depth + 1);
        } else if is_of_older_versions(&entry) {
            // Where it cannot be removed, the next run tries again.
            let _ = output::remove(&entry.path());
        }
    }
}

/// Whether this is a temporary file as older versions named them (`.snapshotXXXXXX`), with a snapshot in it, not written for
/// an hour.
fn is_of_older_versions(entry: &std::fs::DirEntry) -> bool {
    let name = entry.file_name();
    let is_named = |name: &str| {
        name.strip_prefix(".snapshot")
            .is_some_and(|end| end.len() == 6 && end.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let is_old = |meta: std::fs::Metadata| {
        meta.is_file() && meta.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age > OLDER_VERSIONS))
    };
    let is_snapshot = || {
        let mut start = [0; 11];
        let file = std::fs::File::open(entry.path());
        file.and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start)).is_ok() && start == *b"---\nsource:"
    };
    name.to_str().is_some_and(is_named) && entry.metadata().is_ok_and(is_old) && is_snapshot()
}

fn read(path: &Path) -> Result<Option<Snapshot>, Reason> {
    match read_file(path) {
        Ok(bytes) => match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(Some(Snapshot::parse(text))),
            Err(error) => Err(file_error("read", path, &error)),
        },
        Err(WorldError::Missing(_)) => Ok(None),
        Err(refused) => Err(Reason::new(Code::SNAPSHOT, refused.to_string())),
    }
}

fn remove(path: &Path) -> Result<(), Reason> {
    output::remove(path).map_err(|error| file_error("remove", path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), Reason> {
    output::write(path, output::Kind::Snapshot, text.as_bytes()).map_err(|error| file_error("write", path, &error))
}
