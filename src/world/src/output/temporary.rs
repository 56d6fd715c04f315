//! Temporary files, which contain the bytes of a file until they are complete.
//!
//! They are in a folder `.catwalk-tmp/` beside the target, with a `.gitignore` that makes git ignore the folder. The folder is removed
//! with the last temporary file. Files of killed processes are removed by the next process that writes in that folder.
//!
//! A process locks each of its temporary files, so a file that is not locked is abandoned. Process IDs would not show that: they are
//! reused, and differ between machines. The name of a file begins with an identifier of the running system. Files of other systems (on
//! a network mount, or from before a restart), and those on file systems without locks, are removed when they have not been written
//! for an hour.

use parking_lot::Mutex;
use parking_lot::MutexGuard;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::io::Read;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

use super::Step;
use super::fault;
use super::folder::Folder;
use super::status::FileKind;
use super::supported;

/// The name of the folder of temporary files.
pub const FOLDER: &str = ".catwalk-tmp";

/// The file in that folder that makes git ignore it.
pub(super) const GIT_IGNORE: &str = ".gitignore";

/// Its contents.
pub(super) const IGNORE_ALL: &[u8] = b"*\n";

/// Errors of opening a file while too many are open: `ENFILE`, `EMFILE`.
const OUT_OF_DESCRIPTORS: [i32; 2] = [23, 24];

/// The age at which a file that cannot be locked is considered abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// How often to try to create a file while another process removes the folder.
const TRIES: usize = 100;

/// The temporary files of one directory.
#[derive(Debug)]
struct Use {
    /// The directory of the targets.
    beside: Arc<Folder>,
    /// The directory `.catwalk-tmp` in it.
    folder: Arc<Folder>,
    /// The number of files in use.
    files: usize,
}

/// The temporary files of this process.
#[derive(Debug, Default)]
struct Registry {
    /// By the paths of folders `.catwalk-tmp`.
    folders: BTreeMap<PathBuf, Use>,
    files: BTreeMap<PathBuf, Arc<Folder>>,
    /// Folders from which files of killed processes were removed.
    swept: BTreeSet<PathBuf>,
    /// The number of the next file.
    next: u64,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { folders: BTreeMap::new(), files: BTreeMap::new(), swept: BTreeSet::new(), next: 0 });

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock()
}

/// A temporary file. It is removed on drop, with its folder if that is empty.
#[derive(Debug)]
pub(super) struct Temporary {
    name: OsString,
    target: OsString,
    beside: Arc<Folder>,
    folder: Arc<Folder>,
    /// Whether the file was renamed to the target.
    renamed: bool,
}

impl Temporary {
    /// Creates a file for a target in the folder `beside`.
    pub(super) fn create(beside: &Arc<Folder>, target: OsString, mode: u32) -> io::Result<(Temporary, File)> {
        let path = beside.path().join(FOLDER);
        let mut registry = registry();
        if registry.swept.insert(path.clone()) {
            remove_abandoned(beside, &registry);
        }
        let mut folder = registry.folders.get(&path).map(|shared| shared.folder.clone());
        for _ in 0..TRIES {
            let current = match folder.take() {
                Some(folder) => folder,
                None => match make(beside)? {
                    Some(made) => Arc::new(made),
                    None => continue,
                },
            };
            registry.next += 1;
            let name = OsString::from(format!("{}-{}-{}", system(), std::process::id(), registry.next));
            let file = match fault(Step::Create).and_then(|()| current.create_file(&name, mode)) {
                Ok(file) => file,
                // A process with the same ID in another container has created it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    folder = Some(current);
                    continue;
                }
                // Another process has just removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    if registry.folders.get(&path).is_none_or(|shared| shared.files == 0) {
                        remove_if_unused(beside, &current);
                    }
                    return Err(error);
                }
            };
            if !claim(&file) {
                folder = Some(current);
                continue;
            }
            let shared = Use { beside: beside.clone(), folder: current.clone(), files: 0 };
            let entry = registry.folders.entry(path.clone()).or_insert(shared);
            entry.folder = current.clone();
            entry.files += 1;
            registry.files.insert(path.join(&name), current.clone());
            return Ok((Temporary { name, target, beside: beside.clone(), folder: current, renamed: false }, file));
        }
        Err(io::Error::other(format!("other processes keep removing {}", path.display())))
    }

    /// Renames the file to its target.
    pub(super) fn rename(&mut self) -> io::Result<()> {
        fault(Step::Rename)?;
        self.folder.rename(&self.name, &self.beside, &self.target)?;
        self.renamed = true;
        Ok(())
    }

    /// Syncs the folder of the target, so that the new name survives a power failure.
    pub(super) fn sync_folder(&self) -> io::Result<()> {
        fault(Step::SyncFolder)?;
        supported(self.beside.sync())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut registry = registry();
        if !self.renamed {
            let _ = self.folder.remove_file(&self.name);
        }
        registry.files.remove(&self.folder.path().join(&self.name));
        let path = self.folder.path();
        if let Some(shared) = registry.folders.get_mut(path) {
            shared.files = shared.files.saturating_sub(1);
        }
        // Creating and removing the folder for each of many files takes as long as writing them.
        if !super::batch::is_running() {
            leave(path, &mut registry);
        }
    }
}

