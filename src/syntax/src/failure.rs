//! Why a parsed source cannot be used.
//!
//! In: what the parser and validation found. Out: one failure, and the messages before it. Must not: parse.

use std::sync::Arc;

use crate::Options;
use crate::Placement;
use crate::ast;
use crate::parse_with;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;

/// The limits on the number of messages about one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageLimits {
    /// The setting `max_errors`.
    pub errors: usize,
    /// The setting `max_warnings`.
    pub warnings: usize,
    /// The setting `max_deprecations`; none where `disable_warnings` has `deprecations`.
    pub deprecations: usize,
}

impl Default for MessageLimits {
    fn default() -> MessageLimits {
        MessageLimits { errors: 10, warnings: 10, deprecations: 10 }
    }
}

/// Whether the lexer reported a diagnostic: such warnings are reported immediately, and validation does not count them.
fn is_from_lexer(diagnostic: &Diagnostic) -> bool {
    diagnostic.code.as_str().ends_with("_ESCAPE")
}

/// Whether a diagnostic is a deprecation warning.
fn is_deprecation(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.code, Code::FUTURE_RESERVED_WORD | Code::ILLEGAL_NONLITERAL_PARAMETER_TYPE)
}

/// The warnings among `diagnostics` that are reported (`IssueReporter.assert_and_report`).
pub fn reported_warnings(diagnostics: &[Diagnostic], limits: MessageLimits) -> Vec<Diagnostic> {
    let (mut warnings, mut deprecations) = (0, 0);
    let is_reported = |diagnostic: &&Diagnostic| {
        if is_from_lexer(diagnostic) {
            return true;
        }
        let (count, limits) = if is_deprecation(diagnostic) {
            (&mut deprecations, limits.deprecations)
        } else {
            (&mut warnings, limits.warnings)
        };
        *count += 1;
        *count <= limits
    };
    diagnostics.iter().filter(|diagnostic| diagnostic.severity < Severity::Error).filter(is_reported).cloned().collect()
}

/// The error of a source, or for several errors a message that there are several (`IssueReporter.assert_and_report`).
#[must_use]
pub fn failure(file: &ast::File, diagnostics: &[Diagnostic], limits: MessageLimits) -> Option<Box<Diagnostic>> {
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity >= Severity::Error;
    let first = diagnostics.iter().find(is_error)?;
    let count = diagnostics.iter().filter(is_error).count();
    // The lexer's errors come before those of validation.
    let (mut of_lexing, of_validation): (Vec<_>, Vec<_>) =
        reported_warnings(diagnostics, limits).into_iter().partition(is_from_lexer);
    if count == 1 || file.has_syntax_errors || limits.errors <= 1 {
        let mut only = Box::new(first.clone());
        only.hide_line = only.cause == Cause::EndOfInput;
        if file.has_syntax_errors {
            // Puppet stops at the first source that does not parse.
            let before = diagnostics.iter().take_while(|diagnostic| !is_error(diagnostic));
            of_lexing = before.filter(|diagnostic| is_from_lexer(diagnostic)).cloned().collect();
        } else {
            of_lexing.extend(of_validation);
        }
        // The messages of an embedded source.
        of_lexing.append(&mut only.summarized);
        only.summarized = of_lexing;
        return Some(only);
    }
    let is_counted = |diagnostic: &&Diagnostic| !is_error(diagnostic) && !is_from_lexer(diagnostic);
    let warnings = diagnostics.iter().filter(is_counted).count();
    let counted = if warnings == 0 { String::new() } else { format!(", and {warnings} warnings") };
    let text = format!("Language validation logged {count} errors{counted}. Giving up");
    let mut failure = Box::new(Diagnostic::new(Reason::new(first.code, text), first.span));
    failure.hide_line = true;
    let errors = diagnostics.iter().filter(is_error).take(limits.errors).cloned();
    failure.summarized = of_lexing.into_iter().chain(of_validation).chain(errors).collect();
    Some(failure)
}

/// Validates a source in a heredoc with the options of the surrounding source. Returns why it does not parse, as `syntax_checkers/pp.rb`
/// and `epp.rb` word it, and the messages to log in any case, without positions.
pub fn check_embedded_source(text: &str, template: bool, surrounding: &Options) -> (Option<String>, Vec<Diagnostic>) {
    let sources = SourceMap::new();
    let id = sources.add(None, "", Arc::from(text));
    let options = Options { template, placement: Placement::default(), ..surrounding.clone() };
    let (file, diagnostics) = parse_with(&sources, id, &options);
    let without_position = |diagnostic: Diagnostic| {
        let text = diagnostic.puppet_text(&sources);
        Diagnostic::new(Reason::new(diagnostic.code, text), None).severity(diagnostic.severity)
    };
    let Some(mut failure) = failure(&file, &diagnostics, options.message_limits) else {
        return (
            None,
            reported_warnings(&diagnostics, options.message_limits).into_iter().map(without_position).collect(),
        );
    };
    let logs = std::mem::take(&mut failure.summarized).into_iter().map(without_position).collect();
    let name = if template { "EPP" } else { "PP" };
    let message: String = failure.puppet_text(&sources).chars().take(MAX_ERROR_LENGTH).collect();
    let message = message.replace("\r\n", "\\n").replace('\n', "\\n");
    (Some(format!("{name} syntax checker: \"{message}\"")), logs)
}

/// The maximum length of the error of an embedded source, in characters.
const MAX_ERROR_LENGTH: usize = 500;
