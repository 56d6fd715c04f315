//! Submission of commands: they are put into a queue, then sent, and what PuppetDB has not accepted is reported.

use crate::command::Command;
use crate::push::push;
use crate::queue::Queue;
use crate::queue::QueueError;
use crate::queue::QueuedCommand;
use crate::submit::Submitter;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_messages::MessageLog;

/// The queue of commands and the connection to PuppetDB.
pub struct Submission {
    queue: Queue,
    submitter: Submitter,
    location: String,
    /// A queue in the site where earlier versions kept it.
    earlier: Option<Queue>,
}

/// The error of a queue.
#[must_use]
pub fn queue_error(error: QueueError) -> Reason {
    match error {
        QueueError::Refused(error) => error.into(),
        QueueError::Unusable(..) | QueueError::Busy(_) => Reason::new(Code::BAD_QUEUE, error.to_string()),
    }
}

impl Submission {
    /// A queue and the connection to the PuppetDB at `location`. `earlier`: a queue of earlier versions, which is reported.
    #[must_use]
    pub fn new(queue: Queue, submitter: Submitter, location: String, earlier: Option<Queue>) -> Submission {
        Submission { queue, submitter, location, earlier }
    }

    /// Adds commands to the queue. They are on the disk when this function returns.
    ///
    /// # Errors
    /// The queue cannot be written.
    pub fn add(&self, commands: &[Command]) -> Result<(), Reason> {
        let added = commands.iter().try_for_each(|command| self.queue.add(command));
        added.map_err(queue_error)
    }

    /// Reports commands that an earlier version has left in the site. They are not sent, since they may come from the repository.
    fn report_earlier(&self, log: &dyn MessageLog) {
        let Some(queue) = &self.earlier else { return };
        let waiting = queue.list().unwrap_or_default().len();
        if waiting > 0 {
            let folder = queue.folder().display();
            log.note(&format!(
                "{} in {folder}, where earlier versions of Catwalk kept the queue; if this machine has put them there, \
                 `catwalk store push --queue {folder}` sends them",
                count_commands(waiting)
            ));
        }
    }

    /// Sends the queue and reports the results. Returns whether all commands selected by `is_selected` were sent.
    ///
    /// # Errors
    /// The queue cannot be read or written, or another process is sending it.
    pub fn push(&self, is_selected: &dyn Fn(&QueuedCommand) -> bool, log: &dyn MessageLog) -> Result<bool, Reason> {
        let pushed = push(&self.queue, &self.submitter, is_selected).map_err(queue_error)?;
        self.report_earlier(log);
        let report = |reason: Reason| {
            log.report(&Diagnostic::new(reason, None).severity(Severity::Error));
        };
        for (path, why) in &pushed.set_aside {
            report(Reason::new(Code::NOT_SUBMITTED, format!("a command was moved to {}: {why}", path.display())));
        }
        for why in &pushed.unreadable {
            report(Reason::new(Code::BAD_QUEUE, format!("a command stays in the queue: {why}")));
        }
        if pushed.left > 0 {
            let text = format!("PuppetDB did not accept {}: {}", count_commands(pushed.left), pushed.unavailable);
            let help = format!("they wait in {}; `catwalk store push` sends them", self.queue.folder().display());
            report(Reason::new(Code::NOT_SUBMITTED, text).help(help));
        }
        log.note(&format!("{} submitted to {}", count_commands(pushed.sent), self.location));
        Ok(pushed.left == 0 && pushed.unreadable.is_empty() && pushed.set_aside.is_empty())
    }
}

/// A number of commands.
#[must_use]
pub fn count_commands(number: usize) -> String {
    format!("{number} command{}", if number == 1 { "" } else { "s" })
}