/// Creates the folder of temporary files with its `.gitignore`. `None`: another process has removed it before it could be entered.
fn make(beside: &Folder) -> io::Result<Option<Folder>> {
    fault(Step::TemporaryFolder)?;
    match beside.create_folder(OsStr::new(FOLDER), 0o777) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    match beside.enter(OsStr::new(FOLDER)) {
        Ok(folder) => {
            ignore_in_git(&folder);
            Ok(Some(folder))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            // Too many files are open: it stays if it is not empty.
            let _ = beside.remove_folder(OsStr::new(FOLDER));
            match beside.status(OsStr::new(FOLDER)) {
                Ok(Some(found)) if found.kind != FileKind::Directory => {
                    let path = beside.path().join(FOLDER);
                    Err(io::Error::other(format!("{} must be a directory", path.display())))
                }
                _ => Err(error),
            }
        }
    }
}

/// Removes a folder of temporary files, unless this or another process uses it.
fn leave(path: &Path, registry: &mut Registry) {
    if registry.folders.get(path).is_some_and(|shared| shared.files == 0)
        && let Some(shared) = registry.folders.remove(path)
    {
        remove_if_unused(&shared.beside, &shared.folder);
    }
}

/// Removes a folder of temporary files if it contains nothing but Catwalk's `.gitignore`.
fn remove_if_unused(beside: &Folder, folder: &Folder) {
    let others = folder.list().map(|entries| entries.iter().any(|(name, _)| name != GIT_IGNORE));
    // A folder that cannot be listed, since no file descriptor is free, is removed if it is empty.
    if !others.unwrap_or(false) {
        if is_own_git_ignore(folder) {
            let _ = folder.remove_file(OsStr::new(GIT_IGNORE));
        }
        if beside.remove_folder(OsStr::new(FOLDER)).is_err() {
            ignore_in_git(folder);
        }
    }
}

/// Whether `.gitignore` has the contents that Catwalk writes, or their beginning; also if no file descriptor is free to read it.
fn is_own_git_ignore(folder: &Folder) -> bool {
    let mut text = Vec::new();
    let limit = IGNORE_ALL.len() as u64 + 1;
    match folder.open_file(OsStr::new(GIT_IGNORE)) {
        Ok(file) => file.take(limit).read_to_end(&mut text).is_ok() && IGNORE_ALL.starts_with(&text),
        Err(error) => error.raw_os_error().is_some_and(|code| OUT_OF_DESCRIPTORS.contains(&code)),
    }
}

/// Removes the folders of temporary files at the end of a batch.
pub(super) fn leave_all() {
    let mut registry = registry();
    let paths: Vec<PathBuf> = registry.folders.keys().cloned().collect();
    if !super::batch::is_running() {
        paths.iter().for_each(|path| leave(path, &mut registry));
    }
}

/// Makes git ignore the folder. Only creates a new file, since an existing one may be a link. If this fails, git shows the folder.
fn ignore_in_git(folder: &Folder) {
    if let Ok(mut file) = folder.create_file(OsStr::new(GIT_IGNORE), 0o666) {
        let _ = io::Write::write_all(&mut file, IGNORE_ALL);
    }
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
pub(super) fn sweep(beside: &Folder) {
    let mut registry = registry();
    if registry.swept.insert(beside.path().join(FOLDER)) {
        remove_abandoned(beside, &registry);
        if !registry.folders.contains_key(&beside.path().join(FOLDER))
            && let Ok(folder) = beside.enter(OsStr::new(FOLDER))
        {
            remove_if_unused(beside, &folder);
        }
    }
}

fn remove_abandoned(beside: &Folder, registry: &Registry) {
    let Ok(folder) = beside.enter(OsStr::new(FOLDER)) else { return };
    for (name, kind) in folder.list().unwrap_or_default() {
        let path = folder.path().join(&name);
        let is_ours = name.to_str().is_some_and(is_temporary) && !registry.files.contains_key(&path);
        if is_ours
            && kind == FileKind::File
            && let Some(_locked) = abandoned(&folder, &name)
        {
            // If it cannot be removed, the next process tries again.
            let _ = folder.remove_file(&name);
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
fn abandoned(folder: &Folder, name: &OsStr) -> Option<File> {
    let of_this_system = name.to_str().is_some_and(|name| name.starts_with(system()));
    let file = folder.open_file(name).ok()?;
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
pub fn abandon() {
    let mut registry = registry();
    for (path, folder) in std::mem::take(&mut registry.files) {
        let _ = path.file_name().map(|name| folder.remove_file(name));
    }
    for shared in std::mem::take(&mut registry.folders).into_values() {
        remove_if_unused(&shared.beside, &shared.folder);
    }
    std::mem::forget(registry);
}

/// As [`Temporary::create`], for tests: a file in use that is not in this process's registry.
#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests")]
pub(super) fn create_unregistered(beside: &Path, target: &str) -> (PathBuf, (Temporary, File)) {
    let (temporary, file) =
        Temporary::create(&Arc::new(Folder::open(beside).unwrap()), OsString::from(target), 0o600).unwrap();
    let path = temporary.folder.path().join(&temporary.name);
    let mut registry = registry();
    registry.swept.remove(temporary.folder.path());
    registry.files.remove(&path);
    registry.folders.remove(temporary.folder.path());
    (path, (temporary, file))
}
