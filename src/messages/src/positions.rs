//! Adds positions to failures about data files.
//!
//! In: a message, a file's contents. Out: a diagnostic with an excerpt. Must not: read more than the file.

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;

/// A failure at a line and column, both from 1; the word at this position is underlined.
#[must_use]
pub fn diagnostic_at(reason: Reason, file: FileId, (line, column): (usize, usize), sources: &SourceMap) -> Diagnostic {
    let span = sources.get(file).map(|source| {
        let last = source.text.lines().count().max(1);
        let start = source.offset(line.clamp(1, last), column.max(1)).unwrap_or(0);
        let length = source.text.get(start..).map_or(0, word_length);
        Span::new(file, start, start + length)
    });
    Diagnostic::new(reason, span)
}

/// The length in bytes of the word at the start of a string, or of its first character.
fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':');
    let length = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let length = text.get(..length).map_or(0, |word| word.trim_end_matches(':').len());
    if length > 0 { length } else { text.chars().next().map_or(0, char::len_utf8) }
}
