//! Collects events of the system until no more arrive: a save in an editor is one batch.
//!
//! In: events and hints. Out: what changed. Must not: read files.

use super::Hint;
use super::Source;
use super::Watcher;
use crate::watcher::moved::exists;
use catwalk_session::Changes;
use notify::Event;
use notify::EventKind;
use notify::event::MetadataKind;
use notify::event::ModifyKind;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

/// A batch of completely written files ends after this time without events.
pub(super) const SETTLED: Duration = Duration::from_micros(800);

/// A batch with a file that is being written, or with a removed path that may be created again, ends after this time without events.
pub(super) const QUIET: Duration = Duration::from_millis(8);

/// More paths than an editor touches to save a file.
pub(super) const FEW: usize = 6;

/// A batch of many paths, such as a checkout or a copy, ends after this time without events.
pub(super) const LONG_QUIET: Duration = Duration::from_millis(120);

/// More paths than an editor writes at once.
pub(super) const MANY: usize = 40;

/// A batch ends after this time even if events keep coming.
pub(super) const STARVATION: Duration = Duration::from_millis(500);

/// The starvation limit for a batch of many paths, and while `git` holds its lock.
pub(super) const LONG_STARVATION: Duration = Duration::from_secs(5);

impl Watcher {
    /// Waits for the next batch. `None`: the watcher ended, or there was no event until `limit`. A batch that a [`Waker`](super::Waker)
    /// ended may be empty.
    pub fn next_batch(&mut self, limit: Option<Duration>) -> Option<Changes> {
        let mut changes = std::mem::take(&mut self.pending);
        if let Source::Poll(interval) = self.source {
            let due = self.due.unwrap_or_else(|| Instant::now() + interval);
            let rest = due.saturating_duration_since(Instant::now());
            let woken = self.receive(Some(limit.map_or(rest, |limit| limit.min(rest)))).is_ok();
            changes.rescan = !woken;
            self.due = woken.then_some(due);
            return Some(changes);
        }
        let until = limit.map(|limit| Instant::now() + limit);
        let mut woken = false;
        while changes == Changes::default() {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            match self.receive(left).ok()? {
                Hint::Event(event) => self.add_event(event, &mut changes),
                Hint::Wake => return Some(changes),
            }
        }
        let started = Instant::now();
        loop {
            woken |= self.drain(&mut changes);
            let locked = self.lock.as_deref().is_some_and(exists);
            let many = locked || changes.paths.len() > MANY;
            let settled = self.unfinished.is_empty() && changes.paths.len() <= FEW && !changes.rescan;
            let (quiet, end) = match settled {
                _ if many => (LONG_QUIET, LONG_STARVATION),
                true => (SETTLED, STARVATION),
                false => (QUIET, STARVATION),
            };
            if started.elapsed() >= end {
                break;
            }
            let next = if settled && !many { self.receive_soon(quiet) } else { self.receive(Some(quiet)) };
            match next {
                Ok(Hint::Event(event)) => self.add_event(event, &mut changes),
                Ok(Hint::Wake) => woken = true,
                Err(mpsc::RecvTimeoutError::Timeout) if locked => {}
                // A half-written file is not read, however long writing takes.
                Err(mpsc::RecvTimeoutError::Timeout) if !self.writing.is_empty() && started.elapsed() < STARVATION => {}
                Err(mpsc::RecvTimeoutError::Timeout) => break,
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
            }
        }
        if woken {
            self.waker.wake();
        }
        self.unfinished.clear();
        self.writing.clear();
        Some(changes)
    }

    /// Whether more events have arrived since the last batch; they belong to the next one. The result of the last batch is then an
    /// intermediate state, which need not be shown.
    pub fn has_more(&mut self) -> bool {
        let mut pending = std::mem::take(&mut self.pending);
        if self.drain(&mut pending) {
            self.waker.wake();
        }
        self.pending = pending;
        self.pending != Changes::default()
    }

    /// Takes the available events. `true`: the wait was interrupted.
    pub(super) fn drain(&mut self, changes: &mut Changes) -> bool {
        let mut woken = false;
        while let Ok(hint) = self.hints.try_recv() {
            match hint {
                Hint::Event(event) => self.add_event(event, changes),
                Hint::Wake => woken = true,
            }
        }
        woken
    }

    pub(super) fn receive(&self, limit: Option<Duration>) -> Result<Hint, mpsc::RecvTimeoutError> {
        match limit {
            Some(limit) => self.hints.recv_timeout(limit),
            None => self.hints.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected),
        }
    }

    /// Receives a hint without sleeping: after a short sleep on a busy machine, a thread gets the processor back milliseconds too late.
    pub(super) fn receive_soon(&self, limit: Duration) -> Result<Hint, mpsc::RecvTimeoutError> {
        let started = Instant::now();
        loop {
            match self.hints.try_recv() {
                Ok(hint) => return Ok(hint),
                Err(mpsc::TryRecvError::Disconnected) => return Err(mpsc::RecvTimeoutError::Disconnected),
                Err(mpsc::TryRecvError::Empty) if started.elapsed() >= limit => {
                    return Err(mpsc::RecvTimeoutError::Timeout);
                }
                Err(mpsc::TryRecvError::Empty) => std::hint::spin_loop(),
            }
        }
    }

    /// Adds a path at which something changed; `moves`: an entry of its directory appeared or disappeared.
    fn add_path(&mut self, path: PathBuf, moves: bool, changes: &mut Changes) {
        if moves {
            self.moved.extend(self.links.users(&path).cloned());
            self.moved.insert(path.clone());
        }
        changes.paths.extend(self.links.users(&path).cloned());
        // What a compile used is watched, even if git ignores it: the file, or the directory whose entries it listed.
        let is_used = || {
            let is_listed = || moves && path.parent().is_some_and(|directory| self.touched.contains(directory));
            self.touched.contains(&path) || is_listed()
        };
        if !self.ignore.by_rule(&path) && (is_used() || !self.ignore.by_git(&path)) {
            changes.paths.insert(path);
        }
    }

    pub(super) fn add_event(&mut self, event: notify::Result<Event>, changes: &mut Changes) {
        let Ok(event) = event else {
            (changes.rescan, self.events_lost) = (true, true);
            return;
        };
        if !event.need_rescan()
            && !event.paths.is_empty()
            && event.paths.iter().all(|path| self.links.is_irrelevant(path) && !self.touched.contains(path))
        {
            return;
        }
        changes.rescan |= event.need_rescan();
        self.events_lost |= event.need_rescan();
        let moves = matches!(event.kind, EventKind::Create(_) | EventKind::Remove(_))
            || matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)));
        self.follow(&event);
        match event.kind {
            // Reading is not a change.
            EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(MetadataKind::AccessTime)) => {}
            _ => {
                let other_names: Vec<PathBuf> =
                    event.paths.iter().flat_map(|path| self.links.other_names(path)).collect();
                for path in event.paths.into_iter().chain(other_names) {
                    self.add_path(path, moves, changes);
                }
            }
        }
    }
}
