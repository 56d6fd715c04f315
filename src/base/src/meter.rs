//! The limits of a compile, also for code that returns no errors.
//!
//! Three things bound a compile:
//!
//! 1. *One value.* Every array and hash stores its depth and its size (`value::Measure`); the evaluator refuses a value beyond
//!    the limits as soon as an expression or call returns it. So code that walks a value may recurse: no printer, comparison
//!    or conversion needs its own limits.
//! 2. *All values.* The code that creates a value reports its size in bytes ([`charge`]). Freed bytes are not subtracted: the
//!    count only decides when the evaluator measures the process ([`due`]). What one call of a function may
//!    take in between is bounded by the same limit, or by a share of it while several compiles run ([`parallel`]).
//! 3. *Time.* Charges and steps of long loops ([`tick`]) count down to the next check of the time.
//!
//! In: charges and ticks from anywhere below the evaluator. Out: [`Exceeded`], where [`run`] or [`catch`] was called. Between
//! the two, the stack is unwound (`resume_unwind`, no panic: nothing is printed, no hook runs), since code that compares,
//! hashes and prints values returns no errors. Outside of [`run`] nothing unwinds and nothing is limited.
//! After a limit has ended a compile, none of its state is used.
//!
//! Must not: know values or limits by name. Counters belong to the thread that compiles; counting is one addition.

pub mod parallel;

use std::any::Any;
use std::cell::Cell;
use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

/// The limit that was exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exceeded {
    /// The time limit.
    Time,
    /// An interrupt: the user or a newer edit ended the compile.
    Interrupted,
    /// The limit on the elements of a value.
    Elements,
    /// The limit on the length of a string.
    Text,
    /// The limit on memory.
    Memory,
    /// The limit on the steps of a regular expression.
    Search,
    /// The limit on recursion: types that refer to themselves.
    Depth,
    /// Untrusted code attempted something forbidden, see [`forbidden`].
    Forbidden,
}

/// The limits of a compile.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// When to stop.
    pub stop_at: Option<Instant>,
    /// Set by the thread that ends the compile.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Most elements of one value.
    pub elements: usize,
    /// The length of the longest string in bytes.
    pub text: usize,
    /// Most bytes at once.
    pub memory: u64,
    /// How to measure the memory of the compile; `None`: only the memory of single calls is limited.
    pub held: Option<MemoryGauge>,
    /// Whether Catwalk itself reads data before evaluation, to prepare the node. A refusal is then an error of its own and does
    /// not end a compile by unwinding.
    pub before_evaluation: bool,
}

/// Measures the memory of a compile.
#[derive(Clone, Copy, Debug)]
pub struct MemoryGauge {
    /// The current memory of the process in bytes.
    pub resident: fn() -> Option<u64>,
    /// The memory of the process at the start of the compile.
    pub base: u64,
}

impl Bounds {
    /// Whether the limit on memory allows so many more bytes.
    fn has_room(&self, more: u64) -> bool {
        let Some((held, now)) = self.held.and_then(|held| Some((held, (held.resident)()?))) else { return true };
        let own = now.saturating_sub(parallel::lowest(held.base.min(now), now));
        let is_within = own.saturating_add(more) <= self.memory;
        if !is_within {
            parallel::give_up_shared();
        }
        is_within
    }

    /// Whether the memory of the compile can be measured.
    fn is_known(&self) -> bool {
        self.held.is_some_and(|held| (held.resident)().is_some())
    }

    /// Limits on time only; the caller sets `stop_at` or `interrupt`.
    #[must_use]
    pub fn of_time() -> Bounds {
        Bounds { elements: usize::MAX, text: usize::MAX, memory: u64::MAX, ..Bounds::default() }
    }
}

/// Bytes between two measurements of the process in the evaluator.
const LOOK: u64 = 64 << 20;
/// Bytes between two measurements of the process within one call.
const ASK: u64 = 16 << 20;
/// Allocations of fewer bytes are not checked in advance.
const LARGE: usize = 8 << 20;
/// Code that reads a string reports its tokens, lines or pieces in batches of this size, which makes the counting cheap.
pub const OFTEN: usize = 1024;
/// Steps until the next look at the clock.
const STEPS: i64 = 1 << 16;

