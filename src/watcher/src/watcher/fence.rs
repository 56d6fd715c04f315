//! Waits for the events of all changes up to now, for callers that must not miss an edit.
//!
//! The system reports changes in order, but with a delay. A fence is a file that is created in a separate watched directory: when the event
//! of its creation arrives, the events of all earlier changes have arrived.

use std::path::Path;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use super::Hint;
use super::Watcher;
use catwalk_session::Changes;
use catwalk_world::output::Contents;
use catwalk_world::output::Directory;
use catwalk_world::output::Place;
use catwalk_world::output::Purpose;

/// Directories of fences.
static FENCES: Purpose =
    Purpose { name: "fences", description: "files of the watcher", option: "TMPDIR", contents: Contents::Mixed };

/// The time limit for the event of a fence; without the event, all files are checked.
const PATIENCE: Duration = Duration::from_secs(1);

/// The directory of a watcher's fences.
#[derive(Debug)]
pub struct Fence {
    directory: Directory,
    folder: PathBuf,
    count: u64,
}

impl Fence {
    /// Creates fences in `folder`, which is created and must not be shared with other watchers.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub fn new(folder: PathBuf) -> std::io::Result<Fence> {
        let directory = Directory::open(&Place::named(&folder), &FENCES)?;
        Ok(Fence { directory, folder, count: 0 })
    }

    /// The directory, which must be watched.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates the next file and removes it. Returns its path.
    fn raise(&mut self) -> std::io::Result<PathBuf> {
        self.count += 1;
        let name = self.count.to_string();
        self.directory.touch(&name)?;
        Ok(self.folder.join(name))
    }
}

impl Watcher {
    /// Whether watches must be set again: a directory was replaced, or could not be watched.
    pub fn is_outdated(&mut self) -> bool {
        !self.polls() && (self.is_incomplete || self.is_outdated_by_moves())
    }

    /// All changes until now. For a polling watcher, every file may have changed.
    pub fn until_now(&mut self, fence: &mut Fence) -> Changes {
        let everything = || Changes { rescan: true, ..Changes::default() };
        if self.polls() {
            return everything();
        }
        let Ok(raised) = fence.raise() else { return everything() };
        let mut changes = std::mem::take(&mut self.pending);
        self.unfinished.clear();
        self.writing.clear();
        let started = Instant::now();
        loop {
            match self.receive(Some(PATIENCE.saturating_sub(started.elapsed()))) {
                Ok(Hint::Event(Ok(event))) if event.paths.iter().any(|path| path.starts_with(&fence.folder)) => {
                    if event.paths.contains(&raised) {
                        return changes;
                    }
                }
                Ok(Hint::Event(event)) => self.add_event(event, &mut changes),
                Ok(Hint::Wake) => {}
                Err(mpsc::RecvTimeoutError::Timeout | mpsc::RecvTimeoutError::Disconnected) => return everything(),
            }
        }
    }

    /// Adds further changes until files are complete, as [`Watcher::next_batch`] does.
    pub fn until_quiet(&mut self, changes: Changes) -> Changes {
        if self.polls() || changes.rescan {
            return changes;
        }
        self.pending = changes;
        self.next_batch(None).unwrap_or_else(|| Changes { rescan: true, ..Changes::default() })
    }
}
