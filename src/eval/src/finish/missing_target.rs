//! Relationships whose target is not in the catalog: where the reference is written, and which resource was probably meant.
//!
//! In: Puppet's message, the reference, where it was set. Out: the error. Must not: look resources up.

use std::ops::Range;

use crate::Evaluator;
use crate::Stop;
use crate::register::aliases_of;
use crate::register::split_reference;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::nearest;
use catwalk_base::source::Span;

/// Longer titles are not compared with the missing one.
const MAX_TITLE_LENGTH: usize = 200;

/// The number of bytes before and after an arrow that are searched for its operands.
const ARROW_CONTEXT: usize = 1000;

/// Longer expressions are not searched for the reference: the search takes time that grows with the square of their length.
const MAX_EXPRESSION_LENGTH: usize = 10_000;

/// The number of titles that are compared with the missing one: comparing takes time that grows with their length.
const MAX_TITLES: usize = 20_000;

impl Evaluator<'_> {
    /// The error about a relationship parameter: at the reference, if it is on the line of the parameter, which Puppet names;
    /// otherwise the reference is marked as well.
    pub(crate) fn missing_target(&self, message: String, reference: &str, parameter: Option<Span>) -> Stop {
        let reason = self.reason_with_hint(message, reference);
        let Some(parameter) = parameter else { return reason.into() };
        let mut diagnostic = Diagnostic::new(reason, Some(parameter));
        diagnostic.hide_column = true;
        match self.reference_span(parameter, reference) {
            Some(span) if self.line_of(span) == self.line_of(parameter) => diagnostic.span = Some(span),
            Some(span) => diagnostic = diagnostic.label(span, ""),
            None => {}
        }
        Stop::Failed(Box::new(diagnostic))
    }

    /// The error about an end of an arrow. Puppet's message has no position; the reference is marked.
    pub(crate) fn missing_end(&self, message: String, reference: &str, arrow: Span) -> Stop {
        let span = self.reference_near_arrow(arrow, reference).unwrap_or(arrow);
        Stop::Failed(Box::new(Diagnostic::new(self.reason_with_hint(message, reference), None).label(span, "")))
    }

    fn reason_with_hint(&self, message: String, reference: &str) -> Reason {
        let similar = self.similar_reference(reference);
        Reason::runtime(message).hint(similar.map(|similar| format!("did you mean {similar}?")))
    }

    fn line_of(&self, span: Span) -> Option<u32> {
        self.program.sources.locate(span).map(|(_, line, _)| line)
    }

    /// The resource whose title or alias is most like the one of a missing resource, else one of another type with this title.
    fn similar_reference(&self, reference: &str) -> Option<String> {
        let (type_name, title) = split_reference(reference)?;
        let entries = || self.state.resources.entries.iter().filter(|entry| !entry.is_virtual).take(MAX_TITLES);
        let of_type = entries().filter(|entry| entry.type_name == type_name);
        let mut titles: Vec<String> = Vec::new();
        for entry in of_type {
            let aliases = aliases_of(entry).into_iter().filter_map(|alias| alias.as_str().map(str::to_owned));
            titles.extend(std::iter::once(entry.title.to_string()).chain(aliases));
        }
        titles.retain(|title| title.len() <= MAX_TITLE_LENGTH);
        let known = titles.iter().map(String::as_str).filter(|_| title.len() <= MAX_TITLE_LENGTH);
        if let Some(near) = nearest(title, known) {
            return Some(format!("{type_name}[{near}]"));
        }
        entries().find(|entry| *entry.title == *title).map(|entry| entry.reference())
    }

    /// Where a reference is written within an expression; `None` where its title is computed in one of several references.
    fn reference_span(&self, within: Span, reference: &str) -> Option<Span> {
        let source = self.program.sources.get(within.file)?;
        let code = source.text.get(within.start as usize..within.end as usize)?;
        if code.len() > MAX_EXPRESSION_LENGTH {
            return None;
        }
        let (type_name, title) = split_reference(reference)?;
        let found = find_reference(code, type_name, title)?;
        let start = within.start as usize;
        Some(Span::new(within.file, start + found.start, start + found.end))
    }
}

impl Evaluator<'_> {
    /// Where a reference is written beside an arrow: the nearest one on either side.
    fn reference_near_arrow(&self, arrow: Span, reference: &str) -> Option<Span> {
        let source = self.program.sources.get(arrow.file)?;
        let (type_name, title) = split_reference(reference)?;
        let (start, end) = (arrow.start as usize, arrow.end as usize);
        let boundary = |at: usize| (0..=at.min(source.text.len())).rev().find(|at| source.text.is_char_boundary(*at));
        let first = boundary(start.saturating_sub(ARROW_CONTEXT))?;
        let before = source.text.get(first..start);
        let after = source.text.get(end..boundary(end.saturating_add(ARROW_CONTEXT))?);
        let after = after.and_then(|code| find_literal(code, type_name, title)).map(|found| (found.start, end, found));
        let before = before.and_then(|code| {
            let found = find_last_literal(code, type_name, title)?;
            Some((code.len() - found.end, first, found))
        });
        let (_, offset, found) = [before, after].into_iter().flatten().min_by_key(|(distance, ..)| *distance)?;
        Some(Span::new(arrow.file, offset + found.start, offset + found.end))
    }
}

