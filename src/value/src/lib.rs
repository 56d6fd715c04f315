//! Values of the Puppet language, its type system, and the data formats that values are read from.
//!
//! In: literals, bytes of YAML, JSON and HOCON, type expressions. Out: [`value::Value`], [`types::Type`]. Must not: open
//! files; know scopes, resources or loaders.
//!
//! The three modules are one crate because a value can be a type and a type can hold values.

pub mod data;
pub mod types;
pub mod value;
