//! Data files that commands read and replace.
//!
//! In: paths that the user named. Out: their bytes; new files in their place. Must not: follow links when it writes.

use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::value_error;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Reason;
use catwalk_base::source::path::normalize_path;
use catwalk_base::source::path::shown;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::output;
use catwalk_world::output::Output;
use catwalk_world::output::Place;
use catwalk_world::read_file;
use catwalk_world::source_files;

/// The extensions of data files in a directory.
const EXTENSIONS: [&str; 3] = ["eyaml", "yaml", "yml"];

/// A data file.
pub struct DataFile {
    /// The absolute path.
    pub path: PathBuf,
    /// The contents.
    pub bytes: Arc<[u8]>,
    place: Place,
    /// The current directory, to which paths in messages are relative.
    here: PathBuf,
}

impl DataFile {
    /// Reads a file that the user named.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(path: &Path, here: &Path) -> Result<DataFile, Reason> {
        let path = normalize_path(&here.join(path));
        let place = Place::named(&path);
        DataFile::at(path, place, here)
    }

    fn at(path: PathBuf, place: Place, here: &Path) -> Result<DataFile, Reason> {
        let bytes = read_file(&path).map_err(|why| Reason::usage(format!("cannot read the data: {why}")))?;
        Ok(DataFile { path, bytes, place, here: here.to_path_buf() })
    }

    /// A file that does not exist yet, with its first contents.
    #[must_use]
    pub fn new(path: &Path, bytes: &[u8], here: &Path) -> DataFile {
        let path = normalize_path(&here.join(path));
        DataFile { place: Place::named(&path), path, bytes: Arc::from(bytes), here: here.to_path_buf() }
    }

    /// The path for messages.
    #[must_use]
    pub fn shown(&self) -> String {
        shown(&self.path, Some(&self.here)).into_owned()
    }

    /// The line of a byte, from 1.
    #[must_use]
    pub fn line(&self, at: usize) -> usize {
        self.bytes.get(..at).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The start of a line, without its text, which may have secrets.
    #[must_use]
    pub fn line_start(&self, line: usize) -> DataLocation {
        DataLocation::new(&self.path, &self.bytes, (line, 1)).without_text()
    }

    /// An error of the value at a byte. The excerpt leaves out the line, which may have secrets.
    #[must_use]
    pub fn error_at(&self, at: usize, text: impl Into<std::borrow::Cow<'static, str>>) -> Reason {
        value_error(text).in_file(DataLocation::at_byte(&self.path, &self.bytes, at).without_text())
    }

    /// Refuses a link, which would be replaced by a file.
    ///
    /// # Errors
    /// It is a link.
    pub fn refuse_link(&self, world: &dyn World) -> Result<(), Reason> {
        match world.link(&self.path) {
            None => Ok(()),
            Some(target) => {
                let text = format!("{} is a link, which is not replaced: nothing was written", self.shown());
                Err(Reason::usage(text).help(format!("name its target: {}", target.display())))
            }
        }
    }

    /// Replaces the file as a whole. It keeps its permissions.
    ///
    /// # Errors
    /// It was changed meanwhile, or cannot be written.
    pub fn replace(&self, new: &[u8]) -> Result<(), Reason> {
        self.prepare(new)?.commit().map_err(|error| self.unwritable(&error))
    }

    /// Writes a temporary file beside it.
    fn prepare(&self, new: &[u8]) -> Result<Output, Reason> {
        let now = read_file(&self.path);
        if now.is_ok_and(|now| now != self.bytes) {
            let text = format!("{} was changed meanwhile: nothing was written", self.shown());
            return Err(Reason::usage(text));
        }
        let mut output = Output::open(&self.place, output::Kind::Document).map_err(|error| self.unwritable(&error))?;
        output.write_all(new).map_err(|error| self.unwritable(&error))?;
        Ok(output)
    }

    fn unwritable(&self, error: &std::io::Error) -> Reason {
        Reason::runtime(format!("cannot write {}: {error}", self.shown()))
    }
}

/// Replaces all files or none: each is written completely to a temporary file before the first is renamed.
///
/// # Errors
/// A file cannot be written. If its rename fails, files that were renamed before it get their old contents again.
pub(crate) fn replace_all(changes: &[(&DataFile, Vec<u8>)]) -> Result<(), Reason> {
    let mut prepared = Vec::with_capacity(changes.len());
    for (file, new) in changes {
        prepared.push((*file, file.prepare(new)?));
    }
    for (at, (file, output)) in prepared.into_iter().enumerate() {
        let Err(error) = output.commit() else { continue };
        let mut reason = file.unwritable(&error);
        for (earlier, _) in changes.iter().take(at) {
            if let Err(error) = output::write(&earlier.place, output::Kind::Document, &earlier.bytes) {
                reason = reason.help(format!("{} has its new contents: {error}", earlier.shown()));
            }
        }
        return Err(reason);
    }
    Ok(())
}

/// The files of paths: those that are named, and the data files below directories.
#[derive(Default)]
pub(crate) struct Found {
    /// The files.
    pub(crate) files: Vec<DataFile>,
    paths: FxHashSet<PathBuf>,
    /// How many files below directories git ignores.
    pub(crate) ignored: usize,
}

/// Reads files, and the data files below directories, each once.
///
/// # Errors
/// A path does not exist, or a file cannot be read.
pub(crate) fn find(paths: &[PathBuf], here: &Path, world: &Disk) -> Result<Found, Reason> {
    let mut found = Found::default();
    for path in paths {
        let path = normalize_path(&here.join(path));
        if world.kind(&path) != Kind::Directory {
            found.add(DataFile::read(&path, here)?);
            continue;
        }
        let is_data = |path: &Path| path.extension().is_some_and(|end| EXTENSIONS.iter().any(|known| end == *known));
        let below = source_files(&path, world, &is_data);
        found.ignored += below.ignored;
        for file in below.files {
            let place = file.strip_prefix(&path).ok().and_then(|below| Place::below(&path, below));
            let place = place.unwrap_or_else(|| Place::named(&file));
            found.add(DataFile::at(file, place, here)?);
        }
    }
    Ok(found)
}

impl Found {
    fn add(&mut self, file: DataFile) {
        if self.paths.insert(file.path.clone()) {
            self.files.push(file);
        }
    }
}
