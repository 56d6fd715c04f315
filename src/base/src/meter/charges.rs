//! Counting of memory, elements and steps.
//!
//! In: sizes of values that are about to be created. Out: the end of the compile if a limit is exceeded. Must not: know values.

use super::Exceeded;
use super::counters::CALL_INTERVAL;
use super::counters::COUNTERS;
use super::counters::Counters;
use super::counters::EVALUATOR_INTERVAL;
use super::counters::RUNNING;
use super::counters::count_steps;
use super::counters::step;
use super::counters::stop;
use super::parallel;

/// Allocations of fewer bytes are not checked in advance.
const LARGE: usize = 8 << 20;
/// Code that reads a string counts its tokens, lines or pieces in batches of this size, which is cheap.
pub const TICK_BATCH: usize = 1024;

/// Counts bytes that are about to be allocated.
#[inline]
pub fn charge(bytes: usize) {
    COUNTERS.with(|counters| {
        counters.unmeasured.set(counters.unmeasured.get().saturating_add(bytes as u64));
        step(counters, bytes / 16);
    });
}

/// Ends the compile if allocating `bytes` at once would exceed the limit on memory. Does not count them.
#[inline]
pub fn check_allocation(bytes: usize) {
    if bytes >= LARGE {
        COUNTERS.with(|counters| {
            let has_room = || RUNNING.with(|running| running.bounds.borrow().has_room(bytes as u64));
            if counters.armed.get() && !std::thread::panicking() && !has_room() {
                stop(Exceeded::Memory);
            }
        });
    }
}

/// Copies a list and counts its memory.
pub fn to_vec<T: Clone>(items: &[T]) -> Vec<T> {
    check_allocation(size_of_val(items));
    charge(size_of_val(items));
    items.to_vec()
}

/// Appends to a string, within the limits on strings and memory.
pub fn push_str(out: &mut String, piece: &str) {
    let len = out.len().saturating_add(piece.len());
    check_string(len);
    if len > out.capacity() {
        // The old and the new one exist at the same time.
        check_allocation(out.capacity().saturating_mul(2).max(len));
    }
    out.push_str(piece);
}

/// Counts steps of a long loop.
#[inline]
pub fn tick(steps: usize) {
    COUNTERS.with(|counters| step(counters, steps));
}

/// The steps that this thread has counted, for a limit on steps: see [`super::Bounds::stop_at_step`].
#[must_use]
pub fn steps() -> u64 {
    COUNTERS.with(count_steps)
}

/// Resets the count of bytes if the measured memory of the compile is within the limit. Loops that create and drop values call this
/// between two iterations, so that freed memory is not counted.
#[inline]
pub fn settle() {
    COUNTERS.with(|counters| {
        if counters.unmeasured.get() > CALL_INTERVAL {
            measure_memory(counters);
        }
    });
}

/// Measures the memory of the compile. While other compiles run, it cannot be attributed to one of them.
#[cold]
fn measure_memory(counters: &Counters) {
    if parallel::is_concurrent() {
        return;
    }
    if RUNNING.with(|running| running.bounds.borrow().can_measure() && running.bounds.borrow().has_room(0)) {
        counters.unmeasured.set(0);
        counters.last_measured.set(0);
    }
}

/// Ends the compile if a list with `len` elements exceeds the limit.
#[inline]
pub fn check_elements(len: usize) {
    COUNTERS.with(|counters| {
        if counters.armed.get() && len > counters.elements.get() {
            stop(Exceeded::Elements);
        }
    });
}

/// Ends the compile if a string of `len` bytes exceeds the limit.
#[inline]
pub fn check_string(len: usize) {
    COUNTERS.with(|counters| {
        if counters.armed.get() && len > counters.string_length.get() {
            stop(Exceeded::StringLength);
        }
    });
}

/// Ends the compile because a regular expression exceeded its limit on steps.
pub fn stop_search() {
    if COUNTERS.with(|counters| counters.armed.get()) {
        stop(Exceeded::Search);
    }
}

/// Counts a step of a recursion over a value, and ends the compile if the stack is nearly used up: values may nest deeply or contain
/// themselves. Code that returns errors calls [`crate::stack::is_low`] and returns one.
#[inline]
pub fn descend() {
    tick(1);
    if crate::stack::is_low() {
        stop_recursion();
    }
}

/// Ends the compile because a recursion exceeded its limit.
#[cold]
pub fn stop_recursion() {
    if COUNTERS.with(|counters| counters.armed.get()) && !std::thread::panicking() {
        stop(Exceeded::Depth);
    }
}

/// Collects a sequence into a list, within the limit on elements.
pub fn collect<T>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::with_capacity(values.size_hint().0.min(1 << 16));
    for value in values {
        if all.len() & 0xfff == 0xfff {
            check_elements(all.len());
            charge(size_of::<T>() << 12);
        }
        if all.len() == all.capacity() {
            // The old and the new list exist at the same time.
            check_allocation(all.capacity().saturating_mul(2 * size_of::<T>()));
        }
        all.push(value);
    }
    check_elements(all.len());
    all
}

/// Whether so much memory was allocated that the process must be measured.
#[inline]
#[must_use]
pub fn is_measurement_due() -> bool {
    COUNTERS.with(|counters| counters.unmeasured.get() > EVALUATOR_INTERVAL)
}

/// Resets the count of bytes after a measurement of the process.
pub fn reset_bytes() {
    COUNTERS.with(|counters| {
        counters.unmeasured.set(0);
        counters.last_measured.set(0);
    });
}
