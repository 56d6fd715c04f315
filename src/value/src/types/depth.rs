//! The nesting of types and values at which comparisons stop.

/// Comparisons of deeper values return false instead of exhausting the stack. Far above any real data.
pub(super) const LIMIT: u32 = 20_000;
