//! The limit on the nesting of types and values in comparisons.

/// Comparisons of deeper values return false, so that they do not exhaust the stack. No real data nests so deeply.
pub(super) const LIMIT: u32 = 20_000;
