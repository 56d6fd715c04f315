//! Detects watched directories that were moved: the system keeps reporting their events under the old paths.
//!
//! In: events of the system. Out: whether the watches still refer to their paths. Must not: wait.

use super::CLOSES;
use super::Source;
use super::Watcher;
use notify::Event;
use notify::EventKind;
use notify::event::AccessKind;
use notify::event::AccessMode;
use notify::event::ModifyKind;
use notify::event::RenameMode;
use std::path::Path;
use std::path::PathBuf;

impl Watcher {
    /// Tracks which paths are being written. A path is complete when it is closed after writing or when a file is renamed to it.
    pub(super) fn follow(&mut self, event: &Event) {
        let [first, rest @ ..] = event.paths.as_slice() else { return };
        match event.kind {
            EventKind::Modify(ModifyKind::Data(_))
                if CLOSES && (self.touched.contains(first) || self.links.leads_through(first)) =>
            {
                self.writing.insert(first.clone());
            }
            EventKind::Access(AccessKind::Close(AccessMode::Write)) | EventKind::Remove(_) => {
                self.writing.remove(first);
            }
            EventKind::Modify(ModifyKind::Name(_)) => {
                for path in &event.paths {
                    self.writing.remove(path);
                }
            }
            _ => {}
        }
        match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Modify(ModifyKind::Name(RenameMode::To)) => {
                self.unfinished.remove(first);
            }
            EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => {
                // A path that a compile touched may be created again.
                if !self.touched.contains(first) {
                    self.unfinished.remove(first);
                }
                for to in rest {
                    self.unfinished.remove(to);
                }
            }
            EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => {}
            // Removing a temporary file is the last step of a save.
            EventKind::Remove(_) if !self.touched.contains(first) => {
                self.unfinished.remove(first);
            }
            _ => {
                self.unfinished.insert(first.clone());
            }
        }
    }

    /// Whether watches may refer to directories that were replaced, even if all reads of a compile are unchanged: a directory or link was
    /// replaced by an equal one.
    pub fn is_outdated_by_moves(&mut self) -> bool {
        let misled = self.events_lost || self.is_moved();
        if !misled {
            self.moved.clear();
        }
        misled
    }

    /// Whether an added or removed path may change the directories to watch. A plain file or a missing path does not, unless it was a
    /// watched directory or a link.
    pub(super) fn is_moved(&self) -> bool {
        let matters = |path: &PathBuf| {
            #[allow(clippy::disallowed_methods, reason = "a hint, which decides nothing")]
            let is_plain = match std::fs::symlink_metadata(path) {
                Ok(meta) => meta.is_file(),
                Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            };
            let is_watched = || self.watched.range(path.clone()..).next().is_some_and(|at| at.starts_with(path));
            !is_plain || is_watched() || self.links.leads_through(path)
        };
        #[allow(clippy::iter_over_hash_type, reason = "any of them")]
        self.moved.iter().any(matters)
    }

    /// Removes the watches of replaced paths and below, which belong to the old directories.
    pub(super) fn forget_moved(&mut self) {
        let (moved, events_lost) = (std::mem::take(&mut self.moved), std::mem::take(&mut self.events_lost));
        let Source::Events(inner) = &mut self.source else { return };
        if moved.is_empty() && !events_lost {
            return;
        }
        let is_below = |path: &Path| events_lost || path.ancestors().any(|above| moved.contains(above));
        self.watched.retain(|watched| {
            let removed = is_below(watched);
            if removed {
                let _ = inner.unwatch(watched);
            }
            !removed
        });
        self.links.forget(is_below);
    }
}

#[allow(clippy::disallowed_methods, reason = "a hint, which decides nothing")]
pub(super) fn exists(path: &Path) -> bool {
    path.exists()
}
