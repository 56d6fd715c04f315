//! The script host: Rhai scripts as classifiers, functions, Hiera backends, policies, signing of certificates, report processors, resource types and their providers, and tests.
//!
//! In: `.rhai` files, values, a `HostApi` into the running compile. Out: classifications, values, diagnostics with script
//! positions. Must not: let Rhai types out of this folder; let a script read, run or wait for anything itself; only providers
//! may, through the machine of their context.
//!
//! One engine serves the process and all threads; trees are cached by file. Values cross as handles (`Hash` is shared, never
//! copied deep). The running compile is reached through a scoped thread-local, so that nothing a script keeps can outlive the
//! call. Limits protect against mistakes of trusted authors; against hostile ones scripts run in worker processes (`worker`).

mod api;
mod autosign;
mod bridge;
mod cache;
mod callers;
mod chain;
mod check;
mod classifier_host;
mod coverage;
mod dispatch;
mod enc;
mod engine;
mod entry;
mod error;
mod function;
mod groups;
mod host;
mod limits;
mod links;
mod missing_key;
mod natives;
mod parse;
mod policy;
mod provider_tests;
mod providers;
mod register;
mod report;
mod reserved_words;
mod resolver;
mod resource_types;
mod running;
mod server_script;
mod stand_in;
mod state;
mod table;
mod test_runs;
mod testing;
mod transports;
mod unreadable;
mod worker;

pub use autosign::RhaiAutosign;
pub use cache::Scripts;
pub use check::Checker;
pub use check::Purpose;
pub use coverage::ScriptCoverage;
pub use enc::RhaiEnc;
pub use function::LogBudget;
pub use function::RhaiFunctions;
pub use groups::RhaiGroups;
pub use provider_tests::Outcome;
pub use provider_tests::Property;
pub use provider_tests::PropertyReport;
pub use providers::RhaiProviders;
pub use report::RhaiReport;
pub use resource_types::RhaiTypes;
pub use testing::TestSite;
pub use testing::stubbed_command;
pub use transports::Connection;
pub use transports::transport_file;
pub use worker::Isolation;
pub use worker::decode_frame;
pub use worker::serve;
pub use worker::serve_script;

/// Runs a function in which no script may take longer than a time limit. For fuzzing.
#[doc(hidden)]
pub fn run_within<T>(limit: std::time::Duration, run: impl FnOnce() -> T) -> Option<T> {
    limits::run_entry(limit, run)
}

/// The script API as a file of definitions for editors (`.d.rhai`).
#[must_use]
pub fn definitions() -> String {
    table::definitions(&api::all())
}

/// The reference of the script API as a Markdown page: `docs/script-api.md`.
#[must_use]
pub fn reference_page() -> String {
    table::reference_page(&api::all())
}
