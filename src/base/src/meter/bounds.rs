//! The limits of a compile and the error of an exceeded limit.
//!
//! In: nothing. Out: [`Bounds`], [`Exceeded`]. Must not: count.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::Forbidden;
use super::parallel;

/// The limit that was exceeded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exceeded {
    /// The time limit.
    Time,
    /// The time limit, while the compile waited for this process or server.
    Waiting(Arc<str>),
    /// The limit on steps.
    Steps,
    /// An interrupt: the user or a newer edit ended the compile.
    Interrupted,
    /// The limit on the elements of a value.
    Elements,
    /// The limit on the length of a string.
    StringLength,
    /// The limit on memory.
    Memory,
    /// The limit on the steps of a regular expression.
    Search,
    /// The limit on recursion: values or types that contain themselves or nest too deeply.
    Depth,
    /// Untrusted code attempted something forbidden, see [`super::forbid()`].
    Forbidden(Arc<Forbidden>),
}

/// The limits of a compile.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// The end of the time limit.
    pub stop_at: Option<Instant>,
    /// The end of the limit on steps: the count of [`super::steps`] at which the thread stops. Unlike the time, it does not depend on the
    /// load of the machine.
    pub stop_at_step: Option<u64>,
    /// A flag by which another thread ends the compile.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// The most elements of one value.
    pub elements: usize,
    /// The most bytes of one string.
    pub string_length: usize,
    /// The most bytes of memory.
    pub memory: u64,
    /// Measures the memory of the compile; `None`: only the memory of single calls is limited.
    pub memory_gauge: Option<MemoryGauge>,
    /// Whether the limits are for reading data before evaluation. A forbidden attempt is then an ordinary error and does not unwind.
    pub before_evaluation: bool,
    /// Where a forbidden attempt that does not unwind is recorded; `None`: where the bounds around these record it.
    pub refusal: Option<RefusalSlot>,
}

/// The message of the first forbidden attempt of code that may catch its error. Clones share it.
pub type RefusalSlot = Arc<Mutex<Option<Arc<str>>>>;

/// Measures the memory of a compile.
#[derive(Clone, Copy, Debug)]
pub struct MemoryGauge {
    /// The current memory of the process in bytes.
    pub resident: fn() -> Option<u64>,
    /// The memory of the process at the start of the compile.
    pub base: u64,
}

impl Bounds {
    /// Whether the limit on memory allows `bytes` more in addition to the current memory.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        let Some((gauge, now)) = self.memory_gauge.and_then(|gauge| Some((gauge, (gauge.resident)()?))) else {
            return true;
        };
        let used = now.saturating_sub(parallel::base_memory(gauge.base.min(now), now));
        let is_within = used.saturating_add(bytes) <= self.memory;
        if !is_within {
            parallel::request_repeat();
        }
        is_within
    }

    /// Whether the memory of the compile can be measured.
    pub(super) fn can_measure(&self) -> bool {
        self.memory_gauge.is_some_and(|gauge| (gauge.resident)().is_some())
    }

    /// Bounds without limits, except for time: the caller sets `stop_at` or `interrupt`.
    #[must_use]
    pub fn time_only() -> Bounds {
        Bounds { elements: usize::MAX, string_length: usize::MAX, memory: u64::MAX, ..Bounds::default() }
    }
}
