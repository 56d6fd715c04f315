//! Directories that were moved away from below a watch: the system goes on telling of them under their old names.
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
    /// Which paths are written to the end: those that were closed, or came whole under another name.
    pub(super) fn follow(&mut self, event: &Event) {
        let [first, rest @ ..] = event.paths.as_slice() else { return };
        match event.kind {
            EventKind::Modify(ModifyKind::Data(_))
                if CLOSES && (self.touched.contains(first) || self.links.contains_key(first)) =>
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
                // Where a compile looked, something else may come.
                if !self.touched.contains(first) {
                    self.unfinished.remove(first);
                }
                for to in rest {
                    self.unfinished.remove(to);
                }
            }
            EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => {}
            // A file aside that goes away is the end of saving.
            EventKind::Remove(_) if !self.touched.contains(first) => {
                self.unfinished.remove(first);
            }
            _ => {
                self.unfinished.insert(first.clone());
            }
        }
    }

    /// Whether watches may be of other directories than those that stand there now, though each path may have the answers it
    /// had: a directory or link came in the place of an equal one.
    pub fn is_misled(&mut self) -> bool {
        let misled = self.lost || self.is_moved();
        if !misled {
            self.moved.clear();
        }
        misled
    }

    /// Whether other directories may have to be watched for what came or went: not for plain files.
    pub(super) fn is_moved(&self) -> bool {
        let matters = |path: &PathBuf| {
            #[allow(clippy::disallowed_methods, reason = "a hint, which decides nothing")]
            let is_plain = match std::fs::symlink_metadata(path) {
                Ok(meta) => meta.is_file(),
                Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            };
            let is_watched = || self.watched.range(path.clone()..).next().is_some_and(|at| at.starts_with(path));
            !is_plain || is_watched() || self.links.values().any(|links| links.contains(path))
        };
        #[allow(clippy::iter_over_hash_type, reason = "any of them")]
        self.moved.iter().any(matters)
    }

    /// Some paths were replaced: watches there, and below, belong to the old directories.
    pub(super) fn forget_moved(&mut self) {
        let (moved, lost) = (std::mem::take(&mut self.moved), std::mem::take(&mut self.lost));
        let Source::Events(inner) = &mut self.source else { return };
        if moved.is_empty() && !lost {
            return;
        }
        let is_below = |path: &Path| lost || path.ancestors().any(|above| moved.contains(above));
        self.watched.retain(|watched| {
            let gone = is_below(watched);
            if gone {
                let _ = inner.unwatch(watched);
            }
            !gone
        });
        self.examined.retain(|examined| !is_below(examined));
        for links in self.links.values_mut() {
            links.retain(|link| !is_below(link));
        }
        self.links.retain(|_, links| !links.is_empty());
    }
}

#[allow(clippy::disallowed_methods, reason = "a hint, which decides nothing")]
pub(super) fn is_there(path: &Path) -> bool {
    path.exists()
}
