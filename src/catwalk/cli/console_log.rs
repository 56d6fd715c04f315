//! What `apply` and `resource` print: log messages as Puppet prints them (notices and below on stdout, the rest on stderr), errors with
//! excerpts, results.
//!
//! In: messages, diagnostics, text; secrets as they become known. Out: the terminal. Must not: print anything but through
//! [`ConsoleLog::secrets`]; files of the run are redacted with them, too.

use std::io::IsTerminal;
use std::io::Write;
use std::sync::Arc;

use crate::cli::Logger;
use crate::cli::options;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::diag::visible;
use catwalk_base::secrets::RunSecrets;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::secrets::Secrets;
use catwalk_base::source::SourceMap;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_run::RunLog;
use catwalk_run::level_of;

/// Prints log messages.
#[derive(Debug)]
pub(super) struct ConsoleLog {
    logger: Logger,
    lowest: Level,
    colors: (bool, bool),
    bar: Option<indicatif::ProgressBar>,
    secrets: RunSecrets,
}

impl ConsoleLog {
    /// A log to stdout and stderr that prints notices and above, until [`ConsoleLog::print_from`] sets a different level.
    pub(super) fn new(logger: Logger) -> ConsoleLog {
        let out = std::io::stdout().is_terminal()
            && anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        let error = std::io::stderr().is_terminal()
            && anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
        let secrets = RunSecrets::default();
        ConsoleLog { logger, lowest: Level::Notice, colors: (out, error), bar: None, secrets }
    }
}

impl RunLog for ConsoleLog {
    fn print_from(&mut self, level: Option<Severity>) {
        self.lowest = level.map_or(Level::Notice, level_of);
    }

    fn show_progress(&mut self, done: usize, total: usize) {
        if !std::io::stderr().is_terminal() {
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

    fn hide(&mut self, secrets: &Secrets) {
        self.secrets.add(secrets);
    }

    fn follow(&mut self, secrets: &Arc<SecretCollection>) {
        self.secrets.follow(secrets);
    }

    fn secrets(&mut self) -> Arc<Secrets> {
        self.secrets.current().clone()
    }

    fn print(&mut self, text: &str) {
        let text = self.secrets.current().redact(text);
        let line = format!("{}\n", visible::visible(text.trim_end_matches('\n')));
        // A closed pipe is not an error.
        let _ = std::io::stdout().write_all(line.as_bytes()).and_then(|()| std::io::stdout().flush());
    }

    fn error(&mut self, error: &Diagnostic, sources: &SourceMap, node: Option<&str>) {
        let mut error = error.clone();
        error.redact(self.secrets.current());
        self.logger.write(&error, sources, node);
    }

    fn end_progress(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn usage(&mut self, reason: Reason) {
        let message = self.secrets.current().redact(&reason.message).into_owned().into();
        let error = Diagnostic::new(Reason { message, ..reason }, None);
        self.logger.write(&error, &options::message_sources(), None);
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
        rank(level) >= rank(self.lowest)
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
