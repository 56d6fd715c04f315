//! Writes every file that Catwalk writes: each is replaced as a whole or stays as it was.
//!
//! In: a path, a [`Kind`], bytes. Out: the file. Must not: depend on the contents, print.
//!
//! | kind | files | permissions | devices and pipes |
//! |---|---|---|---|
//! | [`Kind::Snapshot`] | `NAME.snap` and `NAME.snap.new` in the site's folder of snapshots | ordinary | refused |
//! | [`Kind::Report`] | `--junit`, `--markdown`, `--lcov`, `facts bundle -o` | ordinary | written directly |
//! | [`Kind::Catalog`] | `compile -o FILE`, `catalog convert -o FILE` | owner only | written directly |
//! | [`Kind::RunReport`] | `apply --report FILE`, `apply --plan FILE` | owner only | written directly |
//! | [`Kind::NodeCatalog`] | `CERTNAME.json` in the folder of `compile -o DIR` or `output` in `catwalk.toml` | owner only | refused |
//! | [`Kind::Tape`] | files in the folder of `--record DIR` | owner only | refused |
//! | [`Kind::Key`] | keys that Catwalk generates | owner only | refused |
//! | [`Kind::NodeFacts`] | `CERTNAME.json` that `facts import` writes | ordinary | refused |
//! | [`Kind::Certificate`] | certificates, requests, CRLs and lists of a certificate authority | ordinary | refused |
//! | [`Kind::Command`] | commands in a queue for PuppetDB | owner only | refused |
//! | [`Kind::NodeReport`] | `CERTNAME/TIME.json` in the folder of `serve --reports` | owner only | refused |
//! | [`Kind::BucketFile`] | `contents` and `paths` in the folder of `serve --bucket` | owner only | refused |
//! | [`Kind::State`] | `catwalk-state.json` in `apply --statedir` | owner only | refused |
//! | [`Kind::Document`] | files of `init`, `new`, `convert`, `man`; data files of `eyaml` | ordinary | refused |
//!
//! A file that the user named is written with [`write`] or [`Output`]. All other files are in a [`Directory`], which is opened for a
//! [`Purpose`]: it is either *private* (Catwalk's state: nobody else's files may be in it) or *mixed* (the user's, in which Catwalk touches
//! only the files that it names). A [`Place`] says which part of a path the user named; only there symbolic links are followed.
//!
//! Two files are written differently: the marker of a private directory in place, since it is also a lock; and the line editor of `eval` appends to its history (`~/.local/state/catwalk/history`).
//!
//! Ordinary permissions of a new file are 0666 without the bits of the process's umask. *Owner only* is 0600: such a file may hold
//! secrets. An existing file keeps its permissions, except that a world-readable or world-writable file that may hold secrets is
//! restricted to its owner.
//!
//! The bytes go to a file in `.catwalk-tmp/` beside the target, which is then renamed: see `temporary`. A link in place of a file in a
//! directory is replaced, so that a repository cannot direct a write to a file elsewhere.

pub mod batch;
mod contents;
mod directory;
mod directory_error;
mod folder;
mod lock;
mod marker;
mod place;
mod state;
mod status;
mod temporary;
mod walk;

use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

pub use self::contents::Contents;
pub use self::contents::Marker;
pub use self::contents::Purpose;
pub use self::directory::Directory;
pub use self::directory::Entry;
pub use self::directory_error::DirectoryError;
pub use self::lock::Lock;
pub use self::marker::MachineKey;
pub use self::place::Place;
pub use self::state::STATE;
pub use self::state::state_directory;
pub use self::status::FileKind;
pub use self::temporary::FOLDER;
pub use self::temporary::abandon;
pub use self::walk::is_unlinked;
pub use self::walk::unlinked_path;

use self::folder::Folder;
use self::status::Status;
use self::temporary::Temporary;

/// Symbolic links in a row that are followed.
const MAX_LINKS: usize = 40;

