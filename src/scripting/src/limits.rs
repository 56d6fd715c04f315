//! Limits of scripts: time, memory, sizes of values, nested entries. They apply to Rhai's own steps and to each function of the
//! script API.
//!
//! In: the start of an entry, steps of the engine, calls of functions of the API. Out: errors that no script can catch.
//!
//! The engine calls [`progress`] for each step, also for the steps of closures that Rhai's own functions call. A call of an
//! API function is one step to the engine, however long it takes: while it runs, [`catwalk_base::meter`] counts its work and
//! ends it. Functions, blocks and lookups of the compile that a script calls have the bounds of the compile
//! ([`run_in_compile`]).
//!
//! A script that has reached a limit fails with an error that it cannot catch; [`chain`] adds the calls that led there. Some functions of
//! Rhai ignore errors of the closures that they call: each further step of the script fails, too, and after many such steps the script
//! is ended by unwinding ([`catch_limit`]).
//!
//! Memory is attributed to the script whose thread allocates it: if the process has grown by more than a script may allocate, a
//! script is ended if its own thread allocated that much, or if the system does not report the memory of threads.

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use rhai::Dynamic;
use rhai::EvalAltResult;
use rhai::NativeCallContext;
use rhai::Position;

use crate::callers;
use crate::chain;
use crate::running;
use crate::state;
use crate::state::Entry;
use crate::state::Memory;
use crate::state::Pace;
use catwalk_base::meter;
use catwalk_base::meter::Bounds;
use catwalk_base::meter::Exceeded;
use catwalk_value::Measure;
use catwalk_value::Value;
use catwalk_world::memory_touched_by_thread;
use catwalk_world::thread_cpu_time;

/// The time limit of a function, backend or policy.
pub(super) const FUNCTION_LIMIT: Duration = Duration::from_secs(5);
/// The time limit of a classifier for one node.
pub(super) const CLASSIFY_LIMIT: Duration = Duration::from_secs(1);
/// The time limit of a provider: it may have to wait long, and the user can interrupt it.
pub(super) const PROVIDER_LIMIT: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// The time limit of a test of scripts.
pub(super) const TEST_LIMIT: Duration = Duration::from_secs(60);
/// The deepest nesting of entries (Puppet → Rhai → Puppet …). Needed because each entry resets Rhai's own counters.
const MAX_ENTRIES: u32 = 32;
/// The limit of a script's memory in bytes.
const MEMORY_LIMIT: u64 = 256 << 20;
/// The interval at which the memory of the process and the processor time of a provider are read. It is too short to allocate all
/// memory of the machine.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);
/// The maximum number of steps of one entry into a script.
const MAX_STEPS: u64 = 20_000_000;
/// The maximum number of steps of one call of a provider, which works on all resources of a type.
const MAX_PROVIDER_STEPS: u64 = 2_000_000_000;
/// The limit of the processor time of a provider's call. Rhai visits all elements of an array after each change, so an
/// endless loop that fills one takes minutes to reach the limit of elements.
const COMPUTING_LIMIT: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 20 });
/// The number of steps until the clock is first read. Reading it at each step would double the cost of a loop.
const FIRST_READING: u32 = 16;
/// The maximum number of steps between two readings of the clock.
const MAX_PACE: u32 = 64;
/// If more time passes between two readings of the clock, it is read at each step.
const SLOW: Duration = Duration::from_millis(1);
/// If the process has grown by more bytes, the clock is read at each step, since one step may copy them all.
const LARGE: u64 = 16 << 20;
/// The number of steps that may fail after a script has reached a limit; the next one ends the script by unwinding. Rhai's functions
/// take fewer steps for an array.
const MAX_LAST_STEPS: u32 = 1 << 20;

/// The maximum length of a string in bytes.
pub(super) const MAX_STRING: usize = 1 << 20;
/// The maximum number of elements of an array or a map.
pub(super) const MAX_ITEMS: usize = 20_000;
/// The maximum number of elements of an array or a map of a provider, which may contain the attributes of all resources. Elements of
/// nested arrays and maps are included.
pub(super) const MAX_PROVIDER_ITEMS: usize = 200_000;
/// The deepest nesting of a value.
pub(super) const MAX_DEPTH: usize = 200;
/// The maximum number of elements of a Puppet value, including those of nested values.
const MAX_ELEMENTS: usize = 1_000_000;
/// The maximum size in bytes of all strings in a Puppet value.
const MAX_BYTES: u64 = 64 << 20;

