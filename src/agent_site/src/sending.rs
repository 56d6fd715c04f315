//! The thread that sends the queue to PuppetDB while requests add commands to it.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use crate::records::Submit;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_messages::MessageLog;
use catwalk_puppetdb::Submission;

/// The pause before commands that PuppetDB did not accept are sent again.
const RETRY_PAUSE: Duration = Duration::from_secs(30);

/// Starts the thread, which first sends the commands of an earlier run. The returned function writes commands to the disk before it
/// returns.
///
/// # Errors
/// The thread cannot be started.
pub fn start(submission: Submission, log: Arc<dyn MessageLog>) -> Result<Submit, Reason> {
    let submission = Arc::new(submission);
    let (wake, wakes) = mpsc::sync_channel::<()>(1);
    let queue = submission.clone();
    let work = move || send(&submission, &wakes, log.as_ref());
    std::thread::Builder::new()
        .name("puppetdb".to_owned())
        .spawn(work)
        .map_err(|error| Reason::new(Code::SERVER_FAILED, error.to_string()))?;
    Ok(Box::new(move |commands| {
        queue.add(commands)?;
        // If the channel is full, the thread is going to read the queue anyway.
        let _ = wake.try_send(());
        Ok(())
    }))
}

fn send(submission: &Submission, wakes: &mpsc::Receiver<()>, log: &dyn MessageLog) {
    loop {
        let is_sent = submission.push(&|_| true, log).unwrap_or_else(|reason| {
            log.report(&Diagnostic::new(reason, None));
            false
        });
        let wake_up = match is_sent {
            true => wakes.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected),
            false => wakes.recv_timeout(RETRY_PAUSE),
        };
        if wake_up == Err(mpsc::RecvTimeoutError::Disconnected) {
            return;
        }
    }
}
