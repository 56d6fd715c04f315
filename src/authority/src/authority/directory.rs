//! The files of an authority: read, written and locked.
//!
//! An existing authority of Puppet's, which may contain any further files, is used as it is. A new one is created only where there are no
//! files of others.

use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catwalk_world::Disk;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::FileKind;
use catwalk_world::output::Kind;
use catwalk_world::output::Marker;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

use crate::config::AuthorityError;

/// How long to wait for another process that is changing the directory.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The file that exists while an authority is being created: the files of an interrupted creation are replaced.
pub(super) const UNFINISHED: &str = "setup-unfinished";

/// The directory of a new authority.
static NEW: Purpose = Purpose {
    name: "ca",
    description: "a certificate authority",
    option: "--cadir DIR",
    contents: Contents::Private { is_own, marker: Marker::Lock },
};

/// The directory of an authority that exists.
static EXISTING: Purpose = Purpose {
    name: "ca",
    description: "a certificate authority",
    option: "--cadir DIR",
    contents: Contents::MixedSecrets,
};

/// Puppet's `ssldir`.
static SSLDIR: Purpose = Purpose {
    name: "ssl",
    description: "the certificates of a server",
    option: "--ssldir DIR",
    contents: Contents::MixedSecrets,
};

/// Accepts the files of Puppet's authority.
fn is_own(name: &str, kind: FileKind) -> bool {
    const FILES: [&str; 11] = [
        "ca_key.pem",
        "ca_crt.pem",
        "ca_crl.pem",
        "serial",
        "inventory.txt",
        "ca_pub.pem",
        "root_key.pem",
        "infra_crl.pem",
        "infra_inventory.txt",
        "infra_serials",
        UNFINISHED,
    ];
    match kind {
        FileKind::File => FILES.contains(&name),
        FileKind::Directory => matches!(name, "private" | "requests" | "signed"),
        FileKind::Link | FileKind::Other => false,
    }
}

/// Opens the directory, which is created if it does not exist.
pub(super) fn open(place: &Place) -> Result<Directory, AuthorityError> {
    let is_existing = ["ca_key.pem", "ca_crt.pem"].iter().all(|name| is_file(&place.path().join(name)));
    open_for(place, if is_existing { &EXISTING } else { &NEW })
}

/// Opens Puppet's `ssldir`, which is created if it does not exist.
pub(super) fn open_ssldir(place: &Place) -> Result<Directory, AuthorityError> {
    open_for(place, &SSLDIR)
}

fn open_for(place: &Place, purpose: &'static Purpose) -> Result<Directory, AuthorityError> {
    Directory::open(place, purpose).map_err(|error| match error.help() {
        Some(help) => AuthorityError(format!("{error}; {help}")),
        None => AuthorityError(error.to_string()),
    })
}

/// Locks the directory against other processes.
pub(super) fn lock(place: &Place) -> Result<output::Lock, AuthorityError> {
    let path = place.path();
    match open(place)?.lock(LOCK_TIMEOUT).map_err(|why| unwritable(&path, &why))? {
        Some(lock) => Ok(lock),
        None => Err(AuthorityError(format!("{}: another process has been using it for 10 seconds", path.display()))),
    }
}

/// The name of the key of a server.
pub(super) fn private_key(certname: &str) -> String {
    format!("private/{certname}.pem")
}

pub(super) fn is_file(path: &Path) -> bool {
    Disk::new().kind(path) == catwalk_world::Kind::File
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Arc<[u8]>, AuthorityError> {
    catwalk_world::read_file(path).map_err(|why| AuthorityError(why.to_string()))
}

/// Reads a file; `None` if it does not exist.
pub(super) fn read_if_present(path: &Path) -> Result<Option<Arc<[u8]>>, AuthorityError> {
    match catwalk_world::read_file(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(WorldError::Missing(_)) => Ok(None),
        Err(why) => Err(AuthorityError(why.to_string())),
    }
}

/// The names of the files `NAME.pem` in a directory, sorted.
pub(super) fn names_in(folder: &Path) -> Vec<String> {
    let listed = Disk::new().list(folder);
    let entries = listed.iter().flat_map(|entries| entries.iter());
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.name.strip_suffix(".pem")).map(str::to_owned).collect();
    names.sort();
    names
}

/// Writes a file as a whole.
pub(super) fn write(place: &Place, name: &str, kind: Kind, text: &str) -> Result<(), AuthorityError> {
    let written = open(place)?.write(name, kind, text.as_bytes());
    written.map_err(|why| unwritable(&place.path().join(name), &why))
}

pub(super) fn unwritable(path: &Path, why: &io::Error) -> AuthorityError {
    AuthorityError(format!("{} cannot be written: {why}", path.display()))
}

/// Files to write together: all, or after an error none of those that did not exist before.
pub(super) struct NewFiles<'a> {
    directory: &'a Directory,
    written: Vec<String>,
}

impl<'a> NewFiles<'a> {
    pub(super) fn in_directory(directory: &'a Directory) -> NewFiles<'a> {
        NewFiles { directory, written: Vec::new() }
    }

    pub(super) fn write(&mut self, name: &str, kind: Kind, text: &str) -> Result<(), AuthorityError> {
        self.directory.write(name, kind, text.as_bytes()).map_err(|why| unwritable(&self.path(name), &why))?;
        self.written.push(name.to_owned());
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Keeps the files.
    pub(super) fn keep(mut self) {
        self.written.clear();
    }
}

impl Drop for NewFiles<'_> {
    fn drop(&mut self) {
        for name in self.written.drain(..).rev() {
            let _ = self.directory.remove(&name);
        }
    }
}