/// The purpose of a file; determines its permissions and which kinds of existing files it may replace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A snapshot, accepted or proposed.
    Snapshot,
    /// A report or other output for a file that the user named.
    Report,
    /// A catalog for a file that the user named.
    Catalog,
    /// A report or plan of a run, with values of the machine, for a file that the user named.
    RunReport,
    /// A catalog in a folder of catalogs.
    NodeCatalog,
    /// Recorded answers.
    Tape,
    /// A key.
    Key,
    /// A certificate, or a list of them.
    Certificate,
    /// A command for PuppetDB in a queue.
    Command,
    /// The report of a node that a server received.
    NodeReport,
    /// A file that an agent keeps in the file bucket of a server.
    BucketFile,
    /// The state of `apply` between runs.
    State,
    /// A file of a new site, a converted test, a manual page.
    Document,
    /// Facts of a node in a folder of nodes.
    NodeFacts,
}

impl Kind {
    /// Whether the file may hold secrets, so that only its owner may read it.
    #[must_use]
    pub fn is_private(self) -> bool {
        match self {
            Kind::Catalog | Kind::NodeCatalog | Kind::RunReport | Kind::State => true,
            Kind::Tape | Kind::Key | Kind::Command | Kind::NodeReport | Kind::BucketFile => true,
            Kind::Snapshot | Kind::Report | Kind::Certificate | Kind::Document | Kind::NodeFacts => false,
        }
    }

    /// Whether the user named the file itself: links are followed, devices and pipes are written to.
    #[must_use]
    pub fn is_named(self) -> bool {
        matches!(self, Kind::Report | Kind::Catalog | Kind::RunReport)
    }

    /// Whether the bytes are synced to the disk before the file is renamed, so that a power failure leaves the old or the new file. Not
    /// for catalogs in a folder: they are many, and the next compile writes them again.
    #[must_use]
    pub(crate) fn is_durable(self) -> bool {
        self != Kind::NodeCatalog
    }

    /// Permissions of a file that is new, before the umask.
    fn new_mode(self) -> u32 {
        if self.is_private() { 0o600 } else { 0o666 }
    }

    /// Permissions of a file that replaces one with these permissions.
    fn kept_mode(self, mode: u32) -> u32 {
        let mode = mode & 0o777;
        if self.is_private() && mode & 0o007 != 0 { 0o600 } else { mode }
    }
}

/// A file that is being written. If it is dropped without [`Output::commit`], the target stays unchanged.
#[derive(Debug)]
pub struct Output {
    file: File,
    /// The temporary file; `None` if the target is a device or pipe.
    temporary: Option<Temporary>,
    kind: Kind,
}

/// Writes a file that the user named as a whole.
///
/// # Errors
///
/// The file cannot be written and is unchanged; or it was replaced, but its folder could not be synced to the disk.
pub fn write(place: &Place, kind: Kind, bytes: &[u8]) -> io::Result<()> {
    let mut output = Output::open(place, kind)?;
    output.write_all(bytes)?;
    output.commit()
}

/// Creates a directory that the user named, with all its parents.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn create_named(path: &Path) -> io::Result<()> {
    fault(Step::Folder)?;
    std::fs::create_dir_all(path)
}

impl Output {
    /// Begins to write a file that the user named. Creates its folder if it is missing. Links are followed in the named part of the path.
    ///
    /// # Errors
    /// The folder or the temporary file cannot be created, a device or pipe cannot be opened, or `kind` does not permit this target.
    pub fn open(place: &Place, kind: Kind) -> io::Result<Output> {
        if !place.is_named() {
            let (folder, name) = walk::parent(place)?;
            return Output::in_folder(&folder, name, kind);
        }
        match resolve(place.base(), kind)? {
            Target::Direct(path, append) => Ok(Output { file: open_directly(&path, append)?, temporary: None, kind }),
            Target::File(target) => {
                let name = target.file_name().ok_or(io::ErrorKind::IsADirectory)?;
                let beside = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
                create_named(beside)?;
                Output::in_folder(&Arc::new(Folder::open(beside)?), name.to_owned(), kind)
            }
        }
    }

    /// Begins to write a file in an open folder. A link is replaced.
    fn in_folder(folder: &Arc<Folder>, name: OsString, kind: Kind) -> io::Result<Output> {
        let existing = existing(folder, &name)?;
        let mode = if existing.is_some() { 0o600 } else { kind.new_mode() };
        let (temporary, file) = Temporary::create(folder, name, mode)?;
        if let Some(existing) = existing {
            keep_permissions(&file, &existing, kind)?;
        }
        Ok(Output { file, temporary: Some(temporary), kind })
    }

