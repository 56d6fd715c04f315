//! Differences of two texts by lines.
//!
//! In: two texts. Out: their difference. Must not: format it.
//!
//! All crates compare texts through this function, so that the algorithm is compiled once: it is a third of a megabyte in each crate.

use similar::TextDiff;

/// The difference of two texts by lines.
#[must_use]
pub fn diff_lines<'a>(old: &'a str, new: &'a str) -> TextDiff<'a, 'a, str> {
    TextDiff::from_lines(old, new)
}
