//! Which code was reached: statements, branches, resources. Counted only when a run asks for it.
//!
//! In: places as evaluation passes them. Out: counts by place. Must not: know files, lines.

use std::sync::Mutex;
use std::sync::PoisonError;

use rustc_hash::FxHashMap;

use catwalk_base::source::Span;

/// What a place is counted as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CoveragePoint {
    /// A statement of a block.
    Statement,
    /// A resource expression.
    Resource,
    /// The way of an `if` or `unless`, at its test: 0 its block, 1 the other way.
    If(u32),
    /// The option of a `case`, at what it looks at; one more than there are: none of them.
    Case(u32),
    /// The option of a selector, at what it looks at.
    Selector(u32),
}

/// Counts of all compiles that share it.
#[derive(Debug, Default)]
pub struct Hits {
    counts: Mutex<FxHashMap<(CoveragePoint, Span), u64>>,
}

impl Hits {
    pub(super) fn add(&self, marks: impl IntoIterator<Item = (CoveragePoint, Span)>) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for mark in marks {
            *counts.entry(mark).or_default() += 1;
        }
    }

    /// All counts so far, sorted by place.
    #[must_use]
    pub fn all(&self) -> Vec<(CoveragePoint, Span, u64)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut all: Vec<(CoveragePoint, Span, u64)> =
            counts.iter().map(|((mark, span), count)| (*mark, *span, *count)).collect();
        all.sort_by_key(|(_, span, _)| (span.file, span.start, span.end));
        all
    }
}
