//! Puppet's Resource API: definitions of resource types and the contract between a transaction and a provider.
//!
//! In: the argument of `register_type`. Out: [`Definition`], which the compiler (attributes, titles) and the transaction
//! (validation, comparison) read; [`Provider`], which scripts or Rust implement; [`Context`], which logs what a provider
//! reports. Must not: know Rhai, Ruby or catalogs; access the machine except through [`catwalk_system::System`].

mod context;
mod definition;
mod device;
mod log;
mod munge;
mod naming;
mod problem;
mod provider;
mod read;
mod schema;
mod simple;
mod state;
#[cfg(test)]
mod tests;
mod transport;
mod validate;

pub use context::Action;
pub use context::Block;
pub use context::Context;
pub use context::Operation;
pub use context::absent_state;
pub use context::title_to_string;
pub use definition::Attribute;
pub use definition::AutoRelation;
pub use definition::Behaviour;
pub use definition::Definition;
pub use definition::Relation;
pub use definition::RelationTarget;
pub use definition::TitlePattern;
pub use device::Device;
pub use device::find_device;
pub use device::read_devices;
pub use log::Level;
pub use log::Log;
pub use munge::Origin;
pub use munge::mismatch;
pub use munge::mungify;
pub use problem::Problem;
pub use problem::ProblemLevel;
pub use problem::ReadResult;
pub use problem::Step;
pub use provider::AttributeChange;
pub use provider::AttributeProvider;
pub use provider::Change;
pub use provider::Comparison;
pub use provider::Difference;
pub use provider::Failure;
pub use provider::Provider;
pub use provider::Providers;
pub use read::FEATURES;
pub use read::read_transport;
pub use read::read_type;
pub use schema::display_name;
pub use schema::inspect_state;
pub use simple::SimpleProvider;
pub use simple::set_each;
pub use state::State;
pub use transport::TransportDefinition;
