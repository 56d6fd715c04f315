//! Walks to a directory: the part of the path that the user named, then name by name without following links.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use super::Step;
use super::contents::Contents;
use super::contents::Purpose;
use super::directory_error::Cause;
use super::directory_error::DirectoryError;
use super::fault;
use super::folder::Folder;
use super::place::Place;
use super::status::FileKind;
use super::status::Status;

/// Opens a directory in another; creates it with the permissions `create` if it does not exist. `None`: it does not exist.
pub(super) fn step(folder: &Folder, name: &OsStr, create: Option<u32>) -> io::Result<Option<Folder>> {
    match (folder.enter(name), create) {
        (Err(error), None) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        (Err(error), Some(mode)) if error.kind() == io::ErrorKind::NotFound => {
            fault(Step::Folder)?;
            match folder.create_folder(name, mode) {
                // Another process has just created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => created?,
            }
            folder.enter(name).map(Some)
        }
        (Err(error), _) => match folder.status(name) {
            Ok(Some(found)) if found.kind == FileKind::Link => {
                let path = folder.path().join(name);
                Err(io::Error::other(format!("{} is a symbolic link, which is not followed", path.display())))
            }
            _ => Err(error),
        },
        (Ok(opened), _) => Ok(Some(opened)),
    }
}

/// A directory that a walk has reached.
pub(super) struct Opened {
    pub(super) folder: Folder,
    /// The status of the part of the path that the user named.
    pub(super) base: Status,
}

/// Opens the named part of a path, then each directory below it without following links. `create`: creates what is missing, with these
/// permissions. `None`: it does not exist.
pub(super) fn walk(place: &Place, create: Option<u32>) -> Result<Option<Opened>, (Cause, PathBuf)> {
    let at = |error: io::Error, path: &Path| (Cause::Failed(error), path.to_path_buf());
    let base = match Folder::open(place.base()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match create {
            None => return Ok(None),
            Some(_) => {
                super::create_named(place.base()).map_err(|error| at(error, place.base()))?;
                Folder::open(place.base()).map_err(|error| at(error, place.base()))?
            }
        },
        opened => opened.map_err(|error| at(error, place.base()))?,
    };
    let status = base.own_status().map_err(|error| at(error, place.base()))?;
    let mut folder = base;
    for name in place.names() {
        let path = folder.path().join(&name);
        if matches!(folder.status(&name), Ok(Some(found)) if found.kind == FileKind::Link) {
            return Err((Cause::Link, path));
        }
        match step(&folder, &name, create).map_err(|error| at(error, &path))? {
            Some(next) => folder = next,
            None => return Ok(None),
        }
    }
    Ok(Some(Opened { folder, base: status }))
}

/// The path of a file that a library opens by itself. Only the part that the user named may contain links.
///
/// # Errors
/// The path leads through a link, or the file is one.
pub fn unlinked_path(place: &Place, purpose: &'static Purpose) -> Result<PathBuf, DirectoryError> {
    let mut names = place.names();
    let Some(name) = names.pop() else { return Ok(place.path()) };
    let above = Place::below(place.base(), names.iter().collect::<PathBuf>()).unwrap_or_else(|| place.clone());
    match walk(&above, None) {
        Err((Cause::Link, path)) => Err(Cause::Link.at(path, purpose)),
        Ok(Some(opened)) => match opened.folder.status(&name) {
            Ok(Some(found)) if found.kind == FileKind::Link => Err(Cause::Link.at(place.path(), purpose)),
            _ => Ok(place.path()),
        },
        // The library reports that it cannot open the file.
        _ => Ok(place.path()),
    }
}

/// Whether a path leads through no link below the part that the user named, and is none. It need not exist.
#[must_use]
pub fn is_unlinked(place: &Place) -> bool {
    unlinked_path(place, &UNNAMED).is_ok()
}

/// For paths whose errors are not shown.
static UNNAMED: Purpose = Purpose { name: "", description: "", option: "", contents: Contents::Mixed };

/// Opens the directory of a file below a named one, which is created with its parents if it does not exist.
pub(super) fn parent(place: &Place) -> io::Result<(Arc<Folder>, OsString)> {
    let mut names = place.names();
    let name = names.pop().ok_or(io::ErrorKind::IsADirectory)?;
    let above: PathBuf = names.iter().collect();
    let above = Place::below(place.base(), above).ok_or(io::ErrorKind::InvalidInput)?;
    let linked =
        |path: PathBuf| io::Error::other(format!("{} is a symbolic link, which is not followed", path.display()));
    match walk(&above, Some(0o777)) {
        Ok(Some(opened)) => Ok((Arc::new(opened.folder), name)),
        Ok(None) => Err(io::Error::from(io::ErrorKind::NotFound)),
        Err((Cause::Failed(error), _)) => Err(error),
        Err((_, path)) => Err(linked(path)),
    }
}
