//! Sends the commands of a queue.
//!
//! In: a queue, a submitter. Out: what was sent, what is left and why. One process at a time sends a queue. A command is removed from it only
//! when PuppetDB has taken it, so that a command may arrive twice and is never lost.

use std::path::PathBuf;

use crate::command::Command;
use crate::queue::Queue;
use crate::queue::QueueError;
use crate::queue::Queued;
use crate::queue::ReadError;
use crate::submit::Failure;
use crate::submit::Submitter;
use catwalk_world::output;

/// Where commands are that PuppetDB refuses.
const REFUSED: &str = "refused";
/// Where files are that hold no command.
const DAMAGED: &str = "damaged";
/// After so many commands in a row that no address takes, PuppetDB is taken to be down.
const MOST_FAILURES: usize = 3;

/// What became of the commands of a queue.
#[derive(Clone, Debug, Default)]
pub struct Pushed {
    /// How many commands PuppetDB has taken.
    pub sent: usize,
    /// How many commands are left in the queue since PuppetDB did not take them.
    pub left: usize,
    /// Why PuppetDB does not take those that are left; empty if none are.
    pub unavailable: String,
    /// Why commands that are left in the queue cannot be read.
    pub unreadable: Vec<String>,
    /// Files that were set aside, where they are now, with the reason.
    pub set_aside: Vec<(PathBuf, String)>,
}

/// Sends the commands of a queue that `is_wanted` selects, oldest first.
///
/// # Errors
/// The queue cannot be read or written, or another process is sending it.
pub fn push(queue: &Queue, submitter: &Submitter, is_wanted: &dyn Fn(&Queued) -> bool) -> Result<Pushed, QueueError> {
    let mut pushed = Pushed::default();
    if queue.list()?.is_empty() {
        return Ok(pushed);
    }
    let _lock = queue.lock()?;
    // What killed processes left there.
    output::sweep(queue.folder());
    let mut failures = 0;
    for queued in queue.newest()?.iter().filter(|queued| is_wanted(queued)) {
        let command = match queue.read(queued) {
            Ok(Some(command)) => command,
            Ok(None) => continue,
            Err(ReadError::Damaged(why)) => {
                pushed.set_aside.push((queue.set_aside(queued, DAMAGED)?, why));
                continue;
            }
            // Another user may be able to read it.
            Err(ReadError::Unreadable(why)) => {
                pushed.unreadable.push(why);
                continue;
            }
        };
        if failures >= MOST_FAILURES {
            pushed.left += 1;
            continue;
        }
        match submit(submitter, &command, failures) {
            Ok(_) => {
                queue.remove(queued)?;
                pushed.sent += 1;
                failures = 0;
            }
            Err(Failure::Refused(why)) => {
                pushed.set_aside.push((queue.set_aside(queued, REFUSED)?, why));
                failures = 0;
            }
            Err(Failure::Unavailable(why)) => {
                failures += 1;
                pushed.left += 1;
                pushed.unavailable = why;
            }
        }
    }
    Ok(pushed)
}

/// Sends a command. After a failure of the one before, it is not tried again: PuppetDB had its time.
fn submit(submitter: &Submitter, command: &Command, failures: usize) -> Result<String, Failure> {
    match failures {
        0 => submitter.submit(command),
        _ => submitter.submit_once(command),
    }
}
