//! The one engine: limits, hooks, and what of Rhai itself is taken away.

use std::cell::Cell;
use std::time::Duration;
use std::time::Instant;

use rhai::Dynamic;
use rhai::Engine;

use crate::scripting::api;
use crate::scripting::host;
use crate::scripting::resolver::Resolver;

/// A function may run this long.
pub(super) const FUNCTION_LIMIT: Duration = Duration::from_secs(5);
/// A classifier may take this long for one node.
pub(super) const CLASSIFY_LIMIT: Duration = Duration::from_secs(1);
/// A script nested deeper in Puppet → Rhai → Puppet calls than this is stopped: each entry starts Rhai's own counters anew.
const MAX_ENTRIES: u32 = 32;

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
    static ENTRIES: Cell<u32> = const { Cell::new(0) };
    static MEMORY: Cell<Memory> = const { Cell::new(Memory { next_look: None, before: None }) };
}

/// Word that a script was stopped by the deadline.
pub(super) const TIMED_OUT: &str = "the time limit of the script is over";

/// A test of scripts may run this long.
pub(super) const TEST_LIMIT: Duration = Duration::from_secs(60);
/// How much the process may grow while a script runs.
const MEMORY_LIMIT: u64 = 256 << 20;
/// How often what the process holds is looked at. In this time no script can take what there is.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Word that a script was stopped since it takes too much memory.
const TOO_MUCH: &str = "the script takes too much memory";

/// Builds the engine. Every limit is set: Rhai's defaults differ between debug and release builds.
pub(super) fn build(with_tests: bool) -> Engine {
    let mut engine = Engine::new();
    engine
        .set_max_call_levels(48)
        .set_max_expr_depths(64, 64)
        .set_max_operations(20_000_000)
        .set_max_variables(4096)
        .set_max_functions(2048)
        .set_max_modules(256)
        .set_max_string_size(1 << 20)
        .set_max_array_size(20_000)
        .set_max_map_size(20_000)
        // The interner is one lock for all threads: with it two threads are slower than one.
        .set_max_strings_interned(0)
        .set_module_resolver(Resolver)
        .disable_symbol("eval");
    engine.on_progress(|operations| {
        // Asking the clock at each operation would double the cost of a loop.
        if !operations.is_multiple_of(16) {
            return None;
        }
        let deadline = DEADLINE.get()?;
        let now = Instant::now();
        if now > deadline {
            return Some(Dynamic::from(TIMED_OUT));
        }
        takes_too_much(now).then(|| Dynamic::from(TOO_MUCH))
    });
    engine.on_print(|text| host::log("notice", text));
    engine.on_debug(|text, _, _| host::log("debug", text));
    api::register(&mut engine, with_tests);
    engine
}

/// Whether the process grew beyond the limit since the script began.
fn takes_too_much(now: Instant) -> bool {
    let watch = MEMORY.get();
    if watch.next_look.is_some_and(|next| now < next) || !host::LOADING.is_set() {
        return false;
    }
    let next_look = Some(now + LOOK_EVERY);
    if watch.next_look.is_none() {
        // Most scripts end before the first look.
        MEMORY.set(Memory { next_look, before: None });
        return false;
    }
    let Some(held) = host::LOADING.with(|loading| loading.world.memory()) else { return false };
    let before = watch.before.unwrap_or(held);
    MEMORY.set(Memory { next_look, before: Some(before) });
    held.saturating_sub(before) > MEMORY_LIMIT
}

/// What is known of the process's memory since the script began.
#[derive(Clone, Copy, Default)]
struct Memory {
    next_look: Option<Instant>,
    before: Option<u64>,
}

/// Runs one entry into a script under a deadline. A nested entry cannot have a later deadline than the outer one.
pub(super) fn limited<T>(limit: Duration, run: impl FnOnce() -> T) -> Option<T> {
    if ENTRIES.get() >= MAX_ENTRIES {
        return None;
    }
    let before = DEADLINE.get();
    let wanted = Instant::now() + limit;
    DEADLINE.set(Some(before.map_or(wanted, |before| before.min(wanted))));
    ENTRIES.set(ENTRIES.get() + 1);
    // Limits of the compile unwind through here.
    let _leave = Leave(before);
    Some(run())
}

/// Ends an entry.
struct Leave(Option<Instant>);

impl Drop for Leave {
    fn drop(&mut self) {
        ENTRIES.set(ENTRIES.get() - 1);
        if ENTRIES.get() == 0 {
            MEMORY.set(Memory::default());
        }
        DEADLINE.set(self.0);
    }
}
