//! What `apply` and `resource` print: log messages as Puppet prints them (notices and below on stdout, the rest on stderr), errors with
//! excerpts, results.
//!
//! In: messages, diagnostics, text; secrets as they become known. Out: the terminal. Must not: print anything but through
//! [`ConsoleLog::secrets`]; files of the run are redacted with them, too.

use std::io::IsTerminal;
use std::io::Write;
use std::sync::Arc;

use crate::cli::Logger;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::visible;
use catwalk_base::secrets::RunSecrets;
use catwalk_base::secrets::Secrets;
use catwalk_base::source::SourceMap;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;

/// Prints log messages.
#[derive(Debug)]
pub(super) struct ConsoleLog {
    lowest: Level,
    colors: (bool, bool),
    bar: Option<indicatif::ProgressBar>,
    is_silent: bool,
    secrets: RunSecrets,
}

impl ConsoleLog {
    /// A log to stdout and stderr that prints notices and above, until [`ConsoleLog::print_from`] sets a different level.
    pub(super) fn new() -> ConsoleLog {
        let out = std::io::stdout().is_terminal()
            && anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        let error = std::io::stderr().is_terminal()
            && anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
        let secrets = RunSecrets::default();
        ConsoleLog { lowest: Level::Notice, colors: (out, error), bar: None, is_silent: false, secrets }
    }

    /// Prints messages from this level on.
    pub(super) fn print_from(&mut self, level: Option<Severity>) {
        self.lowest = level.map_or(Level::Notice, level_of);
    }

    /// Shows a progress line below the messages, on a terminal.
    pub(super) fn show_progress(&mut self, done: usize, total: usize) {
        if self.is_silent || !std::io::stderr().is_terminal() {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = indicatif::ProgressBar::new(total as u64);
            let style = indicatif::ProgressStyle::with_template("applying {wide_bar} {pos}/{len} resources");
            bar.set_style(style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()));
            bar
        });
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    }

    /// Replaces these secrets in all output from now on, by tokens of their key.
    pub(super) fn hide(&mut self, secrets: &Secrets) {
        self.secrets.add(secrets);
    }

    /// The secrets that are known: those to hide, and those that were reported since.
    pub(super) fn secrets(&mut self) -> Arc<Secrets> {
        self.secrets.current().clone()
    }

    /// A log that prints nothing.
    pub(super) fn silent() -> ConsoleLog {
        ConsoleLog { is_silent: true, ..ConsoleLog::new() }
    }

    /// Prints a result on stdout.
    pub(super) fn print(&mut self, text: &str) {
        let text = self.secrets.current().redact(text);
        let line = format!("{}\n", visible::visible(text.trim_end_matches('\n')));
        // A closed pipe is not an error.
        let _ = std::io::stdout().write_all(line.as_bytes()).and_then(|()| std::io::stdout().flush());
    }

    /// Prints an error with its excerpt on stderr.
    pub(super) fn error(&mut self, logger: &Logger, error: &Diagnostic, sources: &SourceMap, node: Option<&str>) {
        let mut error = error.clone();
        error.redact(self.secrets.current());
        logger.write(&error, sources, node);
    }

    /// Removes the progress line.
    pub(super) fn end_progress(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Prints what a compile logged.
    pub(super) fn diagnostic(&mut self, diagnostic: &Diagnostic, sources: &SourceMap) {
        let (level, message) = log_message(diagnostic, sources);
        self.log(level, None, &message);
    }
}

/// The level and the message of what a compile or a function logged.
pub(super) fn log_message(diagnostic: &Diagnostic, sources: &SourceMap) -> (Level, String) {
    let place = diagnostic.span.and_then(|span| sources.locate(span));
    let place = place.map(|(source, line, column)| format!(" (file: {}, line: {line}, column: {column})", source.name));
    let message = format!("{}{}", diagnostic.message_with_source(), place.unwrap_or_default());
    (level_of(diagnostic.severity), message)
}

fn level_of(severity: Severity) -> Level {
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

/// The word that begins a message, and its colour.
fn label(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::Debug => ("Debug", "\x1b[0;36m"),
        Level::Info => ("Info", "\x1b[0;32m"),
        Level::Notice => ("Notice", "\x1b[m"),
        Level::Warning => ("Warning", "\x1b[1;33m"),
        Level::Err => ("Error", "\x1b[1;31m"),
        Level::Alert => ("Alert", "\x1b[1;31m"),
        Level::Emerg => ("Emergency", "\x1b[1;31m"),
        Level::Crit => ("Critical", "\x1b[1;31m"),
    }
}

impl Log for ConsoleLog {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        if !self.wants(level) {
            return;
        }
        let (word, color) = label(level);
        let source = source.map(|source| format!("{source}: ")).unwrap_or_default();
        let text = self.secrets.current().redact(&format!("{word}: {source}{message}")).into_owned();
        // Each line that begins at the margin is a message, so later lines of a message are indented.
        let text = visible::run_message(&text);
        let is_out = matches!(level, Level::Debug | Level::Info | Level::Notice);
        let is_colored = if is_out { self.colors.0 } else { self.colors.1 };
        let line = if is_colored { format!("{color}{text}\x1b[0m\n") } else { format!("{text}\n") };
        let write = || {
            // A closed pipe must not stop a run halfway.
            let _ = match is_out {
                true => std::io::stdout().write_all(line.as_bytes()).and_then(|()| std::io::stdout().flush()),
                false => std::io::stderr().write_all(line.as_bytes()),
            };
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn show_excerpt(&mut self, excerpt: &str) {
        if excerpt.is_empty() || !self.wants(Level::Err) {
            return;
        }
        let excerpt = self.secrets.current().redact(excerpt);
        let write = || {
            // A closed pipe must not stop a run halfway.
            let _ = writeln!(std::io::stderr(), "{}", visible::visible(&excerpt));
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn wants(&self, level: Level) -> bool {
        !self.is_silent && rank(level) >= rank(self.lowest)
    }
}

fn rank(level: Level) -> u8 {
    match level {
        Level::Debug => 0,
        Level::Info => 1,
        Level::Notice => 2,
        Level::Warning => 3,
        Level::Err => 4,
        Level::Alert => 5,
        Level::Emerg => 6,
        Level::Crit => 7,
    }
}
