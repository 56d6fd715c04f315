//! What a run prints: messages of the compile and of resources, progress, errors; and the secrets that must not be shown.

use std::sync::Arc;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::secrets::Secrets;
use catwalk_base::source::SourceMap;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;

/// The output of a run. Whatever it writes is free of the secrets that it knows.
pub trait RunLog: Log {
    /// Shows messages from this level on; `None`: notices and above.
    fn print_from(&mut self, level: Option<Severity>);
    /// Replaces these secrets in all output from now on, by tokens of their key.
    fn hide(&mut self, secrets: &Secrets);
    /// Replaces everything that is reported to this collection from now on, too.
    fn follow(&mut self, secrets: &Arc<SecretCollection>);
    /// The secrets that are known: those to hide, and those that were reported since.
    fn secrets(&mut self) -> Arc<Secrets>;
    /// Shows a result.
    fn print(&mut self, text: &str);
    /// Shows an error with its excerpt.
    fn error(&mut self, error: &Diagnostic, sources: &SourceMap, node: Option<&str>);
    /// Shows why the arguments or the site cannot be used.
    fn usage(&mut self, reason: Reason);
    /// Shows how many resources are done.
    fn show_progress(&mut self, done: usize, total: usize);
    /// Removes what [`RunLog::show_progress`] shows.
    fn end_progress(&mut self);
}

/// Logs what a compile logged.
pub(crate) fn log_diagnostic(log: &mut dyn RunLog, diagnostic: &Diagnostic, sources: &SourceMap) {
    let (level, message) = log_message(diagnostic, sources);
    log.log(level, None, &message);
}

/// A log that shows nothing and knows no secrets.
pub(crate) struct SilentLog;

impl Log for SilentLog {
    fn log(&mut self, _: Level, _: Option<&str>, _: &str) {}

    fn wants(&self, _: Level) -> bool {
        false
    }
}

impl RunLog for SilentLog {
    fn print_from(&mut self, _: Option<Severity>) {}

    fn hide(&mut self, _: &Secrets) {}

    fn follow(&mut self, _: &Arc<SecretCollection>) {}

    fn secrets(&mut self) -> Arc<Secrets> {
        Arc::default()
    }

    fn print(&mut self, _: &str) {}

    fn error(&mut self, _: &Diagnostic, _: &SourceMap, _: Option<&str>) {}

    fn usage(&mut self, _: Reason) {}

    fn show_progress(&mut self, _: usize, _: usize) {}

    fn end_progress(&mut self) {}
}

/// The level and the message of what a compile or a function logged.
pub(crate) fn log_message(diagnostic: &Diagnostic, sources: &SourceMap) -> (Level, String) {
    let place = diagnostic.span.and_then(|span| sources.locate(span));
    let place = place.map(|(source, line, column)| format!(" (file: {}, line: {line}, column: {column})", source.name));
    let message = format!("{}{}", diagnostic.message_with_source(), place.unwrap_or_default());
    (level_of(diagnostic.severity), message)
}

/// The level of a log for the severity of a diagnostic.
#[must_use]
pub fn level_of(severity: Severity) -> Level {
    match severity {
        Severity::Debug => Level::Debug,
        Severity::Info => Level::Info,
        Severity::Notice => Level::Notice,
        Severity::Warning => Level::Warning,
        Severity::Error => Level::Err,
        Severity::Alert => Level::Alert,
        Severity::Emerg => Level::Emerg,
        Severity::Crit => Level::Crit,
    }
}