/// The message for a script that runs too long.
pub(super) const TIMED_OUT: &str = "the script exceeded its time limit";
/// The message for a script that uses too much memory.
const OUT_OF_MEMORY: &str = "the script takes too much memory";
/// The message for a provider that computes too long.
const COMPUTED_TOO_LONG: &str = "the provider computes for more than 20 seconds";
/// The message for a script that runs too many steps.
pub(super) const TOO_MANY_STEPS: &str = "the script takes too many steps";

/// Runs one entry into a script under a deadline; `None` if entries are nested too deeply. A nested entry cannot have a later
/// deadline than the outer one.
pub(super) fn run_entry<T>(limit: Duration, run: impl FnOnce() -> T) -> Option<T> {
    let (depth, before) = state::entry(|entry| (entry.depth, entry.deadline));
    if depth >= MAX_ENTRIES {
        return None;
    }
    let outer = meter::bounds();
    let end = Instant::now() + limit;
    let deadline = before.map_or(end, |before| before.min(end));
    let refusal = match depth {
        0 => meter::RefusalSlot::default(),
        _ => state::call(|call| call.refusal.clone()),
    };
    let bounds = Bounds { refusal: Some(refusal.clone()), ..script_bounds(outer.as_ref(), deadline) };
    let entry = Entry {
        depth: depth + 1,
        deadline: Some(deadline),
        max_steps: if running::is_set() { MAX_PROVIDER_STEPS } else { MAX_STEPS },
        pace: Pace { every: FIRST_READING, ..Pace::default() },
        failed_steps: 0,
        outer_bounds: outer,
        bounds: Some(bounds.clone()),
        termination: None,
    };
    // Limits of the compile unwind through here.
    let _outer = state::enter(entry, FIRST_READING);
    if depth == 0 {
        state::call(|call| (call.memory, call.computing, call.refusal) = (Memory::default(), None, refusal));
    }
    Some(meter::with(Some(bounds), run))
}

/// The time that the current entry has left; `None`: no script runs.
pub(super) fn time_left() -> Option<Duration> {
    let deadline = state::entry(|entry| entry.deadline);
    deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
}

/// The bounds of a script in a compile with these bounds.
fn script_bounds(outer: Option<&Bounds>, deadline: Instant) -> Bounds {
    let script = Bounds {
        refusal: None,
        stop_at: Some(deadline),
        stop_at_step: None,
        interrupt: None,
        elements: MAX_ELEMENTS,
        string_length: MAX_STRING,
        memory: MEMORY_LIMIT,
        // Checked by `exceeds_memory`.
        memory_gauge: None,
        before_evaluation: outer.is_none_or(|outer| outer.before_evaluation),
    };
    match outer {
        None => script,
        Some(outer) => Bounds {
            refusal: None,
            stop_at: Some(outer.stop_at.map_or(deadline, |stop_at| stop_at.min(deadline))),
            stop_at_step: outer.stop_at_step,
            interrupt: outer.interrupt.clone(),
            elements: script.elements.min(outer.elements),
            string_length: script.string_length.min(outer.string_length),
            memory: script.memory.min(outer.memory),
            memory_gauge: None,
            before_evaluation: script.before_evaluation,
        },
    }
}

/// Runs code of the compile that a script calls, with the bounds of the compile.
pub(super) fn run_in_compile<T>(run: impl FnOnce() -> T) -> T {
    let outer = state::entry(|entry| entry.outer_bounds.clone());
    match meter::with(outer, || meter::catch(run)) {
        Ok(result) => result,
        Err(exceeded) => {
            state::call(|call| call.is_compile_limit = true);
            raise(exceeded)
        }
    }
}

/// Waits for something that has its own time limit, which is not part of the script's. The compile's limits hold.
pub(super) fn wait_for<T>(run: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = run_in_compile(run);
    let waited = started.elapsed();
    state::entry(|entry| {
        entry.deadline = entry.deadline.map(|deadline| deadline + waited);
        if let Some(bounds) = &mut entry.bounds {
            bounds.stop_at = bounds.stop_at.map(|stop_at| stop_at + waited);
        }
    });
    meter::extend_time(waited);
    result
}

/// Runs a block of the script that the compile calls, within the bounds of the script.
///
/// # Errors
///
/// Returns the failure of the block, also when it reached a limit of the script.
pub(super) fn run_in_script(
    run: impl FnOnce() -> Result<Dynamic, Box<EvalAltResult>>,
) -> Result<Dynamic, Box<EvalAltResult>> {
    meter::with(state::entry(|entry| entry.bounds.clone()), || catch_limit(run))
}

