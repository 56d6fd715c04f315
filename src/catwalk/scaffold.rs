//! First files of a site or a module: what `catwalk init` and `catwalk new` write.
//!
//! In: a directory. Out: the missing files, and a list of those created, extended or kept. Must not: overwrite, ask, print.

mod contents;
mod first_test;
mod layout;

use std::path::Path;

use catwalk_base::diag::Reason;
use catwalk_world::Kind;
use catwalk_world::World;
use catwalk_world::output;

pub use contents::CiSystem;
pub use contents::module_configuration;
pub use contents::module_files;
pub use contents::site_configuration;
pub use contents::site_files;
pub use first_test::FirstTest;
pub use first_test::write_first_test;
pub use layout::Layout;
pub use layout::layout;

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

/// Writes a file and creates its directory.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Reason> {
    if let Some(folder) = path.parent() {
        output::folder(folder).map_err(|error| unwritable(folder, &error))?;
    }
    output::write(path, output::Kind::Report, text.as_bytes()).map_err(|error| unwritable(path, &error))
}

/// Writes the files of a plan that are missing, and the missing lines of `.gitignore`.
///
/// # Errors
/// A file cannot be written; the files before it have been written.
pub fn write(root: &Path, plan: &Plan, world: &dyn World) -> Result<Outcome, Reason> {
    let mut outcome = Outcome::default();
    for (name, text) in &plan.files {
        let path = root.join(name);
        match world.kind(&path) {
            Kind::Missing => {
                write_file(&path, text)?;
                outcome.created.push(name.clone());
            }
            _ => outcome.unchanged.push(name.clone()),
        }
    }
    if !plan.ignored.is_empty() {
        ignore(&root.join(".gitignore"), &plan.ignored, &mut outcome, world)?;
    }
    Ok(outcome)
}

fn ignore(path: &Path, lines: &[&str], outcome: &mut Outcome, world: &dyn World) -> Result<(), Reason> {
    let name = ".gitignore".to_owned();
    let before = world.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).ok();
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
    write_file(path, &text)?;
    match before {
        Some(_) => outcome.extended.push((name, missing.len())),
        None => outcome.created.push(name),
    }
    Ok(())
}
