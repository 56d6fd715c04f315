//! The marker of a private directory: a file by which Catwalk recognises a directory that it has created. Usually it is the file that is
//! locked while the directory is changed.
//!
//! In a repository, a marker could come from its author. There, it also contains a digest that only this machine can make.

use std::io;
use std::path::Path;

use hmac::Hmac;
use hmac::KeyInit;
use hmac::Mac;
use sha2::Sha256;

use super::Directory;
use super::DirectoryError;
use super::Kind;
use super::contents::Purpose;
use super::state;

/// The name of the marker.
pub(super) const FILE: &str = ".lock";

/// The file with the key in the directory of the user's state, and the length of the key.
const KEY: &str = "machine.key";
const LENGTH: usize = 32;

/// A key of this user on this machine, for markers of directories in repositories.
#[derive(Clone)]
pub struct MachineKey(Vec<u8>);

impl std::fmt::Debug for MachineKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MachineKey")
    }
}

impl MachineKey {
    /// Reads the key from the user's state, where it is created if it is missing.
    ///
    /// # Errors
    /// The user has no directory for state, it cannot be written to, or the system has no random numbers.
    pub fn open() -> Result<MachineKey, DirectoryError> {
        let place = state::state_directory().ok_or_else(|| DirectoryError::without_state(&state::STATE))?;
        let directory = Directory::open(&place, &state::STATE)?;
        let failed = |error: io::Error| DirectoryError::failed(place.join(KEY).path(), error, &state::STATE);
        if let Some(key) = MachineKey::read(&directory).map_err(failed)? {
            return Ok(key);
        }
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).map_err(|error| failed(io::Error::other(error.to_string())))?;
        directory.write(KEY, Kind::Key, hex(&bytes).as_bytes()).map_err(failed)?;
        // Another process may have written a key at the same time: that one is used.
        let written = MachineKey::read(&directory).map_err(failed)?;
        written.ok_or_else(|| failed(io::Error::from(io::ErrorKind::NotFound)))
    }

    fn read(directory: &Directory) -> io::Result<Option<MachineKey>> {
        let Some(text) = directory.read(KEY)? else { return Ok(None) };
        match text.len() < LENGTH {
            true => Err(io::Error::other("it is too short for a key; remove it")),
            false => Ok(Some(MachineKey(text))),
        }
    }

    fn digest(&self, purpose: &Purpose, path: &Path) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(purpose.name.as_bytes());
        mac.update(&[0]);
        mac.update(path.as_os_str().as_encoded_bytes());
        Some(hex(&mac.finalize().into_bytes()))
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The contents of a marker. `key`: that of the machine, for a directory in a repository with this path.
pub(super) fn text(purpose: &Purpose, key: Option<(&MachineKey, &Path)>) -> String {
    let digest = key.and_then(|(key, path)| Some(format!("\n{}", key.digest(purpose, path)?))).unwrap_or_default();
    format!("catwalk {}{digest}\n# Catwalk created this directory: {}.\n", purpose.name, purpose.description)
}

/// What the contents of a marker say about a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// Catwalk has created it for this purpose.
    Own,
    /// Nothing: it is empty, as in earlier versions, or not completely written.
    None,
    /// It belongs to a different purpose or machine.
    Other,
}

/// Compares the contents of a marker with those expected. Descriptions may differ between versions.
pub(super) fn compare(found: &str, expected: &str) -> Mark {
    let without_comments =
        |text: &str| -> Vec<String> { text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect() };
    let (lines, expected_lines) = (without_comments(found), without_comments(expected));
    // Without the key, the digest of a directory in a repository does not matter.
    let is_own = lines.get(..expected_lines.len()).is_some_and(|lines| lines == expected_lines);
    match is_own {
        true => Mark::Own,
        false if expected.starts_with(found) => Mark::None,
        false => Mark::Other,
    }
}
