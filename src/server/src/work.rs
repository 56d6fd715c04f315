//! Work that blocks, on a limited number of threads with a limited queue.
//!
//! In: work of a request. Out: its result, or that there is too much. Must not: know what the work is.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::Weak;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use tokio::sync::Semaphore;

/// Queues that clients may fill that cannot be told to come back later.
const PATIENT_QUEUES: usize = 10;

/// Why work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotDone {
    /// Too much work waits.
    Busy,
    /// It panicked.
    Panicked,
}

/// Threads for one kind of work: so that files and reports do not wait behind compiles.
pub(crate) struct Lane {
    threads: Arc<Semaphore>,
    waiting: AtomicUsize,
    queue: usize,
}

/// One waiting request; dropped also when its client has gone.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lane {
    /// Threads at once, and requests that wait for one at most.
    pub(crate) fn new(threads: usize, queue: usize) -> Lane {
        Lane { threads: Arc::new(Semaphore::new(threads.max(1))), waiting: AtomicUsize::new(0), queue }
    }

    /// Does work on a thread that may block. It goes on if the caller goes away.
    ///
    /// # Errors
    /// Too much work waits, or the work panicked. `is_patient`: the client cannot be told to come back later.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        is_patient: bool,
        before: impl Future<Output = Result<Option<Turn>, NotDone>>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotDone> {
        let queue = if is_patient { PATIENT_QUEUES * self.queue } else { self.queue };
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= queue + self.threads.available_permits() {
            return Err(NotDone::Busy);
        }
        let turn = before.await?;
        let permit = self.threads.clone().acquire_owned().await.map_err(|_| NotDone::Panicked)?;
        drop(waiting);
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop((permit, turn));
            result
        });
        done.await.map_err(|_| NotDone::Panicked)
    }
}

/// Held while the work of a name is done.
pub(crate) type Turn = tokio::sync::OwnedMutexGuard<()>;

/// Pieces of work of one name, the one that is done among them: so that no node fills the queue of all.
const TURNS: usize = 4;

/// One piece of work at a time for each name.
#[derive(Default)]
pub(crate) struct Turns {
    names: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

impl Turns {
    /// Waits until the work of a name before has ended.
    ///
    /// # Errors
    /// Too much work of this name waits.
    pub(crate) async fn wait(&self, name: &str) -> Result<Turn, NotDone> {
        let turn = {
            let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            match names.get(name).and_then(Weak::upgrade) {
                // Each that works or waits holds one; this one holds another.
                Some(turn) if Arc::strong_count(&turn) > TURNS => return Err(NotDone::Busy),
                Some(turn) => turn,
                None => {
                    names.retain(|_, turn| turn.strong_count() > 0);
                    let turn = Arc::new(tokio::sync::Mutex::new(()));
                    names.insert(name.to_owned(), Arc::downgrade(&turn));
                    turn
                }
            }
        };
        Ok(turn.lock_owned().await)
    }
}

/// Requests with a body that a node sends at once: each body is in memory until its request is answered.
const BODIES: usize = 8;

/// The requests with a body of each node.
#[derive(Default)]
pub(crate) struct Bodies {
    names: Mutex<HashMap<String, Weak<()>>>,
}

impl Bodies {
    /// Counts a request of a node until what is returned is dropped.
    ///
    /// # Errors
    /// There are too many of this node.
    pub(crate) fn enter(&self, name: &str) -> Result<Arc<()>, NotDone> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        match names.get(name).and_then(Weak::upgrade) {
            // This one holds another.
            Some(body) if Arc::strong_count(&body) > BODIES => Err(NotDone::Busy),
            Some(body) => Ok(body),
            None => {
                names.retain(|_, body| body.strong_count() > 0);
                let body = Arc::new(());
                names.insert(name.to_owned(), Arc::downgrade(&body));
                Ok(body)
            }
        }
    }
}

/// A number between two, so that agents that were sent away do not come back at once.
pub(crate) fn random_between(low: u64, high: u64) -> u64 {
    let random = std::hash::RandomState::new().hash_one(0);
    low + random % (high - low + 1)
}
