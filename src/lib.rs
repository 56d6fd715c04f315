//! Catwalk: Puppet catalogs, compiled as you type.
pub mod cli;
