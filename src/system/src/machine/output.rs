//! Exchanges input and output with a process, within limits of time and size.
//!
//! In: the pipes of a process, a test whether it has ended. Out: how the exchange ended. Must not: kill the process.
//!
//! The exchange ends with the process, even if a background process still has the pipes open: a service that an `exec` starts keeps
//! running.

use std::os::fd::OwnedFd;
use std::time::Duration;
use std::time::Instant;

use catwalk_world::End;
use catwalk_world::Pipes;

/// The limit on a command's output, in bytes.
pub(super) const LIMIT: usize = 64 << 20;
/// The interval between tests whether the process has ended, on systems that cannot wait for its end and its output together.
const SHORT_WAIT: Duration = Duration::from_millis(10);
/// The longest wait on systems that can.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// Writes input and reads output until the process has ended, or until the deadline. `end` becomes readable when the process ends.
pub(super) fn exchange(
    pipes: &mut Pipes<'_>,
    deadline: Option<Instant>,
    end: Option<&OwnedFd>,
    has_ended: impl Fn() -> bool,
) -> std::io::Result<End> {
    loop {
        if has_ended() {
            while pipes.read() {
                if pipes.len() > LIMIT {
                    return Ok(End::Flooded);
                }
            }
            return Ok(End::Done);
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Ok(End::Late);
        }
        let wait = if end.is_some() { LONG_WAIT } else { SHORT_WAIT };
        pipes.wait(left.map_or(wait, |left| left.min(wait)), end)?;
        pipes.write();
        pipes.read();
        if pipes.len() > LIMIT {
            return Ok(End::Flooded);
        }
    }
}
