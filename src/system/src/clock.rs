//! Clocks: the time of messages and events, and how long something took.

use std::time::Duration;
use std::time::Instant;
use std::time::SystemTime;

/// The clock of a machine. Several can use it, such as a log while a resource uses the machine.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> SystemTime;

    /// The time since the clock was created. It never decreases when the system's time is set, so its differences are durations.
    fn elapsed(&self) -> Duration;
}

/// The clock of the machine on which this process runs.
#[derive(Debug)]
pub struct MachineClock {
    created: Instant,
}

impl MachineClock {
    /// A clock that starts now.
    #[must_use]
    pub fn new() -> MachineClock {
        MachineClock::default()
    }
}

impl Default for MachineClock {
    fn default() -> MachineClock {
        MachineClock { created: Instant::now() }
    }
}

impl Clock for MachineClock {
    #[allow(clippy::disallowed_methods, reason = "this is the machine")]
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn elapsed(&self) -> Duration {
        self.created.elapsed()
    }
}
