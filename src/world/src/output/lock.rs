//! Locks between processes.
//!
//! In: the path of a file that is used only for the lock. Out: the lock, which is released at the latest when the process ends. Must
//! not: remove the file, since another process may wait for it.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

/// How long to wait before the next attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// A lock, released on drop.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Acquires a lock; waits for other processes up to `patience`, then returns `None`. On file systems without locks every process
/// gets the lock.
///
/// # Errors
///
/// The file cannot be created or opened.
#[allow(clippy::disallowed_methods, reason = "this module writes")]
pub fn lock(path: &Path, patience: Duration) -> io::Result<Option<Lock>> {
    if let Some(parent) = path.parent() {
        super::folder(parent)?;
    }
    let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    let mut left = patience;
    while is_held(&file) {
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(PAUSE.min(left));
        left = left.saturating_sub(PAUSE);
    }
    Ok(Some(Lock { _file: file }))
}

/// Tries to acquire the lock; returns whether another process holds it.
#[cfg(unix)]
fn is_held(file: &File) -> bool {
    let taken = rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
    matches!(taken, Err(rustix::io::Errno::WOULDBLOCK))
}

#[cfg(not(unix))]
fn is_held(_: &File) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn only_one_process_holds_a_lock() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("queue/.lock");
        let first = lock(&path, Duration::ZERO).unwrap();
        assert!(first.is_some());
        assert!(lock(&path, Duration::from_millis(60)).unwrap().is_none());
        drop(first);
        assert!(lock(&path, Duration::ZERO).unwrap().is_some());
    }
}
