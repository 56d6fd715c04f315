//! Forbidden attempts of untrusted code.
//!
//! In: attempts with their messages. Out: the end of the compile, and the attempt with its location. Must not: decide what is
//! forbidden.

use std::cell::RefCell;
use std::sync::Arc;

use super::Exceeded;
use super::counters::BOUNDS;
use super::counters::COUNTERS;
use super::counters::stop;
use super::scope::intercept;

thread_local! {
    static FORBIDDEN: RefCell<Option<Forbidden>> = const { RefCell::new(None) };
}

/// A forbidden attempt of untrusted code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The error message.
    pub message: Arc<str>,
    /// The file and line of the code if it is not a manifest.
    pub location: Option<String>,
}

/// Ends the compile because untrusted code attempted something forbidden. Outside of [`super::run`] and before evaluation it
/// returns, and the caller returns an error. The attempt is recorded for [`take_forbidden`], since a script may catch that error.
pub fn forbid(message: &Arc<str>) {
    FORBIDDEN.with(|recorded| {
        if let Ok(mut attempt) = recorded.try_borrow_mut() {
            attempt.get_or_insert_with(|| Forbidden { message: message.clone(), location: None });
        }
    });
    let evaluates = || BOUNDS.with(|bounds| !bounds.borrow().before_evaluation);
    if COUNTERS.with(|counters| counters.armed.get()) && evaluates() && !std::thread::panicking() {
        FORBIDDEN.with(|recorded| recorded.replace(Some(Forbidden { message: message.clone(), location: None })));
        stop(Exceeded::Forbidden);
    }
}

/// Takes the recorded forbidden attempt, usually after [`super::run`] returned [`Exceeded::Forbidden`].
#[must_use]
pub fn take_forbidden() -> Option<Forbidden> {
    FORBIDDEN.with(|recorded| recorded.borrow_mut().take())
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
        Err(exceeded) => {
            FORBIDDEN.with(|recorded| {
                if let Some(forbidden) = recorded.borrow_mut().as_mut().filter(|_| exceeded == Exceeded::Forbidden) {
                    forbidden.location = forbidden.location.take().or_else(|| location(state));
                }
            });
            stop(exceeded)
        }
    }
}
