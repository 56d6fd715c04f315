//! The script host: Rhai scripts as classifiers and functions.
//!
//! In: `.rhai` files, values, a [`HostApi`] into the running compile. Out: classifications, values, diagnostics with script
//! positions. Must not: let Rhai types out of this folder; let a script read, run or wait for anything by itself.
//!
//! One engine serves the process and all threads; trees are cached by file. Values cross as handles (`Hash` is shared,
//! never copied deep). What a script may do of the running compile goes through a scoped thread-local, so that nothing a
//! script keeps can outlive the call. Limits protect against mistakes of trusted authors, not against hostile ones.

mod api;
mod bridge;
mod cache;
mod dispatch;
mod enc;
mod engine;
mod error;
mod function;
mod groups;
mod host;
mod resolver;

pub use cache::Scripts;
pub use enc::RhaiEnc;
pub use function::RhaiFunctions;
pub use groups::RhaiGroups;
