//! The tables are whole, comments are taken apart, and what a site brings is found.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]
