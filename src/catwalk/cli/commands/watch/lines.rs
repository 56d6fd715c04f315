//! Prints the lines of `watch`: results on stdout, messages on stderr.

use std::io::IsTerminal;
use std::io::Write;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::options;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::group::Group;
use catwalk_base::source::SourceMap;
use catwalk_watch::LineWriter;

/// Prints to stdout and stderr.
pub(super) struct Printer {
    pub(super) logger: Logger,
}

impl LineWriter for Printer {
    fn write(&mut self, text: &str) {
        self.write_raw(&for_people(text));
    }

    fn write_raw(&mut self, text: &str) {
        let mut out = std::io::stdout().lock();
        // If stdout is closed, the next signal ends the process.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    fn write_group(&mut self, group: &Group<'_>, sources: &SourceMap) {
        self.logger.write_group(group, sources);
    }

    fn write_diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.logger.write(diagnostic, &options::message_sources(), None);
    }

    fn note(&mut self, text: &str) {
        self.logger.note(text);
    }

    fn has_color(&self) -> bool {
        std::io::stdout().is_terminal()
    }
}