/// The range of `Type['title']` in code; of several titles in one reference, that of the title. The only reference to the type in the
/// code is meant if its title is computed.
fn find_reference(code: &str, type_name: &str, title: &str) -> Option<Range<usize>> {
    find_range(code, type_name, title, true)
}

/// As [`find_reference`], but the title must be a literal.
fn find_literal(code: &str, type_name: &str, title: &str) -> Option<Range<usize>> {
    find_range(code, type_name, title, false)
}

/// As [`find_literal`], but returns the last reference.
fn find_last_literal(code: &str, type_name: &str, title: &str) -> Option<Range<usize>> {
    let (mut last, mut from) = (None, 0);
    while let Some(found) = code.get(from..).and_then(|rest| find_literal(rest, type_name, title)) {
        last = Some(from + found.start..from + found.end);
        from += found.end;
    }
    last
}

fn find_range(code: &str, type_name: &str, title: &str, may_be_computed: bool) -> Option<Range<usize>> {
    let lower = code.to_ascii_lowercase();
    let (open, title) = (format!("{}[", type_name.to_ascii_lowercase()), title.to_ascii_lowercase());
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    let starts = lower.match_indices(&open).map(|(at, _)| at);
    let starts: Vec<usize> = starts
        .filter(|at| at.checked_sub(1).and_then(|before| lower.as_bytes().get(before)).is_none_or(|b| !is_name(*b)))
        .collect();
    let mut references = starts.iter().filter_map(|start| {
        let inner = start + open.len();
        Some((*start..inner + closing_bracket(lower.get(inner..)?)? + 1, inner))
    });
    let mut all = Vec::new();
    for (range, inner) in references.by_ref() {
        let titles = lower.get(inner..range.end - 1)?;
        for (at, found) in titles.match_indices(title.as_str()) {
            let (before, after) =
                (titles.get(..at)?.chars().next_back(), titles.get(at + found.len()..)?.chars().next());
            let is_whole = matches!(
                (before, after),
                (Some('\''), Some('\'')) | (Some('"'), Some('"')) | (None | Some(' ' | ','), None | Some(' ' | ','))
            ) || (before == Some(':') && matches!(after, Some('\'' | '"')));
            if is_whole {
                let is_only = !titles.contains(',');
                let quotes = usize::from(matches!(before, Some('\'' | '"')));
                let start = inner + at;
                return Some(if is_only { range } else { start - quotes..start + found.len() + quotes });
            }
        }
        all.push(range);
    }
    match all.as_slice() {
        [only] if may_be_computed => Some(only.clone()),
        _ => None,
    }
}

/// The position of the closing bracket whose opening bracket precedes the code; brackets in quotes are ignored.
fn closing_bracket(code: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, byte) in code.bytes().enumerate() {
        match (quote, byte) {
            (Some(_), b'\\') if !is_escaped => {
                is_escaped = true;
                continue;
            }
            (Some(open), byte) if byte == open && !is_escaped => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'[') => depth += 1,
            (None, b']') if depth == 0 => return Some(at),
            (None, b']') => depth -= 1,
            _ => {}
        }
        is_escaped = false;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_in_code() {
        for (code, reference, found) in [
            ("require => File['/x']", ("File", "/x"), Some("File['/x']")),
            ("require => [File['/a'], File[\"/x\"]]", ("File", "/x"), Some("File[\"/x\"]")),
            ("require => File['/a', '/x']", ("File", "/x"), Some("'/x'")),
            ("require => Class['::a::b']", ("Class", "A::B"), Some("Class['::a::b']")),
            ("require => Package[ntp]", ("Package", "ntp"), Some("Package[ntp]")),
            ("require => File[\"${dir}/x\"]", ("File", "/srv/x"), Some("File[\"${dir}/x\"]")),
            ("require => [File[$a], File[$b]]", ("File", "/x"), None),
            ("require => File['a]b', $c]", ("File", "/x"), Some("File['a]b', $c]")),
            ("require => My::File['/x']", ("File", "/x"), None),
            ("require => $all", ("File", "/x"), None),
            ("require => File[", ("File", "/x"), None),
        ] {
            let range = find_reference(code, reference.0, reference.1);
            assert_eq!(range.map(|range| &code[range]), found, "{code}");
        }
    }
}
