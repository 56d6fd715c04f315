//! The key for the tokens that replace secrets: a file of the site outside of version control.
//!
//! In: the site's directory, the environment variable `CATWALK_SECRETS_KEY`. Out: a [`Key`]. It is read or created when the first secret is
//! printed. Must not: be an input of a compile; catalogs do not depend on it.

#![allow(clippy::disallowed_methods, reason = "the key belongs to the user: no catalog depends on it")]

use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_world::output;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::FileKind;
use catwalk_world::output::Kind;
use catwalk_world::output::Marker;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The folder for a site's private files, such as the key.
const FOLDER: &str = ".catwalk";
/// The file that marks the folder: it makes version control ignore it.
const GIT_IGNORE: &str = ".gitignore";
const IGNORE_ALL: &str = "*\n";

/// The folder for a site's private files.
static PRIVATE: Purpose = Purpose {
    name: "site",
    description: "the private files of the site",
    option: "replace `.catwalk` in the site",
    contents: Contents::Private { is_own, marker: Marker::File(GIT_IGNORE, IGNORE_ALL) },
};

fn is_own(name: &str, kind: FileKind) -> bool {
    match kind {
        FileKind::File => name == FILE,
        FileKind::Directory => matches!(name, "queue" | "ca" | "agent" | "catalogs"),
        FileKind::Link | FileKind::Other => false,
    }
}
const FILE: &str = "secrets.key";
/// The environment variable that can hold the key, for build servers.
const VARIABLE: &str = "CATWALK_SECRETS_KEY";
/// The length of a new key in bytes.
const LENGTH: usize = 32;
/// The maximum size of a key file in bytes.
const MAX_FILE_SIZE: u64 = 4096;

/// The source of a site's key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeySource {
    /// From the environment variable, else from the site's file; without one, secrets have tokens without digests.
    #[default]
    Existing,
    /// From the environment variable, else from the site's file, which is created if it is missing.
    Created,
    /// From the environment variable only, for sites whose code is untrusted.
    Variable,
}

/// The key of a site.
#[must_use]
pub fn open_key(root: Option<&Path>, source: KeySource) -> Key {
    let root = root.map(Path::to_path_buf);
    Key::new(move || {
        if let Some(text) = std::env::var_os(VARIABLE).and_then(|text| text.into_string().ok()) {
            return Some(text.trim().as_bytes().to_vec());
        }
        let root = root.as_deref().filter(|_| source != KeySource::Variable)?;
        match read(&root.join(FOLDER).join(FILE)) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && source == KeySource::Created => {
                let directory = open_private(root).ok()?;
                directory.write(FILE, Kind::Key, new_key()?.as_bytes()).ok()?;
                // Another process may have created a key at the same time: that one is used.
                read(&root.join(FOLDER).join(FILE)).ok()
            }
            Err(_) => None,
        }
    })
}

/// The place of a site's private files, or of one of them.
#[must_use]
pub fn private_place(root: &Path, name: &str) -> Place {
    let place = Place::named(root).join(FOLDER);
    if name.is_empty() { place } else { place.join(name) }
}

/// Opens the folder for a site's private files. Creates it if it does not exist, and makes version control ignore it.
///
/// # Errors
/// The folder is a link, contains files of others, or cannot be written to.
pub fn open_private(root: &Path) -> Result<Directory, Reason> {
    Ok(Directory::open(&private_place(root, ""), &PRIVATE)?)
}

/// Checks the folder for a site's private files, before anything is written. It need not exist.
///
/// # Errors
/// The folder is a link or contains files of others.
pub fn check_private(root: &Path) -> Result<(), Reason> {
    match Directory::open_existing(&private_place(root, ""), &PRIVATE) {
        Err(error) if error.is_refusal() => Err(error.into()),
        _ => Ok(()),
    }
}

/// A key that exists as long as the process, for comparing secrets without storing digests.
#[must_use]
pub fn temporary_key() -> Key {
    let mut bytes = [0; LENGTH];
    // If the system has no random numbers, there is no key, and secrets have tokens without digests.
    let is_random = getrandom::fill(&mut bytes).is_ok();
    Key::new(move || is_random.then(|| bytes.to_vec()))
}

/// The key in a file, which is created if it is missing: for output outside of a site, or if the site has no key.
#[must_use]
pub fn open_key_file(path: PathBuf) -> Key {
    Key::new(move || match read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => create(&path),
        Err(_) => None,
    })
}

/// The contents of a regular file without surrounding white space.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    std::fs::File::open(path)?.take(MAX_FILE_SIZE).read_to_string(&mut text)?;
    Ok(text.trim().as_bytes().to_vec())
}

/// A new key, as the text of its file. `None`: the system has no random numbers.
fn new_key() -> Option<String> {
    use std::fmt::Write;
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).ok()?;
    let mut text = bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    text.push('\n');
    Some(text)
}

/// Creates a key in a file beside one that the user named. `None`: it cannot be written.
fn create(path: &Path) -> Option<Vec<u8>> {
    output::write(&Place::named(path), Kind::Key, new_key()?.as_bytes()).ok()?;
    // Another process may have created a key at the same time: that one is used.
    read(path).ok()
}
