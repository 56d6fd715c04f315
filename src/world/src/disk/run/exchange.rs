//! Reads the output of a command, up to its limits on time and size.
//!
//! In: a child process with pipes. Out: how the exchange ended. Must not: kill it.

use std::io::PipeReader;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;
use std::time::Instant;

use crate::Command;
use crate::End;
use crate::Pipes;

/// How long to wait for a pipe before checking whether the compile was interrupted.
const LONG_WAIT: Duration = Duration::from_millis(50);
/// How long to wait for the end of a process that has closed its pipes.
const SHORT_WAIT: Duration = Duration::from_micros(500);

/// Takes the pipes of a child.
pub(super) fn pipes<'a>(child: &mut Child, command: &'a Command) -> std::io::Result<Pipes<'a>> {
    let input = command.stdin.as_deref().unwrap_or_default().as_bytes();
    let stdout = child.stdout.take().map(|pipe| PipeReader::from(OwnedFd::from(pipe)));
    let stderr = child.stderr.take().map(|pipe| PipeReader::from(OwnedFd::from(pipe)));
    Pipes::new(child.stdin.take(), input, stdout, stderr)
}

/// Writes input and reads output until the process has ended and its output is complete, or until the deadline or the interruption of
/// the compile.
pub(super) fn exchange(
    pipes: &mut Pipes<'_>,
    max_output: usize,
    deadline: Option<Instant>,
    ended: impl Fn() -> bool,
) -> std::io::Result<End> {
    loop {
        let complete = pipes.is_complete();
        if complete && ended() {
            return Ok(End::Done);
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) || catwalk_base::meter::is_over() {
            return Ok(End::Late);
        }
        let wait = if complete { SHORT_WAIT } else { LONG_WAIT };
        pipes.wait(left.map_or(wait, |left| left.min(wait)), None)?;
        pipes.write();
        pipes.read();
        if pipes.len() > max_output {
            return Ok(End::Flooded);
        }
    }
}
