//! All tests but the data-driven ones, in one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

mod cli;
mod support;
mod tidy;
mod watch;

mod syntax;