struct Counters {
    /// Whether limits are in force: within [`run`].
    armed: Cell<bool>,
    /// Steps until the next look at the clock.
    left: Cell<i64>,
    /// Bytes since the last measurement in the evaluator.
    unseen: Cell<u64>,
    /// The value of `unseen` at the last measurement of the process.
    asked: Cell<u64>,
    elements: Cell<usize>,
    text: Cell<usize>,
}

thread_local! {
    static COUNTERS: Counters = const {
        Counters {
            armed: Cell::new(false),
            left: Cell::new(STEPS),
            unseen: Cell::new(0),
            asked: Cell::new(0),
            elements: Cell::new(0),
            text: Cell::new(0),
        }
    };
    static BOUNDS: RefCell<Bounds> = RefCell::default();
    static WAITED: RefCell<Option<String>> = const { RefCell::new(None) };
    static FORBIDDEN: RefCell<Option<Forbidden>> = const { RefCell::new(None) };
}

/// A forbidden attempt of untrusted code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// The attempt, as an error message.
    pub text: Arc<str>,
    /// The file and line of the code if it is not a manifest.
    pub place: Option<String>,
}

/// Restores the limits on drop, also when the stack unwinds.
struct Restore {
    armed: bool,
    bounds: Bounds,
}

impl Drop for Restore {
    fn drop(&mut self) {
        exchange(self.armed, std::mem::take(&mut self.bounds));
    }
}

/// Sets limits and returns the previous ones.
fn exchange(armed: bool, bounds: Bounds) -> (bool, Bounds) {
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

/// Runs `body` within bounds.
///
/// # Errors
/// Returns the limit that was exceeded.
pub fn run<T>(bounds: Bounds, body: impl FnOnce() -> T) -> Result<T, Exceeded> {
    let (armed, bounds) = exchange(true, bounds);
    let _restore = Restore { armed, bounds };
    intercept(body)
}

/// The limits in force; `None` outside of [`run`].
#[must_use]
pub fn bounds() -> Option<Bounds> {
    COUNTERS.with(|own| own.armed.get()).then(|| BOUNDS.with(|own| own.borrow().clone()))
}

/// Runs `body` within other limits; with `None`, without any. Bytes that were counted before and within the call are both counted
/// afterwards. Unwinding continues to the caller.
pub fn with<T>(bounds: Option<Bounds>, body: impl FnOnce() -> T) -> T {
    struct Continue(u64, Option<Restore>);
    impl Drop for Continue {
        fn drop(&mut self) {
            let inside = COUNTERS.with(|own| own.unseen.get());
            drop(self.1.take());
            COUNTERS.with(|own| own.unseen.set(self.0.saturating_add(inside)));
        }
    }
    let before = COUNTERS.with(|own| own.unseen.get());
    let (armed, bounds) = exchange(bounds.is_some(), bounds.unwrap_or_default());
    let _continue = Continue(before, Some(Restore { armed, bounds }));
    body()
}

/// Catches an exceeded limit within [`run`], for callers that add its location or must clean up. An attempt of untrusted code ends
/// the whole compile: only [`run`] catches it, so that no code that handles errors can hide it.
///
/// # Errors
/// Returns the limit that was exceeded.
pub fn catch<T>(body: impl FnOnce() -> T) -> Result<T, Exceeded> {
    match intercept(body) {
        Err(Exceeded::Forbidden) => stop(Exceeded::Forbidden),
        caught => caught,
    }
}

fn intercept<T>(body: impl FnOnce() -> T) -> Result<T, Exceeded> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|payload| match payload.downcast::<Exceeded>() {
        Ok(exceeded) => *exceeded,
        Err(payload) => resume_unwind(payload),
    })
}

