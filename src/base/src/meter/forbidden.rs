//! Forbidden attempts of untrusted code.
//!
//! In: attempts with their messages. Out: the end of the compile, with the attempt and its location. Must not: decide what is
//! forbidden.

use std::sync::Arc;

use super::Exceeded;
use super::counters::COUNTERS;
use super::counters::RUNNING;
use super::counters::stop;
use super::scope::intercept;

/// A forbidden attempt of untrusted code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The error message.
    pub message: Arc<str>,
    /// The file and line of the code if it is not a manifest.
    pub location: Option<String>,
}

/// Ends the compile because untrusted code attempted something forbidden. Outside of [`super::run`] and before evaluation it
/// returns, and the caller returns an error. The attempt is recorded in [`super::Bounds::refusal`], since a script may catch that error.
pub fn forbid(message: &Arc<str>) {
    let unwinds = RUNNING.with(|running| {
        let bounds = running.bounds.borrow();
        let is_evaluating = COUNTERS.with(|counters| counters.armed.get()) && !bounds.before_evaluation;
        let unwinds = is_evaluating && !std::thread::panicking();
        if let Some(refusal) = bounds.refusal.as_ref().filter(|_| !unwinds) {
            refusal.lock().get_or_insert_with(|| message.clone());
        }
        unwinds
    });
    if unwinds {
        stop(Exceeded::Forbidden(Arc::new(Forbidden { message: message.clone(), location: None })));
    }
}

/// Runs `body`, and adds the location that `location` returns to a forbidden attempt in it. An attempt that has a location keeps
/// it: the innermost location is the most precise.
pub fn with_location<S, T>(
    state: &mut S,
    body: impl FnOnce(&mut S) -> T,
    location: impl FnOnce(&S) -> Option<String>,
) -> T {
    match intercept(|| body(state)) {
        Ok(value) => value,
        Err(Exceeded::Forbidden(attempt)) if attempt.location.is_none() => {
            stop(Exceeded::Forbidden(Arc::new(Forbidden { location: location(state), ..Forbidden::clone(&attempt) })))
        }
        Err(exceeded) => stop(exceeded),
    }
}
