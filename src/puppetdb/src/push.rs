//! Sends the commands of a queue.
//!
//! In: a queue, a submitter. Out: which commands were sent, and why others were not. One process at a time sends a queue. A command is removed
//! only after PuppetDB has accepted it, so it may arrive twice but is never lost.

use std::path::PathBuf;

use crate::command::Command;
use crate::queue::DAMAGED;
use crate::queue::Queue;
use crate::queue::QueueError;
use crate::queue::QueuedCommand;
use crate::queue::REFUSED;
use crate::queue::ReadError;
use crate::submit::Failure;
use crate::submit::Submitter;

/// After this many failed commands in a row, PuppetDB is considered down and no further commands are sent.
const MAX_FAILURES: usize = 3;

/// The result of sending the commands of a queue.
#[derive(Clone, Debug, Default)]
pub struct PushResult {
    /// How many commands PuppetDB has accepted.
    pub sent: usize,
    /// How many commands are left in the queue because PuppetDB was unavailable.
    pub left: usize,
    /// Why PuppetDB was unavailable; empty if no commands are left.
    pub unavailable: String,
    /// Why commands in the queue cannot be read; they stay there.
    pub unreadable: Vec<String>,
    /// The new paths of files that were moved out of the queue, with the reason.
    pub set_aside: Vec<(PathBuf, String)>,
}

/// Sends the commands of a queue that `is_selected` selects, oldest first.
///
/// # Errors
/// The queue cannot be read or written, or another process is sending it.
pub fn push(
    queue: &Queue,
    submitter: &Submitter,
    is_selected: &dyn Fn(&QueuedCommand) -> bool,
) -> Result<PushResult, QueueError> {
    let mut result = PushResult::default();
    if queue.list()?.is_empty() {
        return Ok(result);
    }
    let _lock = queue.lock()?;
    // Remove the temporary files of killed processes.
    queue.sweep();
    let mut failures = 0;
    for queued in queue.newest()?.iter().filter(|queued| is_selected(queued)) {
        let command = match queue.read(queued) {
            Ok(Some(command)) => command,
            Ok(None) => continue,
            Err(ReadError::Damaged(why)) => {
                result.set_aside.push((queue.set_aside(queued, DAMAGED)?, why));
                continue;
            }
            // It stays in the queue, since another user may be able to read it.
            Err(ReadError::Unreadable(why)) => {
                result.unreadable.push(why);
                continue;
            }
        };
        if failures >= MAX_FAILURES {
            result.left += 1;
            continue;
        }
        match submit(submitter, &command, failures) {
            Ok(_) => {
                queue.remove(queued)?;
                result.sent += 1;
                failures = 0;
            }
            Err(Failure::Refused(why)) => {
                result.set_aside.push((queue.set_aside(queued, REFUSED)?, why));
                failures = 0;
            }
            Err(Failure::Unavailable(why)) => {
                failures += 1;
                result.left += 1;
                result.unavailable = why;
            }
        }
    }
    Ok(result)
}

/// Sends a command. Does not retry if the previous command has failed despite its retries.
fn submit(submitter: &Submitter, command: &Command, failures: usize) -> Result<String, Failure> {
    match failures {
        0 => submitter.submit(command),
        _ => submitter.submit_once(command),
    }
}
