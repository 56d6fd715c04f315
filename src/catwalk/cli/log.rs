//! Messages on stderr: for people with source excerpts, or one JSON object a line.

use std::io::IsTerminal;
use std::io::Write;

use crate::cli::site::LogFormat;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::render;
use catwalk_base::diag::visible::visible;
use catwalk_base::source::SourceMap;

/// Writes diagnostics in the form that was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Logger {
    format: LogFormat,
    color: bool,
    /// Only errors are written.
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

    /// A logger for stderr as a command's options say.
    #[must_use]
    pub fn of(args: &SiteArgs) -> Logger {
        Logger { quiet: args.verbosity.quiet, ..Logger::new(args.log_format) }
    }

    /// A logger that only makes texts for people, without colours.
    #[must_use]
    pub fn plain() -> Logger {
        Logger { format: LogFormat::Human, color: false, quiet: false }
    }

    /// Writes one diagnostic; `node` names whose compile it belongs to.
    pub fn write(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>) {
        if !self.quiet || diagnostic.severity >= Severity::Error {
            self.write_text(&self.text(diagnostic, sources, node));
        }
    }

    /// What [`Logger::write`] writes, with a newline at the end.
    #[must_use]
    pub fn text(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>) -> String {
        let mut text = match self.format {
            LogFormat::Human => self.human(diagnostic, sources, node),
            LogFormat::Json => json(diagnostic, sources, node),
        };
        text.push('\n');
        text
    }

    /// Writes texts of [`Logger::text`].
    pub fn write_text(&self, text: &str) {
        // A closed stderr is no reason to stop.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Writes many rendered messages of [`Logger::text`] through one buffer.
    pub fn write_texts(&self, texts: &[String]) {
        let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stderr().lock());
        // A closed stderr is no reason to stop.
        let _ = texts.iter().try_for_each(|text| out.write_all(text.as_bytes())).and_then(|()| out.flush());
    }

    /// One diagnostic as text for people.
    #[must_use]
    pub fn human(&self, diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>) -> String {
        // What a manifest says with notice() or warning() is a line of its own, as Puppet prints it.
        let said = diagnostic.span.is_none() && diagnostic.code == Code::RUNTIME && diagnostic.help.is_none();
        if diagnostic.severity <= Severity::Notice || (said && diagnostic.severity == Severity::Warning) {
            let node = node.map(|node| format!("{node}: ")).unwrap_or_default();
            return visible(&format!("{}: {node}{}", diagnostic.severity.as_str(), diagnostic.said())).into_owned();
        }
        let mut text = render::human(diagnostic, sources, self.color);
        if let Some(node) = node {
            text.push_str(&format!("\n  = node: {}", visible(node)));
        }
        text
    }

    /// Writes a plain line for people; nothing in JSON form.
    pub fn note(&self, text: &str) {
        if self.format == LogFormat::Human && !self.quiet {
            let _ = writeln!(std::io::stderr(), "{}", visible(text));
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

/// `message` is Puppet's text without the place, which has its own members.
fn json(diagnostic: &Diagnostic, sources: &SourceMap, node: Option<&str>) -> String {
    let place = diagnostic.span.and_then(|span| sources.locate(span));
    let mut object = serde_json::Map::new();
    object.insert("level".to_owned(), diagnostic.severity.as_str().into());
    object.insert("message".to_owned(), diagnostic.message.as_ref().into());
    if let Some(source) = &diagnostic.source {
        object.insert("source".to_owned(), source.as_ref().into());
    }
    object.insert("file".to_owned(), place.as_ref().map(|(source, ..)| source.name.as_ref()).into());
    object.insert("line".to_owned(), place.as_ref().map(|(_, line, _)| *line).into());
    object.insert("pos".to_owned(), place.as_ref().map(|(_, _, column)| *column).into());
    // What a manifest logs has no code.
    let coded = diagnostic.severity >= Severity::Error || diagnostic.code != Code::RUNTIME;
    object.insert("code".to_owned(), coded.then_some(diagnostic.code.0).into());
    if let Some(node) = node {
        object.insert("node".to_owned(), node.into());
    }
    if let Some(help) = &diagnostic.help {
        object.insert("help".to_owned(), help.as_ref().into());
    }
    serde_json::Value::Object(object).to_string()
}
