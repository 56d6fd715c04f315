//! One parsed manifest or template, with its messages.

use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;

use crate::program::layout::Layout;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::source::Source;
use catwalk_syntax as syntax;
use catwalk_syntax::ast::File;

/// A parsed source with its messages.
#[derive(Debug)]
pub struct ParsedSource {
    /// The tree; usable only when there is no error.
    pub file: Arc<File>,
    /// Errors and warnings in order.
    pub diagnostics: Vec<Diagnostic>,
    /// Its source.
    source: Option<Arc<Source>>,
    /// Whether it is a template.
    pub template: bool,
    /// The limits on reported messages.
    message_limits: syntax::MessageLimits,
    layout: OnceLock<Layout>,
}

impl ParsedSource {
    /// Parses a source.
    pub(super) fn new(
        (file, diagnostics): (File, Vec<Diagnostic>),
        source: Option<Arc<Source>>,
        options: &syntax::Options,
    ) -> ParsedSource {
        let (template, message_limits) = (options.template, options.message_limits);
        ParsedSource { file: Arc::new(file), diagnostics, source, template, message_limits, layout: OnceLock::new() }
    }

    /// The file it was read from.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.source.as_ref()?.path.as_deref()
    }

    /// The parts of the file, computed on first use, after an edit.
    pub(super) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::new(&self.file, self.text(), self.template))
    }

    pub(super) fn text(&self) -> &str {
        self.source.as_ref().map_or("", |source| &source.text)
    }

    /// The first error.
    #[must_use]
    pub(crate) fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.severity >= Severity::Error)
    }

    /// The error that makes the file unusable; of several errors, a message with their number.
    #[must_use]
    pub fn failure(&self) -> Option<Box<Diagnostic>> {
        syntax::failure(&self.file, &self.diagnostics, self.message_limits)
    }

    /// Its warnings.
    pub(crate) fn reported_warnings(&self) -> Vec<Diagnostic> {
        syntax::reported_warnings(&self.diagnostics, self.message_limits)
    }
}