/// The remaining time of the current [`run`]; `None`: no limit.
#[must_use]
pub fn time_left() -> Option<Duration> {
    let stop_at = BOUNDS.with(|bounds| bounds.borrow().stop_at).filter(|_| COUNTERS.with(|own| own.armed.get()));
    stop_at.map(|stop_at| stop_at.saturating_duration_since(Instant::now()))
}

/// Whether the time is over or the compile was interrupted, for code that must clean up before it calls [`check`].
#[must_use]
pub fn is_over() -> bool {
    COUNTERS.with(|own| own.armed.get() && exceeded(own).is_some())
}

/// Ends the compile when its time is over. Code that waits for a process or a server calls this before and after it waits, with
/// the name of what it waits for.
pub fn check(waits_for: impl FnOnce() -> String) {
    if is_over() {
        WAITED.with(|waited| waited.replace(Some(waits_for())));
        COUNTERS.with(look);
    }
}

/// What the compile waited for when its time was over, if it waited.
pub fn take_waited() -> Option<String> {
    WAITED.with(RefCell::take)
}

/// Continues the unwinding of an exceeded limit that a handler of panics caught.
pub fn pass(payload: Box<dyn Any + Send>) -> Box<dyn Any + Send> {
    if payload.is::<Exceeded>() { resume_unwind(payload) } else { payload }
}

fn stop(exceeded: Exceeded) -> ! {
    resume_unwind(Box::new(exceeded))
}

/// Ends the compile because untrusted code attempted something forbidden. Outside of [`run`] and before evaluation it returns;
/// the caller then returns an error. The attempt stays recorded ([`forbidden`]), as a script may catch that error.
pub fn forbid(text: &Arc<str>) {
    FORBIDDEN.with(|own| {
        if let Ok(mut noted) = own.try_borrow_mut() {
            noted.get_or_insert_with(|| Forbidden { text: text.clone(), place: None });
        }
    });
    let evaluates = || BOUNDS.with(|bounds| !bounds.borrow().before_evaluation);
    if COUNTERS.with(|own| own.armed.get()) && evaluates() && !std::thread::panicking() {
        FORBIDDEN.with(|own| own.replace(Some(Forbidden { text: text.clone(), place: None })));
        stop(Exceeded::Forbidden);
    }
}

/// The last forbidden attempt since the last call, usually read after [`run`] returned [`Exceeded::Forbidden`].
#[must_use]
pub fn forbidden() -> Option<Forbidden> {
    FORBIDDEN.with(|own| own.borrow_mut().take())
}

/// Runs `body` for `of`. A forbidden attempt in it gets a location, unless it has one: the innermost is the most exact.
pub fn placed<S, T>(of: &mut S, body: impl FnOnce(&mut S) -> T, place: impl FnOnce(&S) -> Option<String>) -> T {
    match intercept(|| body(of)) {
        Ok(value) => value,
        Err(exceeded) => {
            FORBIDDEN.with(|own| {
                if let Some(forbidden) = own.borrow_mut().as_mut().filter(|_| exceeded == Exceeded::Forbidden) {
                    forbidden.place = forbidden.place.take().or_else(|| place(of));
                }
            });
            stop(exceeded)
        }
    }
}

/// Counts bytes that are about to be allocated.
#[inline]
pub fn charge(bytes: usize) {
    COUNTERS.with(|own| {
        own.unseen.set(own.unseen.get().saturating_add(bytes as u64));
        step(own, bytes / 16);
    });
}

/// Ends the compile if allocating so many bytes at once would exceed the limit on memory. Nothing is counted.
#[inline]
pub fn room(bytes: usize) {
    if bytes >= LARGE {
        COUNTERS.with(|own| {
            let has_room = || BOUNDS.with(|bounds| bounds.borrow().has_room(bytes as u64));
            if own.armed.get() && !std::thread::panicking() && !has_room() {
                stop(Exceeded::Memory);
            }
        });
    }
}

/// A copy of a list.
pub fn to_vec<T: Clone>(items: &[T]) -> Vec<T> {
    room(size_of_val(items));
    charge(size_of_val(items));
    items.to_vec()
}

