//! Temporary files, which contain the bytes of a file until they are complete.
//!
//! They are in a folder `.catwalk-tmp/` beside the target, with a `.gitignore` that makes git ignore the folder. The folder is removed
//! with the last temporary file. Files of killed processes are removed by the next process that writes in that folder.
//!
//! A process locks each of its temporary files, so a file that is not locked is abandoned. Process IDs would not show that: they are
//! reused, and differ between machines. The name of a file begins with an identifier of the running system. Files of other systems (on
//! a network mount, or from before a restart), and those on file systems without locks, are removed when they have not been written
//! for an hour.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::OnceLock;
use std::sync::PoisonError;
use std::time::Duration;

use super::Step;
use super::fault;
use super::supported;

/// The name of the folder of temporary files.
pub const FOLDER: &str = ".catwalk-tmp";

/// The file in that folder that makes git ignore it.
const GIT_IGNORE: &str = ".gitignore";

/// The age at which a file that cannot be locked is considered abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// How often to try to create a file while another process removes the folder.
const TRIES: usize = 100;

/// The temporary files of this process.
#[derive(Debug, Default)]
struct Registry {
    /// Folders `.catwalk-tmp`, each with its number of files in use.
    folders: BTreeMap<PathBuf, usize>,
    files: BTreeSet<PathBuf>,
    /// Folders from which files of killed processes were removed.
    swept: BTreeSet<PathBuf>,
    /// The number of the next file.
    next: u64,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { folders: BTreeMap::new(), files: BTreeSet::new(), swept: BTreeSet::new(), next: 0 });

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file. It is removed on drop, with its folder if that is empty.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    target: PathBuf,
    folder: PathBuf,
    /// Whether the file was renamed to the target.
    renamed: bool,
}

impl Temporary {
    /// Creates a file for a target in the folder `beside`, which exists.
    pub(super) fn create(beside: &Path, target: PathBuf, mode: u32) -> io::Result<(Temporary, File)> {
        let folder = beside.join(FOLDER);
        let mut registry = registry();
        if registry.swept.insert(folder.clone()) {
            remove_abandoned(&folder, &registry);
        }
        for _ in 0..TRIES {
            if registry.folders.get(&folder).is_none_or(|files| *files == 0) {
                make(&folder)?;
            }
            registry.next += 1;
            let path = folder.join(format!("{}-{}-{}", system(), std::process::id(), registry.next));
            let file = match fault(Step::Create).and_then(|()| create(&path, mode)) {
                Ok(file) => file,
                // A process with the same ID in another container has created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                // Another process has just removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    make(&folder)?;
                    continue;
                }
                Err(error) => {
                    leave(&folder, &registry);
                    return Err(error);
                }
            };
            if !claim(&file) {
                continue;
            }
            *registry.folders.entry(folder.clone()).or_default() += 1;
            registry.files.insert(path.clone());
            return Ok((Temporary { path, target, folder, renamed: false }, file));
        }
        Err(io::Error::other(format!("other processes keep removing {}", folder.display())))
    }

    /// Renames the file to its target.
    #[allow(clippy::disallowed_methods, reason = "this module writes")]
    pub(super) fn rename(&mut self) -> io::Result<()> {
        fault(Step::Rename)?;
        std::fs::rename(&self.path, &self.target)?;
        self.renamed = true;
        Ok(())
    }

    /// Syncs the folder of the target, so that the new name survives a power failure.
    #[allow(clippy::disallowed_methods, reason = "this module writes")]
    pub(super) fn sync_folder(&self) -> io::Result<()> {
        fault(Step::SyncFolder)?;
        let beside = self.folder.parent().filter(|beside| !beside.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The folder is writable but not readable, or the system cannot open folders.
        File::open(beside).map_or(Ok(()), |folder| supported(folder.sync_all()))
    }
}

impl Drop for Temporary {
    #[allow(clippy::disallowed_methods, reason = "this module writes")]
    fn drop(&mut self) {
        let mut registry = registry();
        if !self.renamed {
            let _ = std::fs::remove_file(&self.path);
        }
        registry.files.remove(&self.path);
        if let Some(files) = registry.folders.get_mut(&self.folder) {
            *files = files.saturating_sub(1);
        }
        leave(&self.folder, &registry);
    }
}

/// Creates the folder of temporary files with its `.gitignore`.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn make(folder: &Path) -> io::Result<()> {
    fault(Step::TemporaryFolder)?;
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    if !std::fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()) {
        return Err(io::Error::other(format!("{} must be a directory", folder.display())));
    }
    ignore_in_git(folder);
    Ok(())
}

/// Removes the folder of temporary files if neither this nor another process uses it.
fn leave(folder: &Path, registry: &Registry) {
    // Creating and removing the folder for each of many files takes as long as writing them.
    if !super::batch::is_running() {
        remove(folder, registry);
    }
}

