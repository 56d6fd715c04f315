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
    String(String),
    Regexp(Rc<RegexpValue>),
}

impl Pattern {
    /// # Errors
    ///
    /// `TypeError` for a value that is not a pattern.
    pub(super) fn from_value(rt: &mut Interp<'_>, value: &Rv) -> Raise<Pattern> {
        match value {
            Rv::Regexp(regexp) => Ok(Pattern::Regexp(regexp.clone())),
            Rv::Str(string) => Ok(Pattern::String(string.borrow().clone())),
            other => {
                let class = rt.conversion_name(other)?;
                rt.raise("TypeError", format!("wrong argument type {class} (expected Regexp)"))
            }
        }
    }

    /// All matches in a string, left to right.
    pub(super) fn matches<'p, 't>(&'p self, subject: &'t str) -> Matches<'p, 't> {
        match self {
            Pattern::String(pattern) => {
                Matches::String { finder: memmem::Finder::new(pattern), length: pattern.len(), subject, at: Some(0) }
            }
            Pattern::Regexp(regexp) => Matches::Regexp(regexp.regexp.captures_iter(subject)),
        }
    }

    /// The regular expression; `None` for a string.
    pub(super) fn regexp(&self) -> Option<&Rc<RegexpValue>> {
        match self {
            Pattern::String(_) => None,
            Pattern::Regexp(regexp) => Some(regexp),
        }
    }
}

/// The matches of a pattern.
#[allow(clippy::large_enum_variant, reason = "it is on the stack for one search")]
pub(super) enum Matches<'p, 't> {
    String {
        finder: memmem::Finder<'p>,
        length: usize,
        subject: &'t str,
        /// The position at which the search continues.
        at: Option<usize>,
    },
    Regexp(CapturesIter<'p, 't>),
}

impl<'t> Iterator for Matches<'_, 't> {
    type Item = Result<Captures<'t>, RegexpError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Matches::Regexp(matches) => matches.next(),
            Matches::String { finder, length, subject, at } => {
                let from = at.take()?;
                let start = from + finder.find(subject.as_bytes().get(from..)?)?;
                let end = start + *length;
                *at = if *length > 0 {
                    Some(end)
                } else {
                    subject.get(end..).and_then(|rest| rest.chars().next()).map(|c| end + c.len_utf8())
                };
                Some(Ok(Captures::literal(subject, start, end)))
            }
        }
    }
}
