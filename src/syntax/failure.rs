//! Why a text that was parsed cannot be used.
//!
//! In: what the parser and validation found. Out: one failure, and what is said before it. Must not: parse.

use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::diag::Reason;
use crate::diag::Severity;
use crate::source::SourceMap;
use crate::syntax::Options;
use crate::syntax::ast;
use crate::syntax::parse_with;

/// Most errors of a file that are said (the setting `max_errors`).
const MAX_ERRORS: usize = 10;

/// The only error of a text; of several, that there are several (`IssueReporter.assert_and_report`).
#[must_use]
pub fn failure(file: &ast::File, diagnostics: &[Diagnostic]) -> Option<Box<Diagnostic>> {
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity >= Severity::Error;
    let first = diagnostics.iter().find(is_error)?;
    let count = diagnostics.iter().filter(is_error).count();
    // The reference stops at the first text that does not parse.
    // The lexer's warnings are said at once; they are none of those that validation counts.
    let of_lexer = |diagnostic: &&Diagnostic| diagnostic.code.0.ends_with("_ESCAPE");
    if count == 1 || file.broken {
        let mut only = Box::new(first.clone());
        only.hide_line = only.message == "Syntax error at end of input";
        let before = diagnostics.iter().take_while(|diagnostic| !file.broken || !is_error(diagnostic));
        let mut said: Vec<Diagnostic> = before.clone().filter(of_lexer).cloned().collect();
        if !file.broken {
            said.extend(before.filter(|diagnostic| !is_error(diagnostic) && !of_lexer(diagnostic)).cloned());
        }
        // What a text inside this one had to say.
        said.append(&mut only.several);
        only.several = said;
        return Some(only);
    }
    let warnings = diagnostics.iter().filter(|diagnostic| !is_error(diagnostic) && !of_lexer(diagnostic)).count();
    let counted = if warnings == 0 { String::new() } else { format!(", and {warnings} warnings") };
    let text = format!("Language validation logged {count} errors{counted}. Giving up");
    let mut failure = Box::new(Diagnostic::new(Reason::new(first.code, text), first.span));
    failure.hide_line = true;
    let early = diagnostics.iter().filter(of_lexer);
    let said = diagnostics.iter().filter(|diagnostic| !is_error(diagnostic) && !of_lexer(diagnostic));
    failure.several = early.chain(said).chain(diagnostics.iter().filter(is_error).take(MAX_ERRORS)).cloned().collect();
    Some(failure)
}

/// Why a text inside another one is not of the language, as `syntax_checkers/pp.rb` and `epp.rb` word it, and what is logged
/// of it either way: without places in the text around.
pub(crate) fn of_text(text: &str, template: bool) -> (Option<String>, Vec<Diagnostic>) {
    let sources = SourceMap::new();
    let id = sources.add(None, "", Arc::from(text));
    let (file, mut diagnostics) = parse_with(&sources, id, &Options { template, ..Options::default() });
    let unplaced = |said: Diagnostic| {
        let text = said.puppet_text(&sources);
        Diagnostic::new(Reason::new(said.code, text), None).severity(said.severity)
    };
    let Some(mut failure) = failure(&file, &diagnostics) else {
        return (None, diagnostics.drain(..).map(unplaced).collect());
    };
    let said = std::mem::take(&mut failure.several).into_iter().map(unplaced).collect();
    let name = if template { "EPP" } else { "PP" };
    let shown: String = failure.puppet_text(&sources).chars().take(LONGEST).collect();
    let shown = shown.replace("\r\n", "\\n").replace('\n', "\\n");
    (Some(format!("{name} syntax checker: \"{shown}\"")), said)
}

/// Characters of an error in a text inside another one that are shown.
const LONGEST: usize = 500;