/// As [`leave`], but also while a batch has more files to write.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn remove(folder: &Path, registry: &Registry) {
    if registry.folders.get(folder).is_some_and(|files| *files > 0) {
        return;
    }
    let others =
        std::fs::read_dir(folder).map(|entries| entries.flatten().any(|entry| entry.file_name() != GIT_IGNORE));
    // A folder that cannot be listed, since no file descriptor is free, is removed if it is empty.
    if !others.unwrap_or(false) && std::fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()) {
        let _ = std::fs::remove_file(folder.join(GIT_IGNORE));
        if std::fs::remove_dir(folder).is_err() {
            ignore_in_git(folder);
        }
    }
}

/// Removes the folders of temporary files at the end of a batch.
pub(super) fn leave_all() {
    let registry = registry();
    registry.folders.keys().for_each(|folder| leave(folder, &registry));
}

/// Makes git ignore the folder. Only creates a new file, since an existing one may be a link. If this fails, git shows the folder.
fn ignore_in_git(folder: &Path) {
    if let Ok(mut file) = create(&folder.join(GIT_IGNORE), 0o666) {
        let _ = io::Write::write_all(&mut file, b"*\n");
    }
}

#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn create(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

/// The result of trying to lock a file.
enum Lock {
    Taken,
    /// Another process holds the lock.
    Held,
    /// The file system has no locks.
    Unknown,
}

#[cfg(unix)]
fn lock(file: &File) -> Lock {
    match rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Lock::Taken,
        Err(rustix::io::Errno::WOULDBLOCK) => Lock::Held,
        Err(_) => Lock::Unknown,
    }
}

#[cfg(not(unix))]
fn lock(_: &File) -> Lock {
    Lock::Unknown
}

/// Locks a file that was just created. Returns `false` if another process has locked or removed it as abandoned meanwhile; on a file
/// system without locks, the file stays unlocked.
fn claim(file: &File) -> bool {
    !matches!(lock(file), Lock::Held) && is_linked(file)
}

#[cfg(unix)]
fn is_linked(file: &File) -> bool {
    file.metadata().is_ok_and(|meta| std::os::unix::fs::MetadataExt::nlink(&meta) > 0)
}

#[cfg(not(unix))]
fn is_linked(_: &File) -> bool {
    true
}

/// Identifies this running system: eight hexadecimal digits.
pub(super) fn system() -> &'static str {
    static SYSTEM: OnceLock<String> = OnceLock::new();
    SYSTEM.get_or_init(|| {
        // The FNV-1a hash: it only needs to differ between systems.
        let hash =
            identity().iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
        format!("{hash:08x}")
    })
}

/// Linux's boot ID, which all containers of a machine share, as they share its locks; on other systems the host name.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn identity() -> Vec<u8> {
    #[cfg(unix)]
    let name = || rustix::system::uname().nodename().to_bytes().to_vec();
    #[cfg(not(unix))]
    let name = Vec::new;
    std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_else(|_| name())
}

/// Removes the temporary files of killed processes beside files that this process may write.
pub fn sweep(beside: &Path) {
    let folder = beside.join(FOLDER);
    let mut registry = registry();
    if registry.swept.insert(folder.clone()) {
        remove_abandoned(&folder, &registry);
        leave(&folder, &registry);
    }
}

#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn remove_abandoned(folder: &Path, registry: &Registry) {
    if !std::fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()) {
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().to_str().is_some_and(is_temporary) && !registry.files.contains(&path);
        if is_ours
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && let Some(_locked) = abandoned(&path)
        {
            // If it cannot be removed, the next process tries again.
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// Whether a name is one that [`Temporary::create`] makes: `1a2b3c4d-PID-NUMBER`.
fn is_temporary(name: &str) -> bool {
    let mut parts = name.split('-');
    let (Some(system), Some(process), Some(number), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    system.len() == 8 && system.bytes().all(|byte| byte.is_ascii_hexdigit()) && digits(process) && digits(number)
}

/// Opens and locks a file that no running process uses. While it is open, no process can claim it.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
fn abandoned(path: &Path) -> Option<File> {
    let of_this_system = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(system()));
    let file = File::open(path).ok()?;
    let is_abandoned = match lock(&file) {
        Lock::Held => false,
        Lock::Taken if of_this_system => true,
        Lock::Taken | Lock::Unknown => {
            let written = file.metadata().and_then(|meta| meta.modified());
            written.is_ok_and(|written| written.elapsed().is_ok_and(|age| age > ABANDONED))
        }
    };
    is_abandoned.then_some(file)
}

/// Removes all temporary files of this process, which is about to end. Threads that try to create a temporary file block until then.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
pub fn abandon() {
    let mut registry = registry();
    let files = std::mem::take(&mut registry.files);
    for path in &files {
        let _ = std::fs::remove_file(path);
    }
    let folders = std::mem::take(&mut registry.folders);
    for folder in folders.keys() {
        remove(folder, &registry);
    }
    std::mem::forget(registry);
}

/// As [`Temporary::create`], for tests: a file in use that is not in this process's registry.
#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests")]
pub(super) fn create_unregistered(beside: &Path, target: &Path) -> (PathBuf, (Temporary, File)) {
    let (temporary, file) = Temporary::create(beside, target.to_path_buf(), 0o600).unwrap();
    let mut registry = registry();
    registry.swept.remove(&temporary.folder);
    registry.files.remove(&temporary.path);
    (temporary.path.clone(), (temporary, file))
}
