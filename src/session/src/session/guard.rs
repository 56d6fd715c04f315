//! What surrounds all code that runs for a node.
//!
//! In: work. Out: its result and its messages without secrets; a panic is an error of this node. Must not: know what the work does.

use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;

use crate::session::Session;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::ReportedSecrets;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::secrets::Secrets;

/// The result of guarded work.
pub(super) struct Guarded<T> {
    /// The result, or an error without secrets.
    pub(super) result: Result<T, Box<Diagnostic>>,
    /// The messages, without secrets.
    pub(super) logs: Vec<Diagnostic>,
    /// The strings that were reported as secret.
    pub(super) reported: ReportedSecrets,
    /// These strings with the key of the session.
    pub(super) secrets: Arc<Secrets>,
}

impl Session {
    /// Runs `work`, which adds its messages to a list, then `end` with its result, even after a panic. `collection` is that of the world
    /// that `work` uses.
    pub(super) fn guard<T>(
        &self,
        collection: &SecretCollection,
        work: impl FnOnce(&mut Vec<Diagnostic>) -> Result<T, Box<Diagnostic>>,
        end: impl FnOnce(Result<T, Box<Diagnostic>>) -> Result<T, Box<Diagnostic>>,
    ) -> Guarded<T> {
        let mut logs = Vec::new();
        let result = catch_unwind(AssertUnwindSafe(|| work(&mut logs)));
        let mut result = end(result.unwrap_or_else(|panic| Err(panic_failure(panic.as_ref()))));
        let reported = collection.reported();
        let secrets = self.secrets(reported.clone());
        logs.iter_mut().for_each(|line| line.redact(&secrets));
        if let Err(failure) = &mut result {
            failure.redact(&secrets);
        }
        Guarded { result, logs, reported, secrets }
    }

    /// Removes the secrets that were reported so far from messages, for guarded work that prints them before it ends.
    pub(super) fn redact_so_far(&self, logs: &mut [Diagnostic], collection: &SecretCollection) {
        if !logs.is_empty() {
            let secrets = self.secrets(collection.reported());
            logs.iter_mut().for_each(|line| line.redact(&secrets));
        }
    }
}

/// Converts a panic inside of a compile to an error.
fn panic_failure(panic: &(dyn std::any::Any + Send)) -> Box<Diagnostic> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    let reason = Reason::new(Code::INTERNAL_ERROR, format!("internal error: {text}"));
    Box::from(reason.help("this is a bug of catwalk; the other nodes are not affected"))
}
