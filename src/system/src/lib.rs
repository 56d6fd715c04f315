//! The machine that a catalog is applied to: files, processes, users.
//!
//! In: operations of providers. Out: their results. [`System`] is implemented by the real machine and by a machine in memory for
//! tests. Must not: know catalogs, Puppet or Rhai. The compiler does not use this crate: it reads files through `world`.

mod clock;
mod fake;
#[cfg(unix)]
mod machine;

use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::SystemTime;

pub use clock::Clock;
pub use clock::MachineClock;
pub use fake::FakeClock;
pub use fake::FakeMachine;
pub use fake::Runner;
#[cfg(unix)]
pub use machine::LAUNCH;
#[cfg(unix)]
pub use machine::Machine;
#[cfg(unix)]
pub use machine::launch;

/// Why an operation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemError {
    /// The message, with the path first: `/x: No such file or directory`.
    pub message: String,
    /// The system's error number (`errno`), if there is one.
    pub code: Option<i32>,
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The result of an operation.
pub type Result<T> = std::result::Result<T, SystemError>;

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a socket or a named pipe.
    Other,
}

/// Metadata of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stat {
    /// The kind.
    pub kind: FileKind,
    /// The size in bytes.
    pub size: u64,
    /// Permission bits, including setuid, setgid and sticky: `0o644`.
    pub mode: u32,
    /// The id of the owner.
    pub uid: u32,
    /// The id of the group.
    pub gid: u32,
    /// The time of the last change of the contents.
    pub modified: SystemTime,
    /// The time of the last change of the metadata.
    pub changed: SystemTime,
    /// The target of a symbolic link, unresolved.
    pub target: Option<PathBuf>,
}

/// Mode and owner of a file, and whether it may replace entries of other kinds. `None` means the value of the replaced file, or the
/// default for a new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ownership {
    /// Permission bits.
    pub mode: Option<u32>,
    /// The id of the owner.
    pub uid: Option<u32>,
    /// The id of the group.
    pub gid: Option<u32>,
    /// Whether an entry of another kind may be replaced, such as a directory with all its content.
    pub replaces_other_kinds: bool,
}

/// A process to run. No shell is involved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Command {
    /// The program, looked up in `PATH` of its environment unless absolute, and its arguments.
    pub argv: Vec<String>,
    /// The standard input.
    pub stdin: Option<Vec<u8>>,
    /// Changes of environment variables: a value to set, `None` to remove.
    pub environment: Vec<(String, Option<String>)>,
    /// The working directory.
    pub directory: Option<PathBuf>,
    /// The user of the process: a name or an id.
    pub user: Option<String>,
    /// The group of the process: a name or an id.
    pub group: Option<String>,
    /// The file creation mask.
    pub umask: Option<u32>,
    /// The time after which the process and its process group are killed.
    pub timeout: Option<Duration>,
    /// Whether standard error is redirected to standard output.
    pub merge_output: bool,
}