/// Runs a part of a script and catches the unwinding of a script limit.
///
/// # Errors
/// Returns the error of the part, or that of the limit.
pub(super) fn catch_limit<T>(run: impl FnOnce() -> Result<T, Box<EvalAltResult>>) -> Result<T, Box<EvalAltResult>> {
    match meter::catch(run) {
        Ok(result) => result,
        // A limit of the compile and an interrupt end the compile, not only the script.
        Err(exceeded)
            if state::call(|call| std::mem::take(&mut call.is_compile_limit)) || exceeded == Exceeded::Interrupted =>
        {
            raise(exceeded)
        }
        Err(exceeded) => stop(chain::limit_reached().unwrap_or_else(|| describe(exceeded))),
    }
}

fn raise(exceeded: Exceeded) -> ! {
    std::panic::resume_unwind(Box::new(exceeded))
}

/// The error of a limit, which scripts cannot catch.
///
/// # Errors
/// Always.
pub(super) fn stop<T>(why: String) -> Result<T, Box<EvalAltResult>> {
    Err(Box::new(EvalAltResult::ErrorTerminated(why.into(), Position::NONE)))
}

/// Called by the engine after each step: whether to stop, and why. Its own count of steps starts again in closures that Rhai's
/// functions call, so steps are counted here.
pub(super) fn progress(_: u64) -> Option<Dynamic> {
    if state::count_step() { None } else { check_limits() }
}

/// Checks time, steps, processor time and memory. It is also called for each step after a limit was reached.
#[cold]
fn check_limits() -> Option<Dynamic> {
    if let Some(why) = chain::limit_reached() {
        let failed = state::entry(|entry| {
            entry.failed_steps = entry.failed_steps.saturating_add(1);
            entry.failed_steps
        });
        if failed > MAX_LAST_STEPS {
            raise(Exceeded::Time);
        }
        return Some(why.into());
    }
    let (deadline, mut pace, max_steps) = state::entry(|entry| (entry.deadline, entry.pace, entry.max_steps));
    let (deadline, now) = (deadline?, Instant::now());
    pace.steps += u64::from(pace.every);
    let why = if now > deadline {
        TIMED_OUT
    } else if pace.steps > max_steps {
        TOO_MANY_STEPS
    } else if exceeds_memory(now) {
        OUT_OF_MEMORY
    } else if running::is_set() && exceeds_computing_time(now) {
        COMPUTED_TOO_LONG
    } else {
        let is_slow = pace.last_reading.is_some_and(|last| now.duration_since(last) > SLOW);
        pace.every = if is_slow || state::call(|call| call.memory.is_large) { 1 } else { MAX_PACE.min(pace.every * 2) };
        state::set_steps_left(pace.every - 1);
        pace.last_reading = Some(now);
        state::entry(|entry| entry.pace = pace);
        return None;
    };
    chain::record_limit(why.to_owned(), None);
    refuse_steps();
    Some(why.into())
}

/// Makes each further step of the script fail.
pub(super) fn refuse_steps() {
    state::set_steps_left(0);
}

/// The refused attempt of untrusted code in the last entry outside an evaluation, where a script may catch the error. Returned
/// once.
pub(super) fn take_refusal() -> Option<Arc<str>> {
    state::call(|call| call.refusal.lock().take())
}

/// The limit of time or memory that the script has reached.
fn exhausted_limit() -> Option<&'static str> {
    let deadline = state::entry(|entry| entry.deadline)?;
    let now = Instant::now();
    if now > deadline {
        return Some(TIMED_OUT);
    }
    exceeds_memory(now).then_some(OUT_OF_MEMORY)
}

/// How a function ends when it reaches a limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitEffect {
    /// With an error.
    Fail,
    /// By unwinding to the function of the script. Used for conversions to strings: after an error, Rhai would print the value itself.
    Unwind,
}

