//! Positions of resources' declarations in messages.
//!
//! In: spans, resources, tags. Out: files, lines, the notes of messages. Must not: change the catalog.

use super::InvalidTag;
use crate::Evaluator;
use crate::RunningCode;
use crate::ScopeId;
use crate::ScopeKind;
use crate::Stop;
use crate::state::Entry;
use crate::state::Source;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_catalog::ResourceId;

impl<'c> Evaluator<'c> {
    /// Whether exports are stored and collected.
    pub(crate) fn storeconfigs(&self) -> bool {
        self.settings.flag("storeconfigs")
    }

    /// Adds a warning that ends with file and line, as those of the compiler itself do.
    pub(crate) fn warn_line(&mut self, message: String, span: Option<Span>) {
        let location = self.location(span).map_or_else(String::new, |location| format!(" {location}"));
        let text = format!("{message}{location}");
        let mut diagnostic = Diagnostic::new(Reason::runtime(text), None).severity(Severity::Warning);
        if let Some(span) = span {
            diagnostic = diagnostic.label(span, "");
        }
        self.note(diagnostic);
    }

    /// `(file: F, line: L)` of a resource. A resource of `create_resources` has the position of the call stack, which names code
    /// without a file `unknown`.
    pub(crate) fn declared_at(&self, entry: &Entry<'c>) -> Option<String> {
        match self.program.sources.locate(entry.span?)? {
            (source, line, _) if source.path.is_none() && entry.by_function => {
                Some(format!("(file: unknown, line: {line})"))
            }
            _ => self.location(entry.span),
        }
    }

    /// An error at a resource's position.
    pub(crate) fn error_at(&self, reason: Reason, entry: &Entry<'c>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(reason, entry.span);
        diagnostic.hide_column = true;
        self.as_declared(diagnostic, entry.by_function)
    }

    /// The error for an invalid tag, at the resource's position.
    pub fn invalid_tag(&self, bad: InvalidTag) -> Stop {
        let InvalidTag { tag, span, by_function } = bad;
        let reason = Reason::runtime(format!("Invalid tag '{tag}'"));
        if span.is_none() {
            return reason.into();
        }
        let mut diagnostic = Diagnostic::new(reason, span);
        diagnostic.hide_column = true;
        Stop::Failed(Box::new(self.as_declared(diagnostic, by_function)))
    }

    /// Puppet's call stack names code without a file `unknown`.
    fn as_declared(&self, mut diagnostic: Diagnostic, by_function: bool) -> Diagnostic {
        if by_function
            && let Some(span) = diagnostic.span
            && let Some((source, line, _)) = self.program.sources.locate(span)
            && source.path.is_none()
        {
            let location = format!("(file: unknown, line: {line})");
            diagnostic.message = format!("{} {location}", diagnostic.message).into();
            diagnostic.span = None;
            return diagnostic.label(span, "");
        }
        diagnostic
    }

    /// The Puppet call stack, innermost first: the calls of functions, and the main manifest as line 0 of its file.
    pub fn stacktrace(&self) -> impl Iterator<Item = (String, u32)> {
        self.program.record_position_use();
        let position = |span| self.program.sources.locate(span).map(|(source, line, _)| (source, line));
        let calls = self.frames.iter().rev().filter(|frame| matches!(frame.code, RunningCode::Function(_)));
        // A function in Ruby that calls another adds no step: both have its position.
        let mut last = None;
        let calls = calls.filter(move |frame| last.replace(frame.called_at) != Some(frame.called_at));
        let main = self.state.program_file.and_then(|file| Some((self.program.sources.get(file)?, 0)));
        calls.filter_map(move |frame| position(frame.called_at)).chain(main).map(|(source, line)| {
            let file = source.path.as_ref().map_or_else(|| "unknown".to_owned(), |path| path.display().to_string());
            (file, line)
        })
    }

    /// `(file: F, line: L)` of a span.
    pub(crate) fn location(&self, span: Option<Span>) -> Option<String> {
        let (source, line, _) = self.program.sources.locate(span?)?;
        Some(match &source.path {
            Some(path) => format!("(file: {}, line: {line})", path.display()),
            None => format!("(line: {line})"),
        })
    }

    /// The resource whose body a scope belongs to.
    pub fn scope_resource(&self, scope: ScopeId) -> Option<ResourceId> {
        self.scopes.get(self.base_of(scope).0 as usize)?.resource
    }

    /// The code that is being evaluated.
    pub fn source(&self) -> Source {
        self.source_of(self.scope)
    }

    /// The code that a scope belongs to.
    pub(crate) fn source_of(&self, scope: ScopeId) -> Source {
        let Some(scope) = self.scopes.get(self.base_of(scope).0 as usize) else {
            return Source::Class(catwalk_base::name!(""));
        };
        match scope.kind {
            ScopeKind::Class(name) => Source::Class(name),
            ScopeKind::Define(name) => Source::Define(name),
            ScopeKind::Node => {
                let title = scope.resource.and_then(|id| self.state.resources.entries.get(id.0 as usize));
                Source::Node(Name::new(title.map_or("default", |entry| &entry.title)))
            }
            ScopeKind::Top | ScopeKind::Function | ScopeKind::Local => Source::Class(catwalk_base::name!("")),
        }
    }
}
