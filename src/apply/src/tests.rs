//! Runs on a machine in memory, without a compiler. Most compare their log with the recorded one of Puppet (`tests/apply/manifests`).
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::disallowed_methods, reason = "tests")]

mod audits;
mod catalog;
mod definitions;
mod kinds;
mod plans;
mod recorded;
mod reports;
mod transactions;
