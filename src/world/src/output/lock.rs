//! Locks between processes.
//!
//! In: an open file that is used only for the lock. Out: the lock, which is released at the latest when the process ends. Must not:
//! remove the file, since another process may wait for it.

use std::fs::File;
use std::time::Duration;

/// How long to wait before the next attempt.
const PAUSE: Duration = Duration::from_millis(50);

/// A lock, released on drop.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Acquires a lock on an open file; waits for other processes up to `patience`, then returns `None`. On file systems without locks every
/// process gets the lock.
pub(super) fn acquire(file: File, patience: Duration) -> Option<Lock> {
    let mut left = patience;
    while is_held(&file) {
        if left.is_zero() {
            return None;
        }
        std::thread::sleep(PAUSE.min(left));
        left = left.saturating_sub(PAUSE);
    }
    Some(Lock { _file: file })
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
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;

    #[test]
    fn only_one_process_holds_a_lock() {
        let dir = tempfile::TempDir::new().unwrap();
        let open = || File::options().create(true).append(true).open(dir.path().join(".lock")).unwrap();
        let first = acquire(open(), Duration::ZERO);
        assert!(first.is_some());
        assert!(acquire(open(), Duration::from_millis(60)).is_none());
        drop(first);
        assert!(acquire(open(), Duration::ZERO).is_some());
    }
}
