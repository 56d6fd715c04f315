//! The counters of a thread, and the checks when they reach a limit.
//!
//! In: steps. Out: the stack is unwound with [`Exceeded`]. Must not: know what is counted.

use std::cell::Cell;
use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::Bounds;
use super::Exceeded;
use super::parallel;

/// Bytes between two measurements of the process in the evaluator.
pub(super) const LOOK: u64 = 64 << 20;
/// Bytes between two measurements of the process within one call.
pub(super) const ASK: u64 = 16 << 20;
/// Steps until the next look at the clock.
pub(super) const STEPS: i64 = 1 << 16;

pub(super) struct Counters {
    /// Whether limits are in force: within [`run`].
    pub(super) armed: Cell<bool>,
    /// Steps until the next look at the clock.
    pub(super) left: Cell<i64>,
    /// Bytes since the last measurement in the evaluator.
    pub(super) unseen: Cell<u64>,
    /// The value of `unseen` at the last measurement of the process.
    pub(super) asked: Cell<u64>,
    pub(super) elements: Cell<usize>,
    pub(super) text: Cell<usize>,
}

thread_local! {
    pub(super) static COUNTERS: Counters = const {
        Counters {
            armed: Cell::new(false),
            left: Cell::new(STEPS),
            unseen: Cell::new(0),
            asked: Cell::new(0),
            elements: Cell::new(0),
            text: Cell::new(0),
        }
    };
    pub(super) static BOUNDS: RefCell<Bounds> = RefCell::default();
}

/// Sets limits and returns the previous ones.
pub(super) fn exchange(armed: bool, bounds: Bounds) -> (bool, Bounds) {
    let before = COUNTERS.with(|own| {
        own.left.set(STEPS);
        own.unseen.set(0);
        own.asked.set(0);
        own.elements.set(bounds.elements);
        own.text.set(bounds.text);
        own.armed.replace(armed)
    });
    (before, BOUNDS.with(|own| own.replace(bounds)))
}

pub(super) fn stop(exceeded: Exceeded) -> ! {
    resume_unwind(Box::new(exceeded))
}

#[inline]
pub(super) fn step(own: &Counters, steps: usize) {
    let left = own.left.get().saturating_sub(i64::try_from(steps).unwrap_or(i64::MAX)).saturating_sub(1);
    own.left.set(left);
    if left < 0 {
        look(own);
    }
}

/// Checks the time, the interrupt and the memory.
#[cold]
pub(super) fn look(own: &Counters) {
    own.left.set(STEPS);
    // While the thread unwinds, a second unwinding would end the process.
    if !own.armed.get() || std::thread::panicking() {
        return;
    }
    if let Some(exceeded) = exceeded(own) {
        stop(exceeded);
    }
}

pub(super) fn exceeded(own: &Counters) -> Option<Exceeded> {
    BOUNDS.with(|bounds| {
        let bounds = bounds.borrow();
        if bounds.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return Some(Exceeded::Interrupted);
        }
        if bounds.stop_at.is_some_and(|stop_at| Instant::now() >= stop_at) {
            return Some(Exceeded::Time);
        }
        let unseen = own.unseen.get();
        if unseen >= own.asked.get().saturating_add(ASK) {
            own.asked.set(unseen);
            if !bounds.has_room(0) {
                return Some(Exceeded::Memory);
            }
        }
        if unseen <= LOOK.min(bounds.memory) || unseen <= parallel::share(bounds.memory, LOOK) {
            return None;
        }
        if unseen <= bounds.memory {
            parallel::give_up_shared();
        }
        Some(Exceeded::Memory)
    })
}
