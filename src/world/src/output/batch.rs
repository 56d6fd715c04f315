//! Counts the files that a command has written, to report its progress when it is interrupted.

use parking_lot::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

/// The end of the message, such as "catalogs were written", and the total number of files.
static CURRENT: Mutex<Option<(&'static str, usize)>> = Mutex::new(None);
static DONE: AtomicUsize = AtomicUsize::new(0);

/// The files that one command is writing. After it is dropped, no files are being written.
#[derive(Debug)]
pub struct Batch(());

impl Batch {
    /// Begins to write `total` files; `description` completes "12 of 300 …", such as "catalogs were written".
    #[must_use]
    pub fn begin(description: &'static str, total: usize) -> Batch {
        *CURRENT.lock() = Some((description, total));
        DONE.store(0, Ordering::Relaxed);
        Batch(())
    }

    /// Counts a file that is complete.
    pub fn count(&self) {
        DONE.fetch_add(1, Ordering::Relaxed);
    }

    /// Files that are complete.
    #[must_use]
    pub fn done(&self) -> usize {
        DONE.load(Ordering::Relaxed)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        *CURRENT.lock() = None;
        super::temporary::leave_all();
    }
}

/// Whether a batch is being written: its folders of temporary files are removed only after the last file.
pub(super) fn is_running() -> bool {
    CURRENT.lock().is_some()
}

/// The progress of the current batch: "12 of 300 catalogs were written".
#[must_use]
pub fn progress() -> Option<String> {
    let (description, total) = (*CURRENT.lock())?;
    Some(format!("{} of {total} {description}", DONE.load(Ordering::Relaxed)))
}