    /// Syncs the temporary file and renames it to the target.
    ///
    /// # Errors
    /// The file cannot be synced or renamed, and the target is unchanged; or it was renamed, but its folder could not be synced.
    pub fn commit(mut self) -> io::Result<()> {
        let Some(mut temporary) = self.temporary.take() else { return self.file.flush() };
        if self.kind.is_durable() {
            fault(Step::Sync)?;
            supported(self.file.sync_all())?;
        }
        temporary.rename()?;
        if self.kind.is_durable() { temporary.sync_folder() } else { Ok(()) }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        fault(Step::Write)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The destination of the bytes.
enum Target {
    /// A device or pipe; `true`: an open file of this process (`/dev/stdout`), which is appended to.
    Direct(PathBuf, bool),
    /// A regular file, existing or not.
    File(PathBuf),
}

/// Follows links as far as the kind allows.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn resolve(path: &Path, kind: Kind) -> io::Result<Target> {
    if !kind.is_named() {
        return Ok(Target::File(path.to_path_buf()));
    }
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        return Ok(Target::Direct(path.to_path_buf(), false));
    }
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        // Files that this process has open cannot be replaced by a rename.
        if target.starts_with("/proc") || target.starts_with("/dev/fd") {
            return Ok(Target::Direct(target, true));
        }
        let Ok(next) = std::fs::read_link(&target) else { return Ok(Target::File(target)) };
        target = target.parent().map_or_else(|| next.clone(), |parent| parent.join(&next));
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The status of the file to replace; `None` for a link, since the link itself is replaced.
fn existing(folder: &Folder, name: &OsStr) -> io::Result<Option<Status>> {
    let Some(found) = folder.status(name)? else { return Ok(None) };
    match found.kind {
        FileKind::File => Ok(Some(found)),
        FileKind::Link => Ok(None),
        FileKind::Directory => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        FileKind::Other => Err(io::Error::other("it is not a regular file")),
    }
}

#[cfg(unix)]
fn keep_permissions(file: &File, existing: &Status, kind: Kind) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::fs::PermissionsExt;
    fault(Step::Permissions)?;
    let created = file.metadata()?;
    let mut mode = kind.kept_mode(existing.mode);
    // When root replaces a file of another user, the owner stays.
    if created.uid() != existing.owner {
        let _ = std::os::unix::fs::fchown(file, Some(existing.owner), None);
    }
    if created.gid() != existing.group && std::os::unix::fs::fchown(file, None, Some(existing.group)).is_err() {
        // The group has changed, so the group gets no permissions.
        mode &= !0o070;
    }
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

/// Does nothing: other systems have different permissions.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "fails on Unix")]
fn keep_permissions(_: &File, _: &Status, _: Kind) -> io::Result<()> {
    Ok(())
}

/// How long to wait for the reader of a pipe.
#[cfg(unix)]
const READER: std::time::Duration = std::time::Duration::from_secs(10);

/// Opens a device or pipe. Fails if no process opens the pipe for reading in time.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn open_directly(path: &Path, append: bool) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let started = std::time::Instant::now();
    loop {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).append(append).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
        match options.open(path) {
            Ok(file) => {
                rustix::io::ioctl_fionbio(&file, false)?;
                return Ok(file);
            }
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) && started.elapsed() < READER => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
                return Err(io::Error::other("nothing reads from this pipe"));
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(not(unix))]
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn open_directly(path: &Path, append: bool) -> io::Result<File> {
    std::fs::OpenOptions::new().write(true).append(append).open(path)
}

/// Ignores the errors of operations that the file system does not support.
fn supported(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        done => done,
    }
}

/// The steps of writing a file; tests make each step fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Folder,
    TemporaryFolder,
    Create,
    Permissions,
    Write,
    Sync,
    Rename,
    SyncFolder,
    Remove,
}

#[cfg(not(test))]
#[allow(clippy::unnecessary_wraps, reason = "tests return errors")]
#[inline]
fn fault(_: Step) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
fn fault(step: Step) -> io::Result<()> {
    tests::fault(step)
}

#[cfg(test)]
mod tests;
