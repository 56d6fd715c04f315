//! How long the output of a process is read, and how much of it.
//!
//! In: the pipes of a process, a way to see that it has ended. Out: how the exchange ended. Must not: kill it.
//!
//! The exchange ends with the process, even if a program that it left in the background still has the pipes: a service that an
//! `exec` starts keeps running.

use std::os::fd::OwnedFd;
use std::time::Duration;
use std::time::Instant;

use catwalk_world::End;
use catwalk_world::Pipes;

/// The limit on a command's output, in bytes.
pub(super) const LIMIT: usize = 64 << 20;
/// How long to wait at once where the end of a process cannot be waited for.
const GLANCE: Duration = Duration::from_millis(10);
/// How long to wait at once where it can.
const SLICE: Duration = Duration::from_secs(1);

/// Exchanges until the process has ended, or until the deadline. `end` can be read when the process has ended.
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
        let slice = if end.is_some() { SLICE } else { GLANCE };
        pipes.wait(left.map_or(slice, |left| left.min(slice)), end)?;
        pipes.write();
        pipes.read();
        if pipes.len() > LIMIT {
            return Ok(End::Flooded);
        }
    }
}
