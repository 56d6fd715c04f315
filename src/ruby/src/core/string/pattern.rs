//! Patterns that methods of `String` search for: a string that matches itself, or a regular expression.
//!
//! In: the argument of a method. Out: its matches in a string, one after the other. Must not: compile a string as an expression.

use std::rc::Rc;

use memchr::memmem;

use crate::Interp;
use crate::Raise;
use crate::value::RegexpValue;
use crate::value::Rv;
use catwalk_regexp::Captures;
use catwalk_regexp::CapturesIter;
use catwalk_regexp::RegexpError;

/// A pattern.
pub(super) enum Pattern {
    Text(String),
    Regexp(Rc<RegexpValue>),
}

impl Pattern {
    /// # Errors
    ///
    /// `TypeError` for a value that is not a pattern.
    pub(super) fn from_value(rt: &mut Interp<'_, '_>, value: &Rv) -> Raise<Pattern> {
        match value {
            Rv::Regexp(regexp) => Ok(Pattern::Regexp(regexp.clone())),
            Rv::Str(text) => Ok(Pattern::Text(text.borrow().clone())),
            other => {
                let class = rt.conversion_name(other)?;
                rt.raise("TypeError", format!("wrong argument type {class} (expected Regexp)"))
            }
        }
    }

    /// All matches in a text, left to right.
    pub(super) fn matches<'p, 't>(&'p self, text: &'t str) -> Matches<'p, 't> {
        match self {
            Pattern::Text(string) => {
                Matches::Text { finder: memmem::Finder::new(string), length: string.len(), text, at: Some(0) }
            }
            Pattern::Regexp(regexp) => Matches::Regexp(regexp.regexp.captures_iter(text)),
        }
    }

    /// The regular expression; `None` for a string.
    pub(super) fn regexp(&self) -> Option<&Rc<RegexpValue>> {
        match self {
            Pattern::Text(_) => None,
            Pattern::Regexp(regexp) => Some(regexp),
        }
    }
}

/// The matches of a pattern.
#[allow(clippy::large_enum_variant, reason = "it lives on the stack for one walk")]
pub(super) enum Matches<'p, 't> {
    Text {
        finder: memmem::Finder<'p>,
        length: usize,
        text: &'t str,
        /// The position at which the search continues.
        at: Option<usize>,
    },
    Regexp(CapturesIter<'p, 't>),
}

impl<'t> Iterator for Matches<'_, 't> {
    type Item = Result<Captures<'t>, RegexpError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Matches::Regexp(found) => found.next(),
            Matches::Text { finder, length, text, at } => {
                let from = at.take()?;
                let start = from + finder.find(text.as_bytes().get(from..)?)?;
                let end = start + *length;
                *at = if *length > 0 {
                    Some(end)
                } else {
                    text.get(end..).and_then(|rest| rest.chars().next()).map(|c| end + c.len_utf8())
                };
                Some(Ok(Captures::literal(text, start, end)))
            }
        }
    }
}
