//! The machine on which Catwalk runs.
//!
//! In: operations of providers. Out: system calls. Must not: know resources or providers.

mod files;
mod launch;
mod names;
mod output;
mod process;
mod rename;
mod replace;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

pub use launch::LAUNCH;
pub use launch::launch;

use crate::Check;
use crate::Clock;
use crate::Command;
use crate::Contents;
use crate::MachineClock;
use crate::Output;
use crate::Ownership;
use crate::Result;
use crate::Stat;
use crate::System;
use crate::SystemError;

/// The machine on which this process runs.
#[derive(Debug, Default)]
pub struct Machine {
    /// The program whose subcommand [`LAUNCH`] calls [`launch()`].
    launcher: Option<PathBuf>,
    names: names::Names,
    /// Directories from which temporary files of killed processes were removed.
    swept: BTreeSet<PathBuf>,
    notes: Vec<String>,
    clock: Arc<MachineClock>,
}

impl Machine {
    /// Creates a machine. Processes with a different user, group or umask need [`Machine::with_launcher`].
    #[must_use]
    pub fn new() -> Machine {
        Machine::default()
    }

    /// Starts processes with a different user, group or umask through a program whose subcommand [`LAUNCH`] calls [`launch()`].
    #[must_use]
    pub fn with_launcher(mut self, program: PathBuf) -> Machine {
        self.launcher = Some(program);
        self
    }
}

impl System for Machine {
    fn run(&mut self, command: &Command) -> Result<Output> {
        let output = process::run(self, command);
        // The process may have created or deleted users.
        self.names.forget();
        output
    }

    fn stat(&mut self, path: &Path, follow: bool) -> Result<Option<Stat>> {
        files::stat(path, follow)
    }

    fn read(&mut self, path: &Path) -> Result<Vec<u8>> {
        files::read(path)
    }

    fn stream(&mut self, path: &Path, each: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
        files::stream(path, each)
    }

    fn write(&mut self, path: &Path, contents: &[u8], ownership: Ownership) -> Result<()> {
        replace::write(self, path, &mut &*contents, ownership, None)
    }

    fn copy(&mut self, from: &Path, to: &Path, ownership: Ownership) -> Result<()> {
        let mut source = files::open(from)?;
        replace::write(self, to, &mut source, ownership, None)
    }

    fn write_checked(
        &mut self,
        path: &Path,
        contents: Contents<'_>,
        ownership: Ownership,
        check: &mut Check<'_>,
    ) -> Result<()> {
        match contents {
            Contents::Bytes(mut bytes) => replace::write(self, path, &mut bytes, ownership, Some(check)),
            Contents::Of(from) => replace::write(self, path, &mut files::open(from)?, ownership, Some(check)),
        }
    }

    fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn list(&mut self, path: &Path) -> Result<Vec<String>> {
        files::list(path)
    }

    fn create_directory(&mut self, path: &Path, ownership: Ownership) -> Result<()> {
        let is_other = |stat: &Stat| stat.kind != crate::FileKind::Directory;
        if ownership.replaces_other_kinds && files::stat(path, false)?.as_ref().is_some_and(is_other) {
            return replace::directory(self, path, ownership);
        }
        files::create_directory(path, ownership)
    }

    fn delete_file(&mut self, path: &Path) -> Result<()> {
        files::delete_file(path)
    }

    fn delete_directory(&mut self, path: &Path, recursive: bool) -> Result<()> {
        files::delete_directory(path, recursive)
    }

    fn link(&mut self, path: &Path, target: &Path, ownership: Ownership) -> Result<()> {
        replace::link(self, path, target, ownership)
    }

    fn set_mode(&mut self, path: &Path, mode: u32) -> Result<()> {
        files::set_mode(path, mode)
    }

    fn set_owner(&mut self, path: &Path, uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()> {
        files::set_owner(path, uid, gid, follow)
    }

    #[allow(clippy::disallowed_methods, reason = "this is the machine")]
    fn variable(&mut self, name: &str) -> Option<String> {
        // An invalid name (with `=` or NUL) is an error, as is a missing variable.
        std::env::var(name).ok()
    }

    fn user_id(&mut self, name: &str) -> Option<u32> {
        self.names.user_id(name)
    }

    fn group_id(&mut self, name: &str) -> Option<u32> {
        self.names.group_id(name)
    }

    fn user_name(&mut self, uid: u32) -> Option<String> {
        self.names.user_name(uid)
    }

    fn group_name(&mut self, gid: u32) -> Option<String> {
        self.names.group_name(gid)
    }

    fn own_user_id(&mut self) -> u32 {
        rustix::process::geteuid().as_raw()
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }
}

impl SystemError {
    /// An error of a system call about a path: `/x: No such file or directory`.
    pub(crate) fn at(path: &Path, error: &std::io::Error) -> SystemError {
        SystemError { message: format!("{}: {}", path.display(), reason(error)), code: error.raw_os_error() }
    }

    /// An error without a number.
    pub(crate) fn new(message: impl Into<String>) -> SystemError {
        SystemError { message: message.into(), code: None }
    }
}

/// The system's error message without its number: `No such file or directory`.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) if error.raw_os_error().is_some() => text.get(..end).unwrap_or_default().to_owned(),
        _ => text,
    }
}

/// Refuses relative paths, since they depend on the directory in which Catwalk was started.
fn absolute(path: &Path) -> Result<()> {
    if path.is_absolute() {
        return Ok(());
    }
    Err(SystemError::new(format!("{}: the path must be absolute", path.display())))
}
