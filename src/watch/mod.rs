//! Changes on disk as batches of paths.
//!
//! In: the paths that compiles touched. Out: [`Changes`], batched. Must not: know what the paths mean, decide what to
//! recompile. Events are only hints that a path may have changed.
//!
//! Directories are watched, not files: editors replace files, which drops a watch on a file; and a file that was looked for
//! and is not there is seen when it appears in its directory. Only directories that some compile touched are watched, so
//! build output below the site costs nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use notify::Event;
use notify::EventKind;
use notify::RecursiveMode;
use notify::event::MetadataKind;
use notify::event::ModifyKind;

use crate::diag::Code;
use crate::diag::Reason;
use crate::session::Changes;
use crate::world::Kind;
use crate::world::World;

/// A batch ends when nothing happened for this long.
const QUIET: Duration = Duration::from_millis(12);
/// A batch ends after this time even if events keep coming.
const STARVATION: Duration = Duration::from_millis(500);

/// Watches directories.
pub struct Watcher {
    inner: Box<dyn notify::Watcher + Send>,
    events: mpsc::Receiver<notify::Result<Event>>,
    watched: BTreeSet<PathBuf>,
}

impl Watcher {
    /// A watcher; `poll` asks the file system at an interval instead of waiting for its events (network and container mounts).
    ///
    /// # Errors
    /// The system's watch facility is not available.
    pub fn new(poll: Option<Duration>) -> Result<Watcher, Reason> {
        let (sender, events) = mpsc::channel();
        let inner: Box<dyn notify::Watcher + Send> = match poll {
            Some(interval) => {
                let config = notify::Config::default().with_poll_interval(interval).with_compare_contents(true);
                Box::new(notify::PollWatcher::new(sender, config).map_err(|error| failed(&error))?)
            }
            None => Box::new(notify::recommended_watcher(sender).map_err(|error| failed(&error))?),
        };
        Ok(Watcher { inner, events, watched: BTreeSet::new() })
    }

    /// Watches the directories that matter for these paths: a directory itself, a file's directory, the nearest directory
    /// that exists for what is missing. Others are no longer watched.
    ///
    /// # Errors
    /// A directory cannot be watched (the limit of the system's watches, for instance).
    pub fn watch<'a>(&mut self, touched: impl Iterator<Item = &'a Path>, world: &dyn World) -> Result<(), Reason> {
        let mut wanted = BTreeSet::new();
        for path in touched {
            let existing = path.ancestors().find(|path| world.kind(path) == Kind::Directory);
            // A watch on the root directory says nothing.
            if let Some(directory) = existing.filter(|directory| directory.parent().is_some())
                && !wanted.contains(directory)
            {
                wanted.insert(directory.to_path_buf());
            }
        }
        let gone: Vec<PathBuf> = self.watched.difference(&wanted).cloned().collect();
        for path in gone {
            // It may have been removed, and the watch with it.
            let _ = self.inner.unwatch(&path);
            self.watched.remove(&path);
        }
        for path in wanted {
            if self.watched.contains(&path) {
                continue;
            }
            match self.inner.watch(&path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.watched.insert(path);
                }
                // It went away since it was asked for: its parent tells when it is back.
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
                Err(error) => return Err(failed(&error)),
            }
        }
        Ok(())
    }

    /// Waits for the next batch. `None`: the watcher ended.
    pub fn next_batch(&mut self) -> Option<Changes> {
        let mut changes = Changes::default();
        while changes == Changes::default() {
            let event = self.events.recv().ok()?;
            self.take(event, &mut changes);
        }
        let started = Instant::now();
        while started.elapsed() < STARVATION {
            match self.events.recv_timeout(QUIET) {
                Ok(event) => self.take(event, &mut changes),
                Err(mpsc::RecvTimeoutError::Timeout) => break,
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
            }
        }
        Some(changes)
    }

    fn take(&mut self, event: notify::Result<Event>, changes: &mut Changes) {
        let Ok(event) = event else {
            changes.rescan = true;
            return;
        };
        changes.rescan |= event.need_rescan();
        match event.kind {
            // Reading is not a change; modes and owners do not reach a catalog. Polling tells of writes by their time.
            EventKind::Access(_) => {}
            EventKind::Modify(ModifyKind::Metadata(what)) if what != MetadataKind::WriteTime => {}
            kind => {
                for path in event.paths {
                    if matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)))
                        && self.watched.remove(&path)
                    {
                        let _ = self.inner.unwatch(&path);
                    }
                    changes.paths.insert(path);
                }
            }
        }
    }
}

fn failed(error: &notify::Error) -> Reason {
    let reason = Reason::new(Code("WATCH_FAILED"), format!("cannot watch for changes: {error}"));
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => reason.help("raise fs.inotify.max_user_watches, or use --poll"),
        _ => reason.help("--poll works without the system's events"),
    }
}
