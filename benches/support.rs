//! What several benchmarks share.

pub mod site;
