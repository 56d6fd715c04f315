//! A failure or warning with its place, the labels around it and the calls that led there.

use std::borrow::Cow;
use std::sync::Arc;

use crate::diag::Code;
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
    /// `err()`, and failures.
    Error,
    /// `alert()`.
    Alert,
    /// `emerg()`.
    Emerg,
    /// `crit()`.
    Crit,
}

impl Severity {
    /// All of them, the least serious first.
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

    /// By Puppet's name of the level.
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

/// A further place that helps to understand a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: Cow<'static, str>,
}

/// One step of the way to a failure, innermost first: a function, class, define or script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What was being evaluated, as a reader would name it: `class ntp`, `function join`.
    pub what: Cow<'static, str>,
    /// From where it was called.
    pub span: Option<Span>,
}

/// A failure or warning. `message` is Puppet's message, verbatim, without its `(file: …, line: …)` ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How serious.
    pub severity: Severity,
    /// The symbol tools match on.
    pub code: Code,
    /// Puppet's text without the place.
    pub message: Cow<'static, str>,
    /// Who speaks, when it is not the compiler: the scope of a log function.
    pub source: Option<Box<str>>,
    /// The main place.
    pub span: Option<Span>,
    /// Puppet leaves the column out of some messages although the place is known.
    pub hide_column: bool,
    /// Puppet knows only the file of some failures: the end of the input, several errors in one file.
    pub hide_line: bool,
    /// The errors that a failure stands for, when it stands for several.
    pub several: Vec<Diagnostic>,
    /// Further places.
    pub labels: Vec<Label>,
    /// Our hint.
    pub help: Option<Cow<'static, str>>,
    /// The way here, innermost first.
    pub trace: Vec<Frame>,
    /// The secrets of the compile, which excerpts of source texts are shown without.
    pub secrets: Option<Arc<Secrets>>,
}

impl Diagnostic {
    /// An error for `reason` at `span`.
    #[must_use]
    pub fn new(reason: Reason, span: Option<Span>) -> Diagnostic {
        let reason = reason.with_untrusted_code();
        Diagnostic {
            severity: Severity::Error,
            code: reason.code,
            message: reason.message,
            source: None,
            span,
            hide_column: false,
            hide_line: false,
            several: Vec::new(),
            labels: Vec::new(),
            help: reason.help,
            trace: Vec::new(),
            secrets: None,
        }
    }

    /// Replaces secrets in everything that it says, and remembers them for excerpts.
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
        self.trace.iter_mut().for_each(|frame| replace(&mut frame.what));
        if let Some(replaced) = self.source.as_deref().and_then(|source| secrets.replace(source)) {
            self.source = Some(replaced.into());
        }
        self.several.iter_mut().for_each(|one| one.redact(secrets));
        self.secrets = Some(secrets.clone());
    }

    /// The message as Puppet's console shows it, after its source: `Scope(Class[main]): text`.
    #[must_use]
    pub fn said(&self) -> Cow<'_, str> {
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

    /// Adds a labelled place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<Cow<'static, str>>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// The message as Puppet prints it: with `(file: F, line: L, column: C)` at the end where a place is known.
    #[must_use]
    pub fn puppet_text(&self, sources: &SourceMap) -> String {
        let said = self.said();
        let Some((source, line, column)) = self.span.and_then(|span| sources.locate(span)) else {
            return said.into_owned();
        };
        if self.hide_line {
            return match &source.path {
                Some(path) => format!("{} (file: {})", said, path.display()),
                None => said.into_owned(),
            };
        }
        match (&source.path, self.hide_column) {
            (Some(path), false) => {
                format!("{} (file: {}, line: {line}, column: {column})", said, path.display())
            }
            (Some(path), true) => format!("{} (file: {}, line: {line})", said, path.display()),
            (None, false) => format!("{} (line: {line}, column: {column})", said),
            (None, true) => format!("{} (line: {line})", said),
        }
    }
}
