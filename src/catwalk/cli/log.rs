//! Messages on stderr: for people with source excerpts, one JSON object a line, or annotations of GitHub.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::io::Write;
use std::sync::OnceLock;

use crate::cli::options;
use crate::cli::site::LogFormat;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::diag::visible;
use catwalk_base::source::SourceMap;
use catwalk_messages::Annotation;
use catwalk_messages::MessageLog;
use catwalk_world::Disk;

/// The code of the first printed error.
static FIRST_ERROR: OnceLock<Code> = OnceLock::new();

/// Prints the command that explains the first error as the last line, if stderr is a terminal.
pub(super) fn suggest_explanation() {
    let explained = FIRST_ERROR.get().filter(|code| **code != Code::RUNTIME_ERROR && std::io::stderr().is_terminal());
    if let Some(code) = explained {
        Logger::new(LogFormat::Human).note(&format!("`catwalk docs errors {code}` explains the error"));
    }
}

/// The messages about sites that were printed: each node that is compiled repeats them.
static PRINTED_ABOUT_SITES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Whether a message about a site was not printed yet; it is then.
fn is_new_about_site(message: &str) -> bool {
    PRINTED_ABOUT_SITES.lock().insert(message.to_owned())
}

/// Writes diagnostics in the selected format.
#[derive(Clone, Copy, Debug)]
pub struct Logger {
    format: LogFormat,
    color: bool,
    /// Whether only errors are written.
    quiet: bool,
}

impl Logger {
    /// A logger for stderr.
    #[must_use]
    pub fn new(format: LogFormat) -> Logger {
        let color = std::io::stderr().is_terminal()
            && anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
        Logger { format, color, quiet: false }
    }

    /// A logger for stderr with a command's options.
    #[must_use]
    pub fn from_args(args: &SiteArgs) -> Logger {
        Logger { quiet: args.verbosity.quiet, ..Logger::new(args.log_format) }
    }

    /// A logger that only formats messages for people, without colours.
    #[must_use]
    pub fn plain() -> Logger {
        Logger { format: LogFormat::Human, color: false, quiet: false }
    }

    /// Writes a diagnostic; `node` is the node whose compile produced it.
    pub fn write(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>) {
        self.write_group(&Group { diagnostic, nodes: node.into_iter().collect() }, sources);
    }

    /// Writes a message of several nodes, once.
    pub fn write_group(&self, group: &Group<'_>, sources: &SourceMap) {
        if group.diagnostic.code.is_about_site() && !is_new_about_site(&group.diagnostic.message) {
            return;
        }
        if !self.quiet || group.diagnostic.severity >= Severity::Error {
            self.write_text(&self.text(group, sources));
        }
    }

    /// The output of [`Logger::write_group`], with a newline at the end.
    #[must_use]
    pub fn text(&self, group: &Group<'_>, sources: &SourceMap) -> String {
        let about_site = Group { diagnostic: group.diagnostic, nodes: Vec::new() };
        let group = if group.diagnostic.code.is_about_site() { &about_site } else { group };
        if group.diagnostic.severity >= Severity::Error && self.format == LogFormat::Human {
            let _ = FIRST_ERROR.set(group.diagnostic.code);
        }
        let mut text = match self.format {
            LogFormat::Human => catwalk_messages::human(group, sources, self.color),
            LogFormat::Json => visible::json(&catwalk_messages::json(group, sources).to_string()).into_owned(),
            LogFormat::Github => Annotation::from_group(group, catwalk_messages::has_code(group.diagnostic), sources)
                .to_line(&options::current_dir().unwrap_or_default(), &Disk::new()),
        };
        text.push('\n');
        text
    }

    /// Writes annotations, if they are the format of messages.
    pub(in crate::cli) fn annotate(&self, annotations: &[Annotation]) {
        let is_written = |annotation: &&Annotation| !self.quiet || annotation.severity >= Severity::Error;
        if self.annotates() {
            let line = |annotation: &Annotation| {
                format!("{}\n", annotation.to_line(&options::current_dir().unwrap_or_default(), &Disk::new()))
            };
            self.write_texts(&annotations.iter().filter(is_written).map(line).collect::<Vec<_>>());
        }
    }

    /// Whether messages are annotations of GitHub.
    #[must_use]
    pub fn annotates(&self) -> bool {
        self.format == LogFormat::Github
    }

    /// Writes messages of [`Logger::text`].
    pub fn write_text(&self, text: &str) {
        // Errors of a closed stderr are ignored.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Writes many rendered messages of [`Logger::text`] through one buffer.
    pub fn write_texts(&self, texts: &[String]) {
        let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stderr().lock());
        // Errors of a closed stderr are ignored.
        let _ = texts.iter().try_for_each(|text| out.write_all(text.as_bytes())).and_then(|()| out.flush());
    }

    /// A message for people, without its nodes.
    #[must_use]
    pub fn message(&self, diagnostic: &Diagnostic, sources: &SourceMap) -> String {
        catwalk_messages::human(&Group { diagnostic, nodes: Vec::new() }, sources, self.color)
    }

    /// Writes a plain line for people; nothing in the other formats.
    pub fn note(&self, text: &str) {
        if self.format == LogFormat::Human && !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", visible::message(text));
        }
    }

    /// Writes one line of a log: for people the text, with newlines made visible, else `object` in JSON.
    pub fn line(&self, text: &str, object: &serde_json::Value) {
        if self.quiet {
            return;
        }
        match self.format {
            LogFormat::Human => self.write_text(&format!("{}\n", visible::line(text))),
            LogFormat::Json => self.write_text(&format!("{}\n", visible::json(&object.to_string()))),
            LogFormat::Github => self.annotate(&[Annotation::new(Severity::Notice, text.to_owned())]),
        }
    }

    /// Whether messages are for people.
    #[must_use]
    pub fn is_human(&self) -> bool {
        self.format == LogFormat::Human
    }

    /// Whether stderr shows colours.
    #[must_use]
    pub fn color(&self) -> bool {
        self.color
    }
}

impl MessageLog for Logger {
    fn text(&self, group: &Group<'_>, sources: &SourceMap) -> String {
        Logger::text(self, group, sources)
    }

    fn write_group(&self, group: &Group<'_>, sources: &SourceMap) {
        Logger::write_group(self, group, sources);
    }

    fn report(&self, diagnostic: &Diagnostic) {
        Logger::write(self, diagnostic, &options::message_sources(), None);
    }

    fn note(&self, text: &str) {
        Logger::note(self, text);
    }

    fn line(&self, text: &str, object: &serde_json::Value) {
        Logger::line(self, text, object);
    }
}
