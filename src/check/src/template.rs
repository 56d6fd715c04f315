//! Checks whether the Ruby code of ERB templates can be parsed.
//!
//! In: the contents of a template. Out: mistakes. Must not: run it.

use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_ruby_syntax::erb;

/// The first syntax error, or a warning about Ruby code that is not supported: a compile that renders the template fails there.
pub(crate) fn check(sources: &SourceMap, path: &Path, name: &str, text: &str) -> Option<Diagnostic> {
    let error = erb::parse(text.strip_prefix('\u{feff}').unwrap_or(text)).err()?;
    let id = sources.add(Some(path), name, Arc::from(text));
    let line = line(text, error.line);
    let span = Span::new(id, line.start, line.end);
    Some(match error.is_unsupported {
        true => Diagnostic::new(Reason::unsupported(&error.message), Some(span)).severity(Severity::Warning),
        false => Diagnostic::new(Reason::new(Code::TEMPLATE_SYNTAX, error.message), Some(span)),
    })
}

/// The byte range of a line (from 1) without surrounding white space; of the last line if there are fewer.
fn line(text: &str, number: u32) -> std::ops::Range<usize> {
    let mut start = 0;
    for (line, count) in text.split_inclusive('\n').zip(1..) {
        if count == number || start + line.len() == text.len() {
            let indent = line.len() - line.trim_start().len();
            return start + indent.min(line.trim_end().len())..start + line.trim_end().len();
        }
        start += line.len();
    }
    start..start
}
