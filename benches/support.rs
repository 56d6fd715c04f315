//! Generated sites and catalogs for several benchmarks.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic, reason = "each benchmark uses a part")]

pub mod resources;
pub mod site;
