//! Data formats as values: YAML as Ruby's Psych reads it, JSON as Ruby's json reads it, HOCON.
//!
//! In: bytes. Out: [`crate::value::Value`]s. Must not: open files, know Hiera or facts; the caller adds the file's name
//! to a message.

pub mod hocon;
pub mod json;
pub mod positions;
pub mod yaml;
pub mod yaml_cache;
mod yaml_comma;
mod yaml_omap;
mod yaml_plain;
mod yaml_scalar;
pub mod yaml_write;

#[cfg(test)]
mod tests;
