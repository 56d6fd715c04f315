//! What several benchmarks share.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic, reason = "each benchmark uses a part")]

pub mod resources;
pub mod site;