/// Appends to a string that may become long, and counts its memory.
pub fn push_str(out: &mut String, piece: &str) {
    let len = out.len().saturating_add(piece.len());
    text(len);
    if len > out.capacity() {
        // The old and the new one exist at the same time.
        room(out.capacity().saturating_mul(2).max(len));
    }
    out.push_str(piece);
}

/// Counts steps of a long loop.
#[inline]
pub fn tick(steps: usize) {
    COUNTERS.with(|own| step(own, steps));
}

#[inline]
fn step(own: &Counters, steps: usize) {
    let left = own.left.get().saturating_sub(i64::try_from(steps).unwrap_or(i64::MAX)).saturating_sub(1);
    own.left.set(left);
    if left < 0 {
        look(own);
    }
}

/// Checks the time, the interrupt and the memory.
#[cold]
fn look(own: &Counters) {
    own.left.set(STEPS);
    // While the thread unwinds, a second unwinding would end the process.
    if !own.armed.get() || std::thread::panicking() {
        return;
    }
    if let Some(exceeded) = exceeded(own) {
        stop(exceeded);
    }
}

fn exceeded(own: &Counters) -> Option<Exceeded> {
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

/// For loops that create and drop values, between two iterations: freed memory is no longer counted if the memory of the compile
/// can be measured. What one call takes in between stays limited as a whole.
#[inline]
pub fn settle() {
    COUNTERS.with(|own| {
        if own.unseen.get() > ASK {
            look_at_held(own);
        }
    });
}

/// Measures the memory of the compile. While other compiles run, it cannot be attributed to one of them.
#[cold]
fn look_at_held(own: &Counters) {
    if parallel::is_shared() {
        return;
    }
    if BOUNDS.with(|bounds| bounds.borrow().is_known() && bounds.borrow().has_room(0)) {
        own.unseen.set(0);
        own.asked.set(0);
    }
}

/// Ends the compile if a list with `len` elements exceeds the limit.
#[inline]
pub fn elements(len: usize) {
    COUNTERS.with(|own| {
        if own.armed.get() && len > own.elements.get() {
            stop(Exceeded::Elements);
        }
    });
}

/// Ends the compile if a string of `len` bytes exceeds the limit.
#[inline]
pub fn text(len: usize) {
    COUNTERS.with(|own| {
        if own.armed.get() && len > own.text.get() {
            stop(Exceeded::Text);
        }
    });
}

/// Ends the compile: a search exceeded its limit on steps, so its result is unknown.
pub fn gave_up() {
    if COUNTERS.with(|own| own.armed.get()) {
        stop(Exceeded::Search);
    }
}

/// Ends the compile: a recursion exceeded its limit.
pub fn too_deep() {
    if COUNTERS.with(|own| own.armed.get()) {
        stop(Exceeded::Depth);
    }
}

/// Collects a sequence into a list, within the limit on elements.
pub fn collect<T>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::with_capacity(values.size_hint().0.min(1 << 16));
    for value in values {
        if all.len() & 0xfff == 0xfff {
            elements(all.len());
            charge(size_of::<T>() << 12);
        }
        if all.len() == all.capacity() {
            // The old and the new list exist at the same time.
            room(all.capacity().saturating_mul(2 * size_of::<T>()));
        }
        all.push(value);
    }
    elements(all.len());
    all
}

/// Whether enough memory was allocated that the process should be measured.
#[inline]
#[must_use]
pub fn due() -> bool {
    COUNTERS.with(|own| own.unseen.get() > LOOK)
}

