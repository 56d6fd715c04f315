//! The state of the running script: the limits of the entry and how it ended, and what the call has declared and met so far.
//!
//! The hooks of the engine have no argument for it, so each thread has one slot. An entry (Puppet → Rhai) has its own [`Entry`], which
//! replaces that of the code that called it and is restored as a whole when it ends, also when a limit unwinds. All entries within one
//! another share a [`Call`]. The thread also keeps the regular expressions that scripts compiled last. Must not: decide about limits, or hold rights.

use std::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::time::Duration;
use std::time::Instant;

use catwalk_base::meter::Bounds;
use catwalk_base::meter::RefusalSlot;
use catwalk_base::names::Name;

use crate::api::Verdict;
use crate::chain::Body;
use crate::chain::Termination;
use crate::dispatch::Dispatch;
use crate::groups::GroupCollection;
use crate::missing_key::MissingEntry;
use crate::provider_tests::Property;
use crate::register::Registrations;
use crate::testing::Stubs;

/// One entry into a script.
#[derive(Default)]
pub(super) struct Entry {
    /// The number of entries around this one and itself.
    pub(super) depth: u32,
    pub(super) deadline: Option<Instant>,
    /// The maximum number of steps.
    pub(super) max_steps: u64,
    pub(super) pace: Pace,
    /// The number of steps that failed after a limit was reached.
    pub(super) failed_steps: u32,
    /// The bounds of the code that entered the script.
    pub(super) outer_bounds: Option<Bounds>,
    /// The bounds of the script.
    pub(super) bounds: Option<Bounds>,
    /// How the entry ended, once a limit or an error that no script can catch has ended it.
    pub(super) termination: Option<Termination>,
}

/// The schedule for reading the clock.
#[derive(Clone, Copy, Default)]
pub(super) struct Pace {
    /// Steps between two readings.
    pub(super) every: u32,
    pub(super) last_reading: Option<Instant>,
    /// Steps of this entry until the last reading.
    pub(super) steps: u64,
}

/// What the entries within one another share.
#[derive(Default)]
pub(super) struct Call {
    pub(super) memory: Memory,
    /// The time of the next check of this thread's processor time, and the processor time when a provider was called.
    pub(super) computing: Option<(Instant, Duration)>,
    /// The forbidden attempt of an untrusted script that may have caught its error.
    pub(super) refusal: RefusalSlot,
    /// Whether the exceeded limit is one of the compile, not of the script.
    pub(super) is_compile_limit: bool,
    /// The last missing entry of a map, for an error about a `()`.
    pub(super) missing: Option<MissingEntry>,
    /// The body that the next template of [`crate::chain`] contains.
    pub(super) next_body: Option<Body>,
    /// Imports in progress, to report a cycle before the stack overflows.
    pub(super) imports: Vec<String>,
    /// The `dispatch` lines while the top of a function's script runs; `None` at other times. The next two are of types and of groups.
    pub(super) dispatches: Option<Vec<Dispatch>>,
    pub(super) registrations: Option<Registrations>,
    pub(super) groups: Option<GroupCollection>,
    /// The verdicts while a policy runs; `None` at other times.
    pub(super) verdicts: Option<Vec<Verdict>>,
    /// Whether a classifier has called `classification()`.
    pub(super) has_classification: bool,
}

/// The state of a script's memory checks.
#[derive(Clone, Copy, Default)]
pub(super) struct Memory {
    pub(super) next_check: Option<Instant>,
    /// The memory of the process and of this thread at the first reading, in bytes.
    pub(super) before: Option<(u64, Option<u64>)>,
    /// Whether the process has grown by much: each step may copy all of it.
    pub(super) is_large: bool,
}

/// The parts of the running entry that the engine asks at each step and each call of a function.
struct Steps {
    /// Steps until the clock is read.
    left: Cell<u32>,
    /// Whether `termination` of the entry is set.
    has_terminated: Cell<bool>,
}

/// What tests of scripts set and record.
#[derive(Default)]
pub(super) struct Tests {
    /// What the running test puts in place of functions, facts and the machine.
    pub(super) stubs: Option<Stubs>,
    /// In how many calls a property of a provider held.
    pub(super) property_counts: BTreeMap<(Name, Property), usize>,
    /// The lines of each script that ran, for coverage.
    pub(super) ran_lines: BTreeMap<String, BTreeSet<usize>>,
}

#[derive(Default)]
struct Slot {
    entry: RefCell<Entry>,
    call: RefCell<Call>,
    tests: RefCell<Tests>,
    /// The regular expressions that this thread compiled last, by their source.
    patterns: RefCell<Vec<(String, regex::Regex)>>,
}

thread_local! {
    static SLOT: Slot = Slot::default();
    // Apart, because nothing has to be dropped: it takes no check whether the thread has the slot.
    static STEPS: Steps = const { Steps { left: Cell::new(0), has_terminated: Cell::new(false) } };
}

/// Uses the state of the running entry. `run` must not run parts of scripts.
pub(super) fn entry<T>(run: impl FnOnce(&mut Entry) -> T) -> T {
    SLOT.with(|slot| {
        let mut entry = slot.entry.borrow_mut();
        let result = run(&mut entry);
        STEPS.with(|steps| steps.has_terminated.set(entry.termination.is_some()));
        result
    })
}

/// Uses the state of the running call. `run` must not run parts of scripts.
pub(super) fn call<T>(run: impl FnOnce(&mut Call) -> T) -> T {
    SLOT.with(|slot| run(&mut slot.call.borrow_mut()))
}

/// Uses the regular expressions that this thread compiled last.
pub(super) fn patterns<T>(run: impl FnOnce(&mut Vec<(String, regex::Regex)>) -> T) -> T {
    SLOT.with(|slot| run(&mut slot.patterns.borrow_mut()))
}

/// Uses what tests set and record. `run` must not run parts of scripts.
pub(super) fn tests<T>(run: impl FnOnce(&mut Tests) -> T) -> T {
    SLOT.with(|slot| run(&mut slot.tests.borrow_mut()))
}

/// Counts a step; `false`: it is time to read the clock.
pub(super) fn count_step() -> bool {
    STEPS.with(|steps| match steps.left.get().checked_sub(1) {
        Some(left) => {
            steps.left.set(left);
            true
        }
        None => false,
    })
}

/// Sets the number of steps until the clock is read.
pub(super) fn set_steps_left(steps: u32) {
    STEPS.with(|running| running.left.set(steps));
}

/// Whether a limit, or an error that no script can catch, has ended the running entry.
pub(super) fn has_terminated() -> bool {
    STEPS.with(|steps| steps.has_terminated.get())
}

/// Restores the state of the code that entered a script.
pub(super) struct Outer {
    entry: Entry,
    steps_left: u32,
}

/// Begins an entry that reads the clock after `steps_left` steps.
pub(super) fn enter(new: Entry, steps_left: u32) -> Outer {
    let outer = entry(|entry| std::mem::replace(entry, new));
    Outer { entry: outer, steps_left: STEPS.with(|steps| steps.left.replace(steps_left)) }
}

impl Drop for Outer {
    fn drop(&mut self) {
        let ended = entry(|entry| std::mem::replace(entry, std::mem::take(&mut self.entry)));
        set_steps_left(self.steps_left);
        drop(ended);
    }
}
