//! Code coverage: reached statements, branches, resources. Recorded only if a run requests it.
//!
//! In: spans that evaluation reaches. Out: counts by span. Must not: know files, lines.

use parking_lot::Mutex;

use rustc_hash::FxHashMap;

use catwalk_base::source::Span;

/// A kind of code that is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CoveragePoint {
    /// A statement of a block.
    Statement,
    /// A resource expression.
    Resource,
    /// A branch of an `if` or `unless`, at its condition: 0 its block, 1 the alternative.
    If(u32),
    /// The option of a `case`, at its value; the number of options means that none matched.
    Case(u32),
    /// The option of a selector, at its value.
    Selector(u32),
}

/// Counts of all compiles that share this object.
#[derive(Debug, Default)]
pub struct Hits {
    counts: Mutex<FxHashMap<(CoveragePoint, Span), u64>>,
}

impl Hits {
    pub(super) fn add(&self, marks: impl IntoIterator<Item = (CoveragePoint, Span)>) {
        let mut counts = self.counts.lock();
        for mark in marks {
            *counts.entry(mark).or_default() += 1;
        }
    }

    /// All counts so far, sorted by position.
    #[must_use]
    pub fn all(&self) -> Vec<(CoveragePoint, Span, u64)> {
        let counts = self.counts.lock();
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut all: Vec<(CoveragePoint, Span, u64)> =
            counts.iter().map(|((mark, span), count)| (*mark, *span, *count)).collect();
        all.sort_by_key(|(_, span, _)| (span.file, span.start, span.end));
        all
    }
}