/// Resets the count of bytes after a measurement of the process.
pub fn looked() {
    COUNTERS.with(|own| {
        own.unseen.set(0);
        own.asked.set(0);
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        stop_at: None,
        interrupt: None,
        elements: 10,
        text: 10,
        memory: 1000,
        held: None,
        before_evaluation: false,
    };

    #[test]
    fn what_is_used_up_ends_the_body() {
        assert_eq!(run(BOUNDS, || 1), Ok(1));
        assert_eq!(run(BOUNDS, || elements(11)), Err(Exceeded::Elements));
        assert_eq!(run(BOUNDS, || text(11)), Err(Exceeded::Text));
        assert_eq!(run(BOUNDS, || (0..100).for_each(|_| charge(1 << 20))), Err(Exceeded::Memory));
        assert_eq!(run(BOUNDS, || collect(0..)).map(|all: Vec<i32>| all.len()), Err(Exceeded::Elements));
        let late = Bounds { stop_at: Some(Instant::now()), ..BOUNDS };
        assert_eq!(run(late, || (0..u64::MAX).for_each(|_| tick(1))), Err(Exceeded::Time));
        let interrupt = Bounds { interrupt: Some(Arc::new(AtomicBool::new(true))), ..BOUNDS };
        assert_eq!(run(interrupt, || (0..u64::MAX).for_each(|_| tick(1))), Err(Exceeded::Interrupted));
    }

    #[test]
    fn what_is_taken_at_once_is_looked_at_before() {
        let held = Some(MemoryGauge { resident: || Some(100 << 20), base: 20 << 20 });
        let bounds = || Bounds { memory: 100 << 20, text: usize::MAX, held, ..BOUNDS };
        assert_eq!(run(bounds(), || room(20 << 20)), Ok(()));
        assert_eq!(run(bounds(), || room(21 << 20)), Err(Exceeded::Memory));
        assert_eq!(run(bounds(), || to_vec(&vec![0u8; 21 << 20]).len()), Err(Exceeded::Memory));
        let long = "x".repeat(12 << 20);
        assert_eq!(run(bounds(), || push_str(&mut long.clone(), "y")), Err(Exceeded::Memory));
        let full = || Bounds { memory: 50 << 20, ..bounds() };
        assert_eq!(run(full(), || (0..15).for_each(|_| charge(1 << 20))), Ok(()));
        assert_eq!(run(full(), || (0..40).for_each(|_| charge(1 << 20))), Err(Exceeded::Memory));
    }

    #[test]
    fn only_run_catches_what_is_forbidden() {
        let text: Arc<str> = Arc::from("no");
        forbid(&text);
        let inner = || catch(|| placed(&mut 7, |_| forbid(&text), |line| Some(format!("a.rb:{line}")))).is_err();
        assert_eq!(
            run(BOUNDS, || placed(&mut 1, |_| inner(), |line| Some(format!("b.rb:{line}")))),
            Err(Exceeded::Forbidden)
        );
        assert_eq!(forbidden(), Some(Forbidden { text, place: Some("a.rb:7".to_owned()) }));
        assert_eq!(forbidden(), None);
    }

    #[test]
    fn other_bounds_hold_for_a_part_and_what_was_counted_stays() {
        let wide = Bounds { elements: 100, memory: 100 << 20, ..BOUNDS };
        let counted = run(wide.clone(), || {
            charge(50 << 20);
            with(Some(BOUNDS), || assert_eq!(catch(|| elements(11)), Err(Exceeded::Elements)));
            with(None, || elements(usize::MAX));
            assert_eq!(bounds().map(|bounds| bounds.elements), Some(100));
            with(Some(wide), || charge(20 << 20));
            due()
        });
        assert_eq!(counted, Ok(true));
        assert!(bounds().is_none());
    }

    #[test]
    fn outside_nothing_is_limited_and_other_panics_go_on() {
        elements(usize::MAX);
        text(usize::MAX);
        assert_eq!(run(BOUNDS, || run(Bounds { elements: 100, ..BOUNDS }, || elements(50))), Ok(Ok(())));
        assert_eq!(run(BOUNDS, || catch(|| elements(50))), Ok(Err(Exceeded::Elements)));
        let other = catch_unwind(|| run(BOUNDS, || resume_unwind(Box::new("other"))));
        let payload: Box<dyn std::any::Any + Send> = other.map(|_: Result<(), _>| ()).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"other"));
        elements(usize::MAX);
    }
}
