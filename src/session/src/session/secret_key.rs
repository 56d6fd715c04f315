//! The key for the tokens that replace secrets: a file of the site outside of version control.
//!
//! In: the site's directory, the environment variable `CATWALK_SECRETS_KEY`. Out: a [`Key`]. It is read or created when the first secret is
//! printed. Must not: be an input of a compile; catalogs do not depend on it.

#![allow(clippy::disallowed_methods, reason = "the key belongs to the user: no catalog depends on it")]

use std::io::Read;
use std::path::Path;
use std::path::PathBuf;

use catwalk_base::secrets::Key;
use catwalk_world::output;
use catwalk_world::output::Kind;

/// The folder for a site's private files, such as the key.
pub const FOLDER: &str = ".catwalk";
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
    let path = root.map(|root| root.join(FOLDER).join(FILE));
    Key::new(move || {
        if let Some(text) = std::env::var_os(VARIABLE).and_then(|text| text.into_string().ok()) {
            return Some(text.trim().as_bytes().to_vec());
        }
        let path = path.as_deref().filter(|_| source != KeySource::Variable)?;
        match read(path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && source == KeySource::Created => {
                create_in_site(path)
            }
            Err(_) => None,
        }
    })
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

/// Creates the key of a site in a folder that version control ignores. `None`: the folder cannot be written to.
fn create_in_site(path: &Path) -> Option<Vec<u8>> {
    ignore_folder(path.parent()?).ok()?;
    create(path)
}

/// Makes version control ignore a site's folder of private files.
///
/// # Errors
///
/// The folder cannot be written to.
pub fn ignore_folder(folder: &Path) -> std::io::Result<()> {
    let ignore = folder.join(".gitignore");
    if ignore.exists() { Ok(()) } else { output::write(&ignore, Kind::Snapshot, b"*\n") }
}

/// Creates a key. `None`: the folder cannot be written to.
fn create(path: &Path) -> Option<Vec<u8>> {
    use std::fmt::Write;
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).ok()?;
    let mut text = bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    text.push('\n');
    output::write(path, Kind::Key, text.as_bytes()).ok()?;
    // Another process may have created a key at the same time: that one is used.
    read(path).ok()
}