/// The exit code and output of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The exit code. If a signal killed the process: 128 plus the number of the signal.
    pub code: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// The new contents of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents<'a> {
    /// Bytes in memory.
    Bytes(&'a [u8]),
    /// The contents of another regular file; links are followed.
    Of(&'a Path),
}

/// Accepts or refuses new contents. The arguments are the machine and the path of a temporary file with the contents, which only its
/// owner may read.
pub type Check<'a> = dyn FnMut(&mut dyn System, &Path) -> Result<()> + 'a;

/// Operations on a machine. Paths are absolute. No operation follows a symbolic link at the end of a path unless its
/// documentation says so.
pub trait System {
    /// Runs a process to its end.
    ///
    /// # Errors
    /// The program does not exist or cannot be started, or ran into its timeout.
    fn run(&mut self, command: &Command) -> Result<Output>;

    /// The metadata of a file; `None` if it does not exist.
    ///
    /// # Errors
    /// The system refuses to read the metadata.
    fn stat(&mut self, path: &Path, follow: bool) -> Result<Option<Stat>>;

    /// The contents of a regular file; follows links.
    ///
    /// # Errors
    /// The file does not exist, cannot be read, or is not a regular file.
    fn read(&mut self, path: &Path) -> Result<Vec<u8>>;

    /// Creates or replaces a file atomically: a killed process leaves the old or the new file. A link at `path` is replaced.
    ///
    /// # Errors
    /// The file cannot be written; the old file is unchanged.
    fn write(&mut self, path: &Path, contents: &[u8], ownership: Ownership) -> Result<()>;

    /// Passes the contents of a regular file to `each`, in pieces, until `each` returns `false`; follows links.
    ///
    /// # Errors
    /// The file does not exist, cannot be read, or is not a regular file.
    fn stream(&mut self, path: &Path, each: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
        each(&self.read(path)?);
        Ok(())
    }

    /// Copies the contents of a regular file to a path, atomically like [`System::write`].
    ///
    /// # Errors
    /// A file cannot be read or written; the old file is unchanged.
    fn copy(&mut self, from: &Path, to: &Path, ownership: Ownership) -> Result<()> {
        let contents = self.read(from)?;
        self.write(to, &contents, ownership)
    }

    /// Writes the new contents to a temporary file beside `path` and, if `check` accepts it, replaces `path` like [`System::write`].
    ///
    /// # Errors
    /// The contents cannot be read or written, or `check` refuses them; the old file is unchanged.
    fn write_checked(
        &mut self,
        path: &Path,
        contents: Contents<'_>,
        ownership: Ownership,
        check: &mut Check<'_>,
    ) -> Result<()>;

    /// Messages about attributes of replaced files (owner, hard links, extended attributes) that writes since the last call did not
    /// preserve.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// The names of a directory's entries, sorted.
    ///
    /// # Errors
    /// The path is not a directory or cannot be read.
    fn list(&mut self, path: &Path) -> Result<Vec<String>>;

    /// Creates a directory, whose parent must exist. A file or link is replaced atomically.
    ///
    /// # Errors
    /// The path exists and may not be replaced, or the directory cannot be created.
    fn create_directory(&mut self, path: &Path, ownership: Ownership) -> Result<()>;

    /// Deletes a file or link; succeeds if it does not exist.
    ///
    /// # Errors
    /// The path is a directory or cannot be deleted.
    fn delete_file(&mut self, path: &Path) -> Result<()>;

    /// Deletes an empty directory, or with `recursive` a directory and its content.
    ///
    /// # Errors
    /// The directory cannot be deleted.
    fn delete_directory(&mut self, path: &Path, recursive: bool) -> Result<()>;

    /// Creates or replaces a symbolic link atomically. The mode of `ownership` is ignored.
    ///
    /// # Errors
    /// The path is a directory that may not be replaced, or the link cannot be created.
    fn link(&mut self, path: &Path, target: &Path, ownership: Ownership) -> Result<()>;

    /// Sets permission bits; follows links.
    ///
    /// # Errors
    /// The file does not exist, or the change is not permitted.
    fn set_mode(&mut self, path: &Path, mode: u32) -> Result<()>;

    /// Sets the owner and group that are `Some`. Without `follow`, a link itself is changed.
    ///
    /// # Errors
    /// The file does not exist, or the change is not permitted.
    fn set_owner(&mut self, path: &Path, uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()>;

    /// The value of an environment variable.
    fn variable(&mut self, name: &str) -> Option<String>;

    /// The id of a user by name; digits are an id.
    fn user_id(&mut self, name: &str) -> Option<u32>;

    /// The id of a group by name; digits are an id.
    fn group_id(&mut self, name: &str) -> Option<u32>;

    /// The name of a user by id.
    fn user_name(&mut self, uid: u32) -> Option<String>;

    /// The name of a group by id.
    fn group_name(&mut self, gid: u32) -> Option<String>;

    /// The effective user id of this process.
    fn own_user_id(&mut self) -> u32;

    /// The clock.
    fn clock(&self) -> Arc<dyn Clock>;

    /// The current time.
    fn now(&self) -> SystemTime {
        self.clock().now()
    }
}
