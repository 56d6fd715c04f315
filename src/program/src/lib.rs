//! The code of an environment: its modules, the definitions in its manifests and the schemas of its resource types.
//!
//! In: directories, a [`World`](catwalk_world::World). Out: [`environment::Environment`], [`program::Program`],
//! [`resource_types::Registry`]. Must not: evaluate anything.

pub mod environment;
pub mod program;
pub mod resource_types;
