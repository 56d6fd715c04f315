//! How deep types and values may nest before the compiler refuses to look further.

/// Nesting beyond this is answered with "no" instead of running out of stack. Far above any real data.
pub(super) const LIMIT: u32 = 20_000;
