//! Catwalk: Puppet catalogs, compiled as you type.
pub mod catalog;
pub mod cli;
pub mod data;
pub mod diag;
pub mod environment;
pub mod eval;
pub mod functions;
pub mod names;
pub mod node;
pub mod program;
pub mod regexp;
pub mod source;
pub mod syntax;
pub mod types;
pub mod value;
pub mod world;
