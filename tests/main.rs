//! All tests but the data-driven ones, in one binary.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod annotations;
mod applying;
mod autorequire;
mod bounded;
mod ca;
mod catalogs;
mod checks;
mod classifier;
mod classifier_service;
mod cli;
mod command_line;
mod completion;
mod convert;
mod corpora;
mod cycles;
mod damaged;
mod data_use;
mod deep_values;
mod deferred_warnings;
mod diff;
mod diff_edges;
mod docs;
mod documented;
mod error_codes;
mod eval;
mod exported;
#[cfg(unix)]
mod eyaml;
mod fleet;
mod fullscreen;
mod growth;
mod hints;
mod importing;
mod incremental;
mod installations;
mod killed;
mod large;
mod ldap;
mod library;
mod limits;
mod located;
mod lookup;
mod messages;
mod migrate;
mod newcomers;
mod onboarding;
mod outputs;
#[cfg(unix)]
mod ownership;
mod pages;
mod printed;
mod profile;
mod puppetdb;
mod puppetdb_exports;
mod puppetdb_queue;
mod puppetdb_tls;
mod questions;
mod reports;
mod repositories;
mod resource_api;
mod ruby;
mod running_commands;
mod schemas;
mod scoreboard;
mod scripting;
mod secret_outputs;
mod secret_runs;
mod secrets;
mod serve;
mod serve_crash;
mod serve_settings;
mod serving;
mod sessions;
mod show;
mod snapshots;
mod store;
mod support;
mod syntax;
mod tape;
mod termini;
mod testing;
mod tidy;
mod untrusted;
mod watch;
mod watching;
