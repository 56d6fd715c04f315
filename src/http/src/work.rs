//! Runs blocking work on a limited number of threads with a limited queue.
//!
//! In: a function. Out: its result, or [`WorkError::Busy`]. Must not: depend on the kind of request.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;

use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::Semaphore;

/// The queue is longer by this factor for clients that do not understand `Retry-After`: a 503 would fail their run.
const NO_RETRY_FACTOR: usize = 10;

/// Why work has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkError {
    /// The queue is full.
    Busy,
    /// The work panicked.
    Panicked,
}

/// The threads and the queue for one kind of work, so that files and reports do not wait for compiles.
pub struct WorkQueue {
    threads: Arc<Semaphore>,
    count: usize,
    waiting: AtomicUsize,
    queue: usize,
}

/// Counts a request as waiting until dropped, which also happens when its client disconnects.
struct WaitingRequest<'a>(&'a AtomicUsize);

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WorkQueue {
    /// Runs work on at most `threads` threads, while at most `queue` requests wait.
    pub fn new(threads: usize, queue: usize) -> WorkQueue {
        let count = threads.max(1);
        WorkQueue { threads: Arc::new(Semaphore::new(count)), count, waiting: AtomicUsize::new(0), queue }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.count
    }

    /// How many threads have work.
    pub fn running(&self) -> usize {
        self.count.saturating_sub(self.threads.available_permits())
    }

    /// How many requests wait for a thread.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Runs `work` on a thread that may block, after `turn` and `memory` are ready, which are dropped after the work. Once started, the work continues even if the client disconnects.
    /// `takes_retry`: whether the client understands `Retry-After`; if not, the queue is longer for it.
    ///
    /// # Errors
    /// The queue is full, or the work panicked.
    pub async fn run<T: Send + 'static, M: Send + 'static>(
        &self,
        takes_retry: bool,
        turn: impl Future<Output = Result<Option<Turn>, WorkError>>,
        memory: impl Future<Output = Result<M, WorkError>>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let queue = if takes_retry { self.queue } else { NO_RETRY_FACTOR * self.queue };
        let waiting = WaitingRequest(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= queue + self.threads.available_permits() {
            return Err(WorkError::Busy);
        }
        let turn = turn.await?;
        let permit = self.threads.clone().acquire_owned().await.map_err(|_| WorkError::Panicked)?;
        // Only requests that have a thread hold memory for their work.
        let memory = memory.await?;
        drop(waiting);
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop((permit, memory, turn));
            result
        });
        done.await.map_err(|_| WorkError::Panicked)
    }
}

/// Held while the work for a name runs.
pub type Turn = OwnedSemaphorePermit;

/// Limits the work for one name.
pub struct Turns {
    at_once: usize,
    waiting: usize,
    names: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl Turns {
    /// For each name, at most `at_once` requests run (at least one), and at most `waiting` wait, so that a single node cannot fill the queue.
    #[must_use]
    pub fn new(at_once: usize, waiting: usize) -> Turns {
        Turns { at_once: at_once.max(1), waiting, names: Mutex::default() }
    }

    /// Waits until enough of the earlier work for `name` has ended.
    ///
    /// # Errors
    /// `Busy`: too much work for this name is waiting.
    pub async fn wait(&self, name: &str) -> Result<Turn, WorkError> {
        let turn = {
            let mut names = self.names.lock();
            match names.get(name).and_then(Weak::upgrade) {
                // Each running or waiting request holds a reference, and so does `turn`.
                Some(turn) if Arc::strong_count(&turn) > self.at_once.saturating_add(self.waiting) => {
                    return Err(WorkError::Busy);
                }
                Some(turn) => turn,
                None => {
                    names.retain(|_, turn| turn.strong_count() > 0);
                    let turn = Arc::new(Semaphore::new(self.at_once));
                    names.insert(name.to_owned(), Arc::downgrade(&turn));
                    turn
                }
            }
        };
        turn.acquire_owned().await.map_err(|_| WorkError::Panicked)
    }
}

/// A random number from `low` to `high`, so that agents that got a 503 do not all retry at the same moment.
pub fn random_between(low: u64, high: u64) -> u64 {
    let random = std::hash::RandomState::new().hash_one(0);
    low + random % (high - low + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn work_for_a_name_has_a_limit() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let turns = Turns::new(2, 1);
            let (first, _second) = (turns.wait("a").await.unwrap(), turns.wait("a").await.unwrap());
            let mut third = Box::pin(turns.wait("a"));
            let mut is_ready =
                async || tokio::select! { biased; turn = &mut third => Some(turn), () = async {} => None };
            assert!(is_ready().await.is_none());
            assert_eq!(turns.wait("a").await.err(), Some(WorkError::Busy));
            assert!(turns.wait("b").await.is_ok());
            drop(first);
            assert!(is_ready().await.unwrap().is_ok());
        });
    }
}
