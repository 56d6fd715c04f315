//! Filebuckets: directories with replaced contents by digest (Puppet::FileBucketFile::File).

use std::path::Path;
use std::path::PathBuf;

use catwalk_apply::Run;
use catwalk_resource_api::Failure;
use catwalk_system::Ownership;
use catwalk_system::System;

use super::checksum;

/// Mode of directories and files of a bucket: they may hold secrets.
const FOLDER_MODE: u32 = 0o770;
const CONTENTS_MODE: u32 = 0o440;
const PATHS_MODE: u32 = 0o640;

/// Stores a file and returns its digest.
///
/// # Errors
/// The file cannot be read or stored.
pub(super) fn store(bucket: &Path, file: &Path, run: &mut Run<'_>) -> Result<String, Failure> {
    let failed = |message: String| Failure::new(format!("Could not back up {}: {message}", file.display()));
    let sum = checksum::file_checksum("sha256", file, run.system).map_err(&failed)?;
    let sum = sum.trim_start_matches("{sha256}").to_owned();
    let folder = folder(bucket, &sum);
    let contents = folder.join("contents");
    let system = &mut *run.system;
    create_all(&folder, system)
        .and_then(|()| {
            if system.stat(&contents, false)?.is_none() {
                let ownership = Ownership { mode: Some(CONTENTS_MODE), ..Ownership::default() };
                system.copy(file, &contents, ownership)?;
            }
            let paths = folder.join("paths");
            let mut lines = match system.stat(&paths, false)? {
                Some(_) => system.read(&paths)?,
                None => Vec::new(),
            };
            let line = format!("{}\n", file.display());
            if !lines.split_inclusive(|byte| *byte == b'\n').any(|existing| existing == line.as_bytes()) {
                lines.extend_from_slice(line.as_bytes());
                system.write(&paths, &lines, Ownership { mode: Some(PATHS_MODE), ..Ownership::default() })?;
            }
            Ok(())
        })
        .map_err(|error| failed(error.message))?;
    Ok(sum)
}

/// The directory of contents by their digest.
pub(super) fn folder(bucket: &Path, sum: &str) -> PathBuf {
    let mut folder = bucket.to_path_buf();
    folder.extend(sum.chars().take(8).map(|digit| digit.to_string()));
    folder.push(sum);
    folder
}

/// Creates a directory and its parents.
fn create_all(folder: &Path, system: &mut dyn System) -> catwalk_system::Result<()> {
    let mut missing: Vec<PathBuf> = Vec::new();
    for ancestor in folder.ancestors() {
        if system.stat(ancestor, true)?.is_some() {
            break;
        }
        missing.push(ancestor.to_path_buf());
    }
    let ownership = Ownership { mode: Some(FOLDER_MODE), ..Ownership::default() };
    missing.iter().rev().try_for_each(|folder| system.create_directory(folder, ownership))
}
