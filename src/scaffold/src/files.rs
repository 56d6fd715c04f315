//! Writes the files of a plan that are missing, and the missing lines of `.gitignore`.

use std::path::Path;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_world::World;
use catwalk_world::WorldError;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::FileKind;
use catwalk_world::output::Kind;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// The file that lists what git ignores.
const GIT_IGNORE: &str = ".gitignore";

/// The created, extended and unchanged files.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Files that were written.
    pub created: Vec<String>,
    /// Files to which lines were added, with the number of lines.
    pub extended: Vec<(String, usize)>,
    /// Existing files, which are unchanged.
    pub unchanged: Vec<String>,
}

/// Files to write, by path relative to the directory.
#[derive(Debug, Default)]
pub struct Plan {
    /// Files with their contents.
    pub files: Vec<(String, String)>,
    /// Lines for `.gitignore`.
    pub ignored: Vec<&'static str>,
}

impl Plan {
    /// Adds a file.
    pub(crate) fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.files.push((path.into(), text.into()));
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Reason {
    Reason::runtime(format!("cannot write {}: {error}", path.display()))
}

/// Directories of new sites and modules.
static FILES: Purpose = Purpose {
    name: "files",
    description: "files of a site or module",
    option: "`catwalk init DIR`",
    contents: Contents::Mixed,
};

/// Writes a file in the directory of a site or module, and creates its directories.
///
/// # Errors
/// The path leads through a link, or the file cannot be written.
pub(crate) fn write_file(folder: &Place, name: &str, text: &str) -> Result<(), Reason> {
    let failed = |error: std::io::Error| unwritable(&folder.path().join(name), &error);
    Directory::open(folder, &FILES)?.write(name, Kind::Document, text.as_bytes()).map_err(failed)
}

/// Checks a directory before anything is written. It need not exist.
///
/// # Errors
/// It is reached through a link.
pub fn check(folder: &Place) -> Result<(), Reason> {
    Directory::open_existing(folder, &FILES)?;
    Ok(())
}

/// Writes the files of a plan that are missing, and the missing lines of `.gitignore`.
///
/// # Errors
/// A file cannot be written; the files before it have been written.
pub fn write(root: &Path, plan: &Plan, world: &dyn World) -> Result<Outcome, Reason> {
    let mut outcome = Outcome::default();
    let place = Place::named(root);
    let mut missing = Vec::new();
    for (name, text) in &plan.files {
        // A link to nothing exists, too.
        match kind(&place, name)? {
            None => missing.push((name, text)),
            Some(_) => outcome.unchanged.push(name.clone()),
        }
    }
    if !plan.ignored.is_empty() && kind(&place, GIT_IGNORE)? == Some(FileKind::Link) {
        let text = format!("{} is a symbolic link, which is not followed", root.join(GIT_IGNORE).display());
        return Err(Reason::new(Code::LINKED_DIRECTORY, text).help("replace the link by a file"));
    }
    // Read first, so that nothing is written if it cannot be extended.
    let before = if plan.ignored.is_empty() { None } else { read_ignore_file(root, world)? };
    for (name, text) in missing {
        write_file(&place, name, text)?;
        outcome.created.push(name.clone());
    }
    if !plan.ignored.is_empty() {
        extend_ignore_file(root, before, &plan.ignored, &mut outcome)?;
    }
    Ok(outcome)
}

/// The kind of an entry of the directory of a site; `None` if it does not exist.
///
/// # Errors
/// The name leads through a link.
fn kind(place: &Place, name: &str) -> Result<Option<FileKind>, Reason> {
    match Directory::open_existing(place, &FILES)? {
        Some(directory) => directory.kind(name).map_err(|error| unwritable(&place.path().join(name), &error)),
        None => Ok(None),
    }
}

fn read_ignore_file(root: &Path, world: &dyn World) -> Result<Option<String>, Reason> {
    match world.read(&root.join(GIT_IGNORE)) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(WorldError::Missing(_)) => Ok(None),
        // A pipe or a device would not be extended but replaced.
        Err(refused) => Err(Reason::runtime(format!("{GIT_IGNORE} cannot be extended: {refused}"))),
    }
}

fn extend_ignore_file(
    root: &Path,
    before: Option<String>,
    lines: &[&str],
    outcome: &mut Outcome,
) -> Result<(), Reason> {
    let name = GIT_IGNORE.to_owned();
    let existing: Vec<&str> = before.iter().flat_map(|text| text.lines()).map(str::trim).collect();
    let missing: Vec<&str> = lines.iter().copied().filter(|line| !existing.contains(line)).collect();
    if missing.is_empty() {
        outcome.unchanged.push(name);
        return Ok(());
    }
    let mut text = before.clone().unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    missing.iter().for_each(|line| text.extend([line, "\n"]));
    write_file(&Place::named(root), GIT_IGNORE, &text)?;
    match before {
        Some(_) => outcome.extended.push((name, missing.len())),
        None => outcome.created.push(name),
    }
    Ok(())
}