/// Runs a function of the API within the limits of the script that calls it.
pub(super) fn run_metered(
    ctx: Option<NativeCallContext<'_>>,
    effect: LimitEffect,
    run: impl FnOnce(Option<NativeCallContext<'_>>) -> Result<Dynamic, Box<EvalAltResult>>,
) -> Result<Dynamic, Box<EvalAltResult>> {
    let stop_function = |why: String| {
        let at = ctx.as_ref().map(|ctx| (ctx.call_source().map(str::to_owned), ctx.call_position()));
        chain::record_limit(why, at);
        refuse_steps();
        if effect == LimitEffect::Unwind {
            raise(Exceeded::Time)
        } else {
            stop(chain::limit_reached().unwrap_or_default())
        }
    };
    if meter::is_measurement_due() {
        meter::reset_bytes();
        state::call(|call| call.memory.next_check = Some(Instant::now()));
    }
    if let Some(why) = chain::limit_reached().or_else(|| exhausted_limit().map(str::to_owned)) {
        return stop_function(why);
    }
    // The function gets its own context, so that this one is available for an error.
    let function_ctx = ctx.as_ref().map(|ctx| {
        let global = ctx.global_runtime_state();
        NativeCallContext::new_with_all_fields(
            ctx.engine(),
            ctx.fn_name(),
            ctx.fn_source(),
            global,
            ctx.call_position(),
        )
    });
    match meter::catch(|| run(function_ctx)) {
        Ok(result) => result,
        // A limit of the compile and an interrupt end the compile, not only the script.
        Err(exceeded) if state::call(|call| call.is_compile_limit) || exceeded == Exceeded::Interrupted => {
            raise(exceeded)
        }
        Err(exceeded) => stop_function(describe(exceeded)),
    }
}

fn describe(exceeded: Exceeded) -> String {
    match exceeded {
        Exceeded::Time | Exceeded::Waiting(_) | Exceeded::Interrupted => TIMED_OUT.to_owned(),
        // Ends the compile, too: the steps of a script count for it.
        Exceeded::Steps => TIMED_OUT.to_owned(),
        Exceeded::Memory => OUT_OF_MEMORY.to_owned(),
        Exceeded::Elements => format!("a value of the script has more than {MAX_ELEMENTS} elements"),
        Exceeded::StringLength => format!("a string of the script is longer than {MAX_STRING} bytes"),
        Exceeded::Search => "a regular expression takes too many steps".to_owned(),
        Exceeded::Depth => "a value or type contains itself, or is nested too deeply".to_owned(),
        // It ends the compile and is not catch_limit here.
        Exceeded::Forbidden(_) => "the script tried something that untrusted code may not do".to_owned(),
    }
}

/// Checks the size of a Puppet value. All values that scripts build are checked, so every traversal of a value ends, even if
/// the value contains one inner value many times.
///
/// # Errors
/// Returns which limit the value exceeds.
pub(super) fn check_size(value: &Value) -> Result<(), String> {
    check_measure(value.measure())
}

/// Checks a size against the limits of Puppet values in scripts.
///
/// # Errors
/// Returns which limit the value exceeds.
pub(super) fn check_measure(size: Measure) -> Result<(), String> {
    if size.depth as usize > MAX_DEPTH {
        return Err(format!("a value of a script is nested deeper than {MAX_DEPTH} levels"));
    }
    if size.elements as usize > MAX_ELEMENTS {
        return Err(format!(
            "a value of a script has more than {MAX_ELEMENTS} elements, including those of nested values"
        ));
    }
    if size.bytes > MAX_BYTES {
        return Err(format!("the strings in a value of a script have more than {MAX_BYTES} bytes"));
    }
    Ok(())
}

/// Whether a provider has computed for too long since it was called.
fn exceeds_computing_time(now: Instant) -> bool {
    let computing = state::call(|call| call.computing);
    if computing.is_some_and(|(next, _)| now < next) {
        return false;
    }
    let Some(computed) = thread_cpu_time() else { return false };
    let before = computing.map_or(computed, |(_, before)| before);
    state::call(|call| call.computing = Some((now + CHECK_INTERVAL, before)));
    computed.saturating_sub(before) > COMPUTING_LIMIT
}

/// Whether the script has allocated more memory than its limit since the first reading.
fn exceeds_memory(now: Instant) -> bool {
    let memory = state::call(|call| call.memory);
    if memory.next_check.is_some_and(|next| now < next) {
        return false;
    }
    let next_check = Some(now + CHECK_INTERVAL);
    if memory.next_check.is_none() {
        // Most scripts end before the first reading.
        state::call(|call| call.memory = Memory { next_check, ..Memory::default() });
        return false;
    }
    let Some(held) = callers::loading(|loading| loading.world.memory()).flatten() else {
        state::call(|call| call.memory.next_check = next_check);
        return false;
    };
    let (before, thread_before) = memory.before.unwrap_or_else(|| (held, memory_touched_by_thread()));
    let is_large = held.saturating_sub(before) > LARGE;
    state::call(|call| call.memory = Memory { next_check, before: Some((before, thread_before)), is_large });
    if held.saturating_sub(before) <= MEMORY_LIMIT {
        return false;
    }
    // Other threads may have allocated the memory. If that is unknown, it is attributed to this thread.
    match (thread_before, memory_touched_by_thread()) {
        (Some(before), Some(now)) => now.saturating_sub(before) > MEMORY_LIMIT,
        _ => true,
    }
}
