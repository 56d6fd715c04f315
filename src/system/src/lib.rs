//! The machine that a catalog is applied to: files, processes, users.
//!
//! In: operations of providers. Out: their results; [`System`] is implemented by the real machine and by one in memory for tests.
//! Must not: know catalogs, Puppet or Rhai. Compiling never uses this crate: it reads through `world`.

mod fake;
#[cfg(unix)]
mod machine;

use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;
use std::time::SystemTime;

pub use fake::Fake;
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
    /// The message: `No such file or directory @ rb_sysopen - /x` is not written here; `/x: No such file or directory` is.
    pub message: String,
    /// The system's error number (`errno`), where there is one.
    pub code: Option<i32>,
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What an operation returns.
pub type Result<T> = std::result::Result<T, SystemError>;

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a socket, a named pipe.
    Other,
}

/// Metadata of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// Its permission bits, with setuid, setgid and sticky: `0o644`.
    pub mode: u32,
    /// The id of its owner.
    pub uid: u32,
    /// The id of its group.
    pub gid: u32,
    /// When its contents were last changed.
    pub modified: SystemTime,
    /// When its metadata were last changed.
    pub changed: SystemTime,
    /// Where a symbolic link points, as written in it.
    pub target: Option<PathBuf>,
}

/// Mode and owner of a file, and what it may replace; `None` keeps what a replaced file has, or is the default of a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ownership {
    /// Permission bits.
    pub mode: Option<u32>,
    /// The id of the owner.
    pub uid: Option<u32>,
    /// The id of the group.
    pub gid: Option<u32>,
    /// Whether what is at the path may be of another kind: a directory is replaced with everything in it.
    pub replaces_other_kinds: bool,
}

/// A process to run. No shell is involved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Command {
    /// The program, looked up in `PATH` of its environment unless absolute, and its arguments.
    pub argv: Vec<String>,
    /// Its standard input.
    pub stdin: Option<Vec<u8>>,
    /// Changes of the environment: a value to set, `None` to remove.
    pub environment: Vec<(String, Option<String>)>,
    /// Its working directory.
    pub directory: Option<PathBuf>,
    /// The user to run it as: a name or an id.
    pub user: Option<String>,
    /// The group to run it as: a name or an id.
    pub group: Option<String>,
    /// Its file creation mask.
    pub umask: Option<u32>,
    /// It and its process group are killed after this time.
    pub timeout: Option<Duration>,
    /// Whether standard error is written into standard output.
    pub merge_output: bool,
}

/// What a process did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its exit code; for one that a signal killed, 128 and the number of the signal.
    pub code: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// New contents of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// Those of another regular file; links are followed.
    Of(&'a Path),
}

/// Accepts or refuses new contents: gets the machine and the path of a file that only its owner may read.
pub type Check<'a> = dyn FnMut(&mut dyn System, &Path) -> Result<()> + 'a;

/// Operations on a machine. Paths are absolute. No operation follows a symbolic link at the end of a path unless its
/// documentation says so.
pub trait System {
    /// Runs a process to its end.
    ///
    /// # Errors
    /// The program does not exist or cannot be started, or ran into its timeout.
    fn run(&mut self, command: &Command) -> Result<Output>;

    /// Metadata; `None` where nothing exists.
    ///
    /// # Errors
    /// The path cannot be examined.
    fn stat(&mut self, path: &Path, follow: bool) -> Result<Option<Stat>>;

    /// The contents of a regular file; follows links.
    ///
    /// # Errors
    /// There is none, it cannot be read, or it is not a regular file.
    fn read(&mut self, path: &Path) -> Result<Vec<u8>>;

    /// Replaces or creates a file as a whole: a killed process leaves the old or the new file. A link at `path` is replaced.
    ///
    /// # Errors
    /// It cannot be written; the old file is unchanged.
    fn write(&mut self, path: &Path, contents: &[u8], ownership: Ownership) -> Result<()>;

    /// Hands the contents of a regular file to `each`, in pieces, until it returns `false`; follows links.
    ///
    /// # Errors
    /// There is none, it cannot be read, or it is not a regular file.
    fn stream(&mut self, path: &Path, each: &mut dyn FnMut(&[u8]) -> bool) -> Result<()> {
        each(&self.read(path)?);
        Ok(())
    }

    /// Copies the contents of a regular file as [`System::write`] writes.
    ///
    /// # Errors
    /// It cannot be read or written; the old file is unchanged.
    fn copy(&mut self, from: &Path, to: &Path, ownership: Ownership) -> Result<()> {
        let contents = self.read(from)?;
        self.write(to, &contents, ownership)
    }

    /// Writes as [`System::write`] does if `check` accepts a temporary file beside `path` that has the new contents.
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

    /// What writes since the last call could not keep of replaced files, for people: hard links, extended attributes.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Names of the entries of a directory, sorted.
    ///
    /// # Errors
    /// It is not a directory or cannot be read.
    fn list(&mut self, path: &Path) -> Result<Vec<String>>;

    /// Creates a directory whose parent exists. One that replaces a file or link does so as a whole.
    ///
    /// # Errors
    /// Something exists there that may not be replaced, or it cannot be created.
    fn create_directory(&mut self, path: &Path, ownership: Ownership) -> Result<()>;

    /// Deletes a file or link; succeeds where nothing exists.
    ///
    /// # Errors
    /// It is a directory or cannot be deleted.
    fn delete_file(&mut self, path: &Path) -> Result<()>;

    /// Deletes a directory: an empty one, or with everything in it.
    ///
    /// # Errors
    /// It cannot be deleted.
    fn delete_directory(&mut self, path: &Path, recursive: bool) -> Result<()>;

    /// Creates or replaces a symbolic link as a whole. Links have no mode.
    ///
    /// # Errors
    /// A directory is in the way and may not be replaced, or the link cannot be created.
    fn link(&mut self, path: &Path, target: &Path, ownership: Ownership) -> Result<()>;

    /// Sets permission bits; follows links.
    ///
    /// # Errors
    /// There is no file, or it is not permitted.
    fn set_mode(&mut self, path: &Path, mode: u32) -> Result<()>;

    /// Sets owner and group, those that are given, of the file or (without `follow`) of the link itself.
    ///
    /// # Errors
    /// There is no file, or it is not permitted.
    fn set_owner(&mut self, path: &Path, uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()>;

    /// The value of an environment variable.
    fn variable(&mut self, name: &str) -> Option<String>;

    /// The id of a user's name; of digits, that number.
    fn user_id(&mut self, name: &str) -> Option<u32>;

    /// The id of a group's name; of digits, that number.
    fn group_id(&mut self, name: &str) -> Option<u32>;

    /// The name of a user's id.
    fn user_name(&mut self, uid: u32) -> Option<String>;

    /// The name of a group's id.
    fn group_name(&mut self, gid: u32) -> Option<String>;

    /// The effective user id of this process.
    fn own_user_id(&mut self) -> u32;

    /// The current time.
    fn now(&mut self) -> SystemTime;
}
