//! The limit on memory while several compiles run in one process.
//!
//! The system reports only the memory of the whole process. So if a compile exceeds the limit while others run, this is not an error:
//! it is aborted, waits until all others have ended and freed their memory, and runs again alone. Then the growth of the process is
//! its own.
//!
//! In: the start and the end of a compile; the memory of the process. Out: whether a compile must be repeated alone.

use parking_lot::Condvar;
use parking_lot::Mutex;
use parking_lot::MutexGuard;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;

use super::counters::RUNNING;

/// The compiles of the process.
struct Table {
    /// The running compiles by number, with the size of the process at their start, if measured.
    running: BTreeMap<u64, Option<u64>>,
    /// The number of compiles that wait to run alone. New compiles start after them.
    waiting: usize,
    /// Whether a compile runs alone.
    is_exclusive: bool,
}

static TABLE: Mutex<Table> = Mutex::new(Table { running: BTreeMap::new(), waiting: 0, is_exclusive: false });
static ENDED: Condvar = Condvar::new();
/// The number of started compiles, which is the number of the next one.
static STARTED: AtomicU64 = AtomicU64::new(0);

/// A running compile in the [`Table`].
pub(super) struct Registration {
    /// Its key in [`Table::running`].
    number: u64,
    /// Whether no other compile ran at its start.
    started_alone: bool,
    /// Whether it must be repeated alone.
    must_repeat: AtomicBool,
}

impl Registration {
    /// Whether no other compile has run since it started.
    fn is_alone(&self) -> bool {
        self.started_alone && STARTED.load(Ordering::Relaxed) == self.number + 1
    }
}

/// Registers a compile of this thread, from [`RunningCompile::start`] until drop.
pub struct RunningCompile {
    /// `None` for a compile that is part of another compile of this thread.
    registration: Option<Arc<Registration>>,
}

fn with_current<T>(run: impl FnOnce(Option<&Arc<Registration>>) -> T) -> T {
    RUNNING.with(|running| run(running.compile.borrow().as_ref()))
}

fn set_current(compile: Option<Arc<Registration>>) {
    RUNNING.with(|running| running.compile.replace(compile));
}

fn table() -> MutexGuard<'static, Table> {
    TABLE.lock()
}

fn wait<'a>(mut table: MutexGuard<'a, Table>, until: impl Fn(&Table) -> bool) -> MutexGuard<'a, Table> {
    ENDED.wait_while(&mut table, |table| !until(table));
    table
}

impl RunningCompile {
    /// Registers a compile. Blocks while another compile runs alone or waits to do so.
    #[must_use]
    pub fn start() -> RunningCompile {
        if with_current(|current| current.is_some()) {
            return RunningCompile { registration: None };
        }
        RunningCompile::register(wait(table(), |table| table.waiting == 0 && !table.is_exclusive))
    }

    /// Whether the compile was aborted because of memory that other compiles may use.
    #[must_use]
    pub fn must_repeat(&self) -> bool {
        self.registration.as_ref().is_some_and(|compile| compile.must_repeat.load(Ordering::Relaxed))
    }

    /// Ends this compile and starts it again when no other compile runs. Other compiles are blocked until it ends.
    #[must_use]
    pub fn start_alone(self) -> RunningCompile {
        drop(self);
        let mut table = table();
        table.waiting += 1;
        let mut table = wait(table, |table| table.running.is_empty());
        table.waiting -= 1;
        table.is_exclusive = true;
        RunningCompile::register(table)
    }

    fn register(mut table: MutexGuard<'_, Table>) -> RunningCompile {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let registration = Arc::new(Registration {
            number,
            started_alone: table.running.is_empty(),
            must_repeat: AtomicBool::new(false),
        });
        table.running.insert(number, None);
        set_current(Some(registration.clone()));
        RunningCompile { registration: Some(registration) }
    }
}

impl Drop for RunningCompile {
    fn drop(&mut self) {
        let Some(registration) = self.registration.take() else { return };
        set_current(None);
        let mut table = table();
        table.running.remove(&registration.number);
        table.is_exclusive &= !table.running.is_empty();
        ENDED.notify_all();
    }
}

/// Whether this thread compiles while other compiles run, or has done so since its compile started.
#[must_use]
pub fn is_concurrent() -> bool {
    with_current(|current| current.is_some_and(|compile| !compile.is_alone()))
}

/// Marks the compile of this thread to be repeated alone if other compiles run. The caller aborts the compile.
pub fn request_repeat() {
    with_current(|current| {
        if let Some(compile) = current.filter(|compile| !compile.is_alone()) {
            compile.must_repeat.store(true, Ordering::Relaxed);
        }
    });
}

/// The share of a limit in bytes that each running compile may allocate between two measurements of the process, at least
/// `least`.
#[must_use]
pub fn memory_share(limit: u64, least: u64) -> u64 {
    if !is_concurrent() {
        return limit;
    }
    let running = table().running.len().max(1) as u64;
    limit.min(least.max(limit / running))
}

/// The smallest size of the process at the start of a running compile, from which the growth is counted. `start` is the size at the
/// start of this thread's compile, `now` the current size.
#[must_use]
pub fn base_memory(start: u64, now: u64) -> u64 {
    let Some(number) = with_current(|current| current.map(|compile| compile.number)) else {
        return start;
    };
    let mut table = table();
    if let Some(base) = table.running.get_mut(&number) {
        *base = Some(start);
    }
    // Memory that an ended compile freed does not belong to a running one.
    let bases = table.running.values_mut().flatten();
    bases.fold(start, |lowest, base| {
        *base = now.min(*base);
        lowest.min(*base)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test for all: the table belongs to the process, and other tests compile at the same time.
    #[test]
    fn a_compile_that_gives_up_among_others_runs_again_alone() {
        let other = std::sync::mpsc::channel::<()>();
        let (started, has_started) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let body = move || {
                let _running = RunningCompile::start();
                let _ = started.send(());
                let _ = other.1.recv();
            };
            scope.spawn(body);
            let _ = has_started.recv();
            let running = RunningCompile::start();
            assert!(is_concurrent() && !running.must_repeat());
            assert!(memory_share(4 << 30, 1) <= 2 << 30);
            assert_eq!(memory_share(10, 64), 10);
            assert!(base_memory(1000, 900) <= 900);
            request_repeat();
            assert!(running.must_repeat());
            assert!(!RunningCompile::start().must_repeat(), "a compile within a compile");
            drop(other.0);
            let running = running.start_alone();
            assert!(!is_concurrent());
            request_repeat();
            assert!(!running.must_repeat());
            assert_eq!((memory_share(10, 1), base_memory(1000, 2000)), (10, 1000));
        });
        assert_eq!(base_memory(7, 9), 7);
    }
}
