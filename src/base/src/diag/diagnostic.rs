//! A failure or warning with its position, the labels around it and the calls that led to it.

use std::borrow::Cow;
use std::sync::Arc;

use thin_vec::ThinVec;

use crate::diag::Cause;
use crate::diag::Code;
use crate::diag::DataLocation;
use crate::diag::Reason;
use crate::secrets::Secrets;
use crate::source::SourceMap;
use crate::source::Span;

/// How serious a diagnostic is. The log levels are Puppet's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// `debug()` and below.
    Debug,
    /// `info()`.
    Info,
    /// `notice()`.
    Notice,
    /// `warning()`, and the compiler's own warnings.
    Warning,
    /// `err()`, and errors that end the compile.
    Error,
    /// `alert()`.
    Alert,
    /// `emerg()`.
    Emerg,
    /// `crit()`.
    Crit,
}

impl Severity {
    /// All levels, the least serious first.
    pub const ALL: [Severity; 8] = [
        Severity::Debug,
        Severity::Info,
        Severity::Notice,
        Severity::Warning,
        Severity::Error,
        Severity::Alert,
        Severity::Emerg,
        Severity::Crit,
    ];

    /// The severity with Puppet's name of the level.
    #[must_use]
    pub fn find(name: &str) -> Option<Severity> {
        Severity::ALL.into_iter().find(|level| level.as_str() == name)
    }

    /// Puppet's name of the level.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Debug => "debug",
            Severity::Info => "info",
            Severity::Notice => "notice",
            Severity::Warning => "warning",
            Severity::Error => "err",
            Severity::Alert => "alert",
            Severity::Emerg => "emerg",
            Severity::Crit => "crit",
        }
    }
}

/// A further position that helps to understand a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The position.
    pub span: Span,
    /// The text below the excerpt.
    pub text: Cow<'static, str>,
}

/// An entry of the call trace of a failure: a function, class, defined type or script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What was evaluated: `class ntp`, `function join`.
    pub callee: Cow<'static, str>,
    /// The position of the call.
    pub span: Option<Span>,
}

/// A failure or warning. `message` is Puppet's message, verbatim, without its `(file: …, line: …)` ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The symbol that programs match on.
    pub code: Code,
    /// Puppet's message without the position.
    pub message: Cow<'static, str>,
    /// The scope whose log function logged the message; `None` for messages of the compiler.
    pub source: Option<Box<str>>,
    /// The main position in manifests and scripts.
    pub span: Option<Span>,
    /// Positions in data or configuration files. One without a note is what the message is about: it comes before `span`, which then is
    /// where a manifest used the file. Puppet's message has none of them.
    pub locations: ThinVec<DataLocation>,
    /// Whether Puppet omits the column although it is known.
    pub hide_column: bool,
    /// Whether Puppet omits line and column: at the end of the input, and for several errors in one file.
    pub hide_line: bool,
    /// The errors that this error summarizes.
    pub summarized: Vec<Diagnostic>,
    /// Further positions.
    pub labels: Vec<Label>,
    /// Catwalk's hint.
    pub help: Option<Cow<'static, str>>,
    /// What made it fail, for the code that treats such failures differently.
    pub cause: Cause,
    /// The call trace, innermost call first.
    pub trace: Vec<Frame>,
    /// The secrets of the compile, which are redacted in excerpts of sources.
    pub secrets: Option<Arc<Secrets>>,
}

impl Diagnostic {
    /// Creates an error from `reason` at `span`.
    #[must_use]
    pub fn new(reason: Reason, span: Option<Span>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: reason.code,
            message: reason.message,
            source: None,
            span,
            locations: reason.locations,
            hide_column: false,
            hide_line: false,
            summarized: Vec::new(),
            labels: Vec::new(),
            help: reason.help,
            cause: reason.cause,
            trace: Vec::new(),
            secrets: None,
        }
    }

    /// The position in a data or configuration file that the message is about.
    #[must_use]
    pub fn data_location(&self) -> Option<&DataLocation> {
        self.locations.iter().find(|location| location.note.is_none())
    }

    /// Redacts secrets in all strings, and stores the secrets so that excerpts of sources are redacted, too.
    pub fn redact(&mut self, secrets: &Arc<Secrets>) {
        if secrets.is_empty() {
            return;
        }
        let replace = |text: &mut Cow<'static, str>| {
            if let Some(replaced) = secrets.replace(text) {
                *text = Cow::Owned(replaced);
            }
        };
        replace(&mut self.message);
        self.help.iter_mut().for_each(replace);
        self.labels.iter_mut().for_each(|label| replace(&mut label.text));
        self.locations.iter_mut().filter_map(|location| location.note.as_mut()).for_each(replace);
        self.trace.iter_mut().for_each(|frame| replace(&mut frame.callee));
        if let Some(replaced) = self.source.as_deref().and_then(|source| secrets.replace(source)) {
            self.source = Some(replaced.into());
        }
        self.summarized.iter_mut().for_each(|one| one.redact(secrets));
        self.secrets = Some(secrets.clone());
    }

    /// The message as Puppet prints it to the console, with its source: `Scope(Class[main]): text`.
    #[must_use]
    pub fn message_with_source(&self) -> Cow<'_, str> {
        match &self.source {
            Some(source) => format!("{source}: {}", self.message).into(),
            None => Cow::Borrowed(self.message.as_ref()),
        }
    }

    /// Returns the diagnostic with another severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// The failure without its position.
    #[must_use]
    pub fn into_reason(self) -> Reason {
        Reason { code: self.code, message: self.message, help: self.help, locations: self.locations, cause: self.cause }
    }

    /// Adds a labelled position.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<Cow<'static, str>>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The message as Puppet reports it, with `(file: F, line: L, column: C)` at the end if the position is known.
    #[must_use]
    pub fn puppet_text(&self, sources: &SourceMap) -> String {
        let message = self.message_with_source();
        let Some((source, line, column)) = self.span.and_then(|span| sources.locate(span)) else {
            return message.into_owned();
        };
        if self.hide_line {
            return match &source.path {
                Some(path) => format!("{} (file: {})", message, path.display()),
                None => message.into_owned(),
            };
        }
        match (&source.path, self.hide_column) {
            (Some(path), false) => {
                format!("{} (file: {}, line: {line}, column: {column})", message, path.display())
            }
            (Some(path), true) => format!("{} (file: {}, line: {line})", message, path.display()),
            (None, false) => format!("{} (line: {line}, column: {column})", message),
            (None, true) => format!("{} (line: {line})", message),
        }
    }
}
