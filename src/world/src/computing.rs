//! How long a thread has computed.

use std::time::Duration;

/// The time that a processor has worked for this thread since it began; what it has waited for does not count. `None` where the
/// system does not tell.
#[must_use]
pub fn computed_by_thread() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
    }
    #[cfg(not(unix))]
    None
}
