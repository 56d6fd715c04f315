//! The folder of snapshots: what is accepted (`NAME.snap`), what waits for a decision (`NAME.snap.new`).
//!
//! In: names such as `web1.example.com` or `ntp/defaults`. Out: [`Snapshot`]s, written whole or not at all. Must not: know
//! what a snapshot shows.

#![allow(
    clippy::disallowed_methods,
    reason = "snapshots are outputs: they are read and written past what the world keeps"
)]

use std::io::ErrorKind;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use crate::diag::Code;
use crate::diag::Reason;
use crate::snapshot::file::Snapshot;
use crate::world::Refused;
use crate::world::read_file;

/// Folders nest no deeper than this.
const DEPTH: u32 = 16;

/// A folder of snapshots.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// What there is of one name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// Whether there is an accepted snapshot.
    pub accepted: bool,
    /// Whether one waits for a decision.
    pub pending: bool,
}

fn failed(what: &str, path: &Path, error: &dyn std::fmt::Display) -> Reason {
    Reason::new(Code("SNAPSHOT"), format!("cannot {what} {}: {error}", path.display()))
}

impl Store {
    /// The snapshots in a folder, which need not be there.
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

    /// The snapshot of a name that waits.
    ///
    /// # Errors
    /// Its file cannot be read.
    pub fn pending(&self, name: &str) -> Result<Option<Snapshot>, Reason> {
        read(&self.pending_path(name))
    }

    /// Lets a snapshot wait for a decision.
    ///
    /// # Errors
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

    /// Nothing waits for a decision any more.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn settle(&self, name: &str) -> Result<(), Reason> {
        remove(&self.pending_path(name))
    }

    /// Removes what there is of a name.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn delete(&self, name: &str) -> Result<(), Reason> {
        remove(&self.pending_path(name))?;
        remove(&self.path(name))?;
        let folder = self.path(name);
        // A folder that has become empty goes, too; one with other files stays.
        if let Some(folder) = folder.parent().filter(|folder| *folder != self.root) {
            let _ = std::fs::remove_dir(folder);
        }
        Ok(())
    }

    /// Everything in the folder, sorted by name.
    ///
    /// # Errors
    /// A folder cannot be read; none at all is no error.
    pub fn entries(&self) -> Result<Vec<Entry>, Reason> {
        let mut found: std::collections::BTreeMap<String, (bool, bool)> = std::collections::BTreeMap::new();
        collect(&self.root, "", 0, &mut found)?;
        Ok(found.into_iter().map(|(name, (accepted, pending))| Entry { name, accepted, pending }).collect())
    }
}

type Found = std::collections::BTreeMap<String, (bool, bool)>;

fn collect(folder: &Path, prefix: &str, depth: u32, found: &mut Found) -> Result<(), Reason> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed("read", folder, &error)),
        Ok(entries) => entries,
    };
    for entry in entries {
        let entry = entry.map_err(|error| failed("read", folder, &error))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if depth < DEPTH {
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

fn read(path: &Path) -> Result<Option<Snapshot>, Reason> {
    match read_file(path) {
        Ok(bytes) => match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(Some(Snapshot::parse(text))),
            Err(error) => Err(failed("read", path, &error)),
        },
        Err(Refused::Missing(_)) => Ok(None),
        Err(refused) => Err(Reason::new(Code("SNAPSHOT"), refused.to_string())),
    }
}

fn remove(path: &Path) -> Result<(), Reason> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("remove", path, &error)),
        _ => Ok(()),
    }
}

/// Writes a file whole or not at all: into a temporary file beside it, then renamed.
///
/// # Errors
/// It cannot be written.
pub fn write(path: &Path, text: &str) -> Result<(), Reason> {
    let fail = |error: &dyn std::fmt::Display| failed("write", path, error);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| fail(&error))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".snapshot");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(PermissionsExt::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(|error| fail(&error))?;
    file.write_all(text.as_bytes()).map_err(|error| fail(&error))?;
    file.persist(path).map_err(|error| fail(&error.error))?;
    Ok(())
}
