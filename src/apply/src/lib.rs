//! Applies a catalog to a machine: order, changes, events, refreshes, the report.
//!
//! In: a catalog, the resource kinds that can be managed, a machine. Out: log messages as Puppet's agent prints them, and a report.
//! Must not: know how a type is managed (that is a [`ResourceKind`]), know Rhai, read manifests, print.

mod attribute_kind;
mod display;
mod graph;
mod harness;
mod item;
mod kinds;
mod managed;
mod options;
mod path;
pub mod plan;
mod propertyless;
mod recorder;
pub mod report;
mod resource_api_kind;
mod state;
mod status;
#[cfg(test)]
mod tests;
mod traits;
mod transaction;

pub use display::display;
pub use display::redacted;
pub use kinds::Kinds;
pub use kinds::missing_provider;
pub use managed::CurrentValues;
pub use managed::DeclaredResource;
pub use managed::ManagedResource;
pub use managed::RefreshOutcome;
pub use managed::ResourceKind;
pub use managed::Run;
pub use options::Environment;
pub use options::Options;
pub use options::Resolver;
pub use path::ResourcePath;
pub use plan::Plan;
pub use propertyless::Propertyless;
pub use recorder::LogLine;
pub use state::State;
pub use status::Event;
pub use status::EventStatus;
pub use status::Status;
pub use traits::KindTraits;
pub use traits::PropertyTraits;
pub use transaction::AppliedResource;
pub use transaction::RunOutcome;
pub use transaction::apply;
