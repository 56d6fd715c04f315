//! The counters of a thread, and the checks when they reach a limit.
//!
//! In: steps. Out: the stack is unwound with [`Exceeded`]. Must not: know what is counted.

use std::cell::Cell;
use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::Bounds;
use super::Exceeded;
use super::parallel;
use super::parallel::Registration;

/// Bytes between two measurements of the process in the evaluator.
pub(super) const EVALUATOR_INTERVAL: u64 = 64 << 20;
/// Bytes between two measurements of the process within one call.
pub(super) const CALL_INTERVAL: u64 = 16 << 20;
/// Steps until the next check of the time.
pub(super) const CHECK_INTERVAL: i64 = 1 << 16;

pub(super) struct Counters {
    /// Whether limits are in force: within [`super::run`].
    pub(super) armed: Cell<bool>,
    /// Steps until the next check of the time.
    pub(super) steps_left: Cell<i64>,
    /// Steps of this thread before the current interval.
    pub(super) steps_before: Cell<u64>,
    /// Bytes since the last measurement in the evaluator.
    pub(super) unmeasured: Cell<u64>,
    /// The value of `unmeasured` at the last measurement of the process.
    pub(super) last_measured: Cell<u64>,
    pub(super) elements: Cell<usize>,
    pub(super) string_length: Cell<usize>,
}

/// What runs in a thread.
#[derive(Default)]
pub(super) struct Running {
    /// The limits in force.
    pub(super) bounds: RefCell<Bounds>,
    /// The compile.
    pub(super) compile: RefCell<Option<Arc<Registration>>>,
}

thread_local! {
    pub(super) static COUNTERS: Counters = const {
        Counters {
            armed: Cell::new(false),
            steps_left: Cell::new(CHECK_INTERVAL),
            steps_before: Cell::new(0),
            unmeasured: Cell::new(0),
            last_measured: Cell::new(0),
            elements: Cell::new(0),
            string_length: Cell::new(0),
        }
    };
    pub(super) static RUNNING: Running = Running::default();
}

/// Sets limits and returns the previous ones.
pub(super) fn swap_bounds(armed: bool, bounds: Bounds) -> (bool, Bounds) {
    let before = COUNTERS.with(|counters| {
        begin_interval(counters);
        counters.unmeasured.set(0);
        counters.last_measured.set(0);
        counters.elements.set(bounds.elements);
        counters.string_length.set(bounds.string_length);
        counters.armed.replace(armed)
    });
    (before, RUNNING.with(|running| running.bounds.replace(bounds)))
}

pub(super) fn stop(exceeded: Exceeded) -> ! {
    resume_unwind(Box::new(exceeded))
}

#[inline]
pub(super) fn step(counters: &Counters, steps: usize) {
    let left = counters.steps_left.get().saturating_sub(i64::try_from(steps).unwrap_or(i64::MAX)).saturating_sub(1);
    counters.steps_left.set(left);
    if left < 0 {
        check_limits(counters);
    }
}

/// The steps of this thread.
pub(super) fn count_steps(counters: &Counters) -> u64 {
    let in_interval = u64::try_from(CHECK_INTERVAL.saturating_sub(counters.steps_left.get())).unwrap_or(0);
    counters.steps_before.get().saturating_add(in_interval)
}

/// Begins the interval until the next check of the time.
fn begin_interval(counters: &Counters) {
    counters.steps_before.set(count_steps(counters));
    counters.steps_left.set(CHECK_INTERVAL);
}

/// Checks the time, the steps, the interrupt and the memory.
#[cold]
pub(super) fn check_limits(counters: &Counters) {
    begin_interval(counters);
    // While the thread unwinds, a second unwinding would end the process.
    if !counters.armed.get() || std::thread::panicking() {
        return;
    }
    if let Some(exceeded) = find_exceeded(counters) {
        stop(exceeded);
    }
}

pub(super) fn find_exceeded(counters: &Counters) -> Option<Exceeded> {
    RUNNING.with(|running| {
        let bounds = running.bounds.borrow();
        if bounds.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return Some(Exceeded::Interrupted);
        }
        if bounds.stop_at.is_some_and(|stop_at| Instant::now() >= stop_at) {
            return Some(Exceeded::Time);
        }
        if bounds.stop_at_step.is_some_and(|stop_at| count_steps(counters) >= stop_at) {
            return Some(Exceeded::Steps);
        }
        let unmeasured = counters.unmeasured.get();
        if unmeasured >= counters.last_measured.get().saturating_add(CALL_INTERVAL) {
            counters.last_measured.set(unmeasured);
            if !bounds.has_room(0) {
                return Some(Exceeded::Memory);
            }
        }
        if unmeasured <= EVALUATOR_INTERVAL.min(bounds.memory)
            || unmeasured <= parallel::memory_share(bounds.memory, EVALUATOR_INTERVAL)
        {
            return None;
        }
        if unmeasured <= bounds.memory {
            parallel::request_repeat();
        }
        Some(Exceeded::Memory)
    })
}
