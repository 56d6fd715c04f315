//! Applies a catalog to a machine: order, changes, events, refreshes, the report.
//!
//! In: a catalog, the resource kinds that can be managed, a machine. Out: log messages as Puppet's agent prints them, and a report.
//! Must not: know how a type is managed (that is a [`ResourceKind`]), know Rhai, read manifests, print.

mod managed;

pub use managed::Current;
pub use managed::Declared;
pub use managed::Managed;
pub use managed::Outcome;
pub use managed::ResourceKind;
pub use managed::Run;
pub use managed::Strict;
