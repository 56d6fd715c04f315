//! The thread that sends the queue to PuppetDB while requests add commands to it.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use crate::cli::Logger;
use crate::cli::commands::serve::failed;
use crate::cli::submission::Submission;
use crate::serve::Submit;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::SourceMap;

/// The pause before commands that PuppetDB did not accept are sent again.
const AGAIN: Duration = Duration::from_secs(30);

/// Starts the thread, which first sends the commands of an earlier run. The returned function writes commands to the disk before it
/// returns.
///
/// # Errors
/// The thread cannot be started.
pub(super) fn start(submission: Submission, logger: Logger) -> Result<Submit, Reason> {
    let submission = Arc::new(submission);
    let (wake, woken) = mpsc::sync_channel::<()>(1);
    let queue = submission.clone();
    let work = move || send(&submission, &woken, &logger);
    std::thread::Builder::new().name("puppetdb".to_owned()).spawn(work).map_err(failed)?;
    Ok(Box::new(move |commands| {
        queue.add(commands)?;
        // If the channel is full, the thread is going to read the queue anyway.
        let _ = wake.try_send(());
        Ok(())
    }))
}

fn send(submission: &Submission, woken: &mpsc::Receiver<()>, logger: &Logger) {
    loop {
        let is_sent = submission.push(&|_| true, logger).unwrap_or_else(|reason| {
            logger.write(&Diagnostic::new(reason, None), &SourceMap::new(), None);
            false
        });
        let waited = match is_sent {
            true => woken.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected),
            false => woken.recv_timeout(AGAIN),
        };
        if waited == Err(mpsc::RecvTimeoutError::Disconnected) {
            return;
        }
    }
}
