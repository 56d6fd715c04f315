//! The processor time of a thread.

use std::time::Duration;

/// The processor time that this thread has used since it began; waiting is not included. `None` where the system does not
/// report it.
#[must_use]
pub fn thread_cpu_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
    }
    #[cfg(not(unix))]
    None
}
