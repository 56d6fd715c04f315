//! Scopes of limits: [`run`] sets limits, [`catch`] stops the unwinding, [`check`] ends a compile.
//!
//! In: limits and a body. Out: the result of the body, or the limit that was exceeded. Must not: count.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::panic::resume_unwind;
use std::time::Duration;
use std::time::Instant;

use super::Bounds;
use super::Exceeded;
use super::counters::COUNTERS;
use super::counters::RUNNING;
use super::counters::find_exceeded;
use super::counters::stop;
use super::counters::swap_bounds;

/// Restores the limits on drop, also when the stack unwinds.
struct Restore {
    armed: bool,
    bounds: Bounds,
}

impl Drop for Restore {
    fn drop(&mut self) {
        swap_bounds(self.armed, std::mem::take(&mut self.bounds));
    }
}

/// Runs `body` within bounds.
///
/// # Errors
/// Returns the limit that was exceeded.
pub fn run<T>(bounds: Bounds, body: impl FnOnce() -> T) -> Result<T, Exceeded> {
    let (armed, bounds) = swap_bounds(true, with_refusal(bounds));
    let _restore = Restore { armed, bounds };
    intercept(body)
}

/// Bounds that record a forbidden attempt where the bounds in force do, unless they have a record of their own.
fn with_refusal(mut bounds: Bounds) -> Bounds {
    bounds.refusal = bounds.refusal.take().or_else(|| RUNNING.with(|running| running.bounds.borrow().refusal.clone()));
    bounds
}

/// The limits in force; `None` outside of [`run`].
#[must_use]
pub fn bounds() -> Option<Bounds> {
    COUNTERS.with(|counters| counters.armed.get()).then(|| RUNNING.with(|running| running.bounds.borrow().clone()))
}

/// Runs `body` within different limits, or without limits for `None`. Afterwards, the count of bytes is the sum of those before and
/// within the call. Unwinding continues to the caller.
pub fn with<T>(bounds: Option<Bounds>, body: impl FnOnce() -> T) -> T {
    struct Continue(u64, Option<Restore>);
    impl Drop for Continue {
        fn drop(&mut self) {
            let inside = COUNTERS.with(|counters| counters.unmeasured.get());
            drop(self.1.take());
            COUNTERS.with(|counters| counters.unmeasured.set(self.0.saturating_add(inside)));
        }
    }
    let before = COUNTERS.with(|counters| counters.unmeasured.get());
    let (armed, bounds) = swap_bounds(bounds.is_some(), with_refusal(bounds.unwrap_or_default()));
    let _continue = Continue(before, Some(Restore { armed, bounds }));
    body()
}

/// Catches an exceeded limit within [`run`], for callers that add its location or must clean up. Only [`run`] catches a forbidden
/// attempt of untrusted code, so that code that handles errors cannot hide it.
///
/// # Errors
/// Returns the limit that was exceeded.
pub fn catch<T>(body: impl FnOnce() -> T) -> Result<T, Exceeded> {
    match intercept(body) {
        Err(exceeded @ Exceeded::Forbidden(_)) => stop(exceeded),
        caught => caught,
    }
}

pub(super) fn intercept<T>(body: impl FnOnce() -> T) -> Result<T, Exceeded> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|payload| match payload.downcast::<Exceeded>() {
        Ok(exceeded) => *exceeded,
        Err(payload) => resume_unwind(payload),
    })
}

/// The remaining time of the current [`run`]; `None`: no limit.
#[must_use]
pub fn time_left() -> Option<Duration> {
    let stop_at = RUNNING
        .with(|running| running.bounds.borrow().stop_at)
        .filter(|_| COUNTERS.with(|counters| counters.armed.get()));
    stop_at.map(|stop_at| stop_at.saturating_duration_since(Instant::now()))
}

/// Moves the end of the time of the limits in force: for waiting that does not count.
pub fn extend_time(by: Duration) {
    RUNNING.with(|running| {
        let mut bounds = running.bounds.borrow_mut();
        bounds.stop_at = bounds.stop_at.map(|stop_at| stop_at + by);
    });
}

/// Whether the time is over or the compile was interrupted, for code that must clean up before it calls [`check`].
#[must_use]
pub fn is_over() -> bool {
    COUNTERS.with(|counters| counters.armed.get() && find_exceeded(counters).is_some())
}

/// Ends the compile if its time is over. Code that waits for a process or a server calls this before and after waiting;
/// `waits_for` returns the name of the process or server.
pub fn check(waits_for: impl FnOnce() -> String) {
    // Asked once: the answer about memory is not repeated until more was allocated.
    let exceeded = COUNTERS.with(|counters| if counters.armed.get() { find_exceeded(counters) } else { None });
    match exceeded.filter(|_| !std::thread::panicking()) {
        Some(Exceeded::Time) => stop(Exceeded::Waiting(waits_for().into())),
        Some(exceeded) => stop(exceeded),
        None => {}
    }
}

/// Continues unwinding if `payload`, which `catch_unwind` returned, is an exceeded limit. Returns other payloads.
pub fn resume_exceeded(payload: Box<dyn Any + Send>) -> Box<dyn Any + Send> {
    if payload.is::<Exceeded>() { resume_unwind(payload) } else { payload }
}
