//! Adds positions to failures about data files.
//!
//! In: a message, a file's contents. Out: a diagnostic with an excerpt. Must not: read more than the file.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_world::World;

/// A failure at a line and column, both from 1; the word at this position is underlined.
pub(super) fn diagnostic_at(
    reason: Reason,
    file: FileId,
    (line, column): (usize, usize),
    sources: &SourceMap,
) -> Diagnostic {
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

/// The position of the words that a message quotes: each quoted word is searched for after the previous one. The start of the file if the
/// message quotes none.
pub(super) fn find_quoted(text: &str, message: &str) -> Range<usize> {
    let message = message.split("; did you mean").next().unwrap_or(message);
    let mut found = 0..0;
    let mut rest = message;
    while let Some(start) = rest.find(['`', '\'', '"']) {
        let (quote, after) = rest.get(start..).unwrap_or_default().split_at(1);
        let Some(end) = after.find(quote) else { break };
        let quoted = after.get(..end).unwrap_or_default();
        if let Some(range) = find_word(text, quoted, found.end) {
            found = range;
        }
        rest = after.get(end + 1..).unwrap_or_default();
    }
    found
}

fn find_word(text: &str, word: &str, from: usize) -> Option<Range<usize>> {
    if word.is_empty() {
        return None;
    }
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let tail = text.get(from..)?;
    tail.match_indices(word).map(|(at, _)| from + at..from + at + word.len()).find(|range| {
        let before = text.get(..range.start).and_then(|before| before.chars().next_back());
        let after = text.get(range.end..).and_then(|after| after.chars().next());
        !is_part(before) && !is_part(after)
    })
}

/// A failure whose message begins with a path below `root`, positioned in that file by the words that the message quotes.
pub(super) fn diagnostic_in_named_file(
    reason: Reason,
    root: &Path,
    world: &dyn World,
    sources: &SourceMap,
) -> Diagnostic {
    let located = reason.message.split_once(": ").and_then(|(name, rest)| {
        let path = root.join(name);
        let bytes = world.read(&path).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let id = sources.add(Some(&path), name, Arc::from(text));
        // `3:5: …` is the position itself.
        let position = rest.split_once(": ").and_then(|(position, rest)| {
            let (line, column) = position.split_once(':')?;
            Some(((line.parse().ok()?, column.parse().ok()?), rest.to_owned()))
        });
        Some(match position {
            Some((position, rest)) => {
                diagnostic_at(Reason { message: rest.into(), ..reason.clone() }, id, position, sources)
            }
            None => {
                let range = find_quoted(text, rest);
                let message = rest.to_owned().into();
                Diagnostic::new(Reason { message, ..reason.clone() }, Some(Span::new(id, range.start, range.end)))
            }
        })
    });
    located.unwrap_or_else(|| Diagnostic::new(reason, None))
}

#[cfg(test)]
mod tests {
    use super::find_quoted;

    #[test]
    fn quoted_words_are_found_one_after_the_other() {
        let text = "class: x\ncases:\n  class: {class: a}\n  a:\n    clas: b\n";
        for (message, expected) in [
            ("case 'a': a case has no key `clas`; did you mean 'class'?", "clas"),
            ("a test file has no key `cases`", "cases"),
            ("nothing of it", ""),
            ("it's `not` there", ""),
        ] {
            let range = find_quoted(text, message);
            assert_eq!(text.get(range.clone()), Some(expected), "{message}");
            assert!(expected != "clas" || range.start > 40, "{message}");
        }
    }
}
