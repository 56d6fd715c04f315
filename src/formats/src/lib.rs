//! Writes catalogs as documents, and compares documents.
//!
//! In: a [`Catalog`](catwalk_catalog::Catalog). Out: JSON in the formats of agents and PuppetDB, the contents of snapshots, a
//! [`diff::Diff`]. Must not: depend on how a catalog is compiled; read or write files.

pub mod diff;
pub mod graph;
mod metaparameters;
pub mod neighbourhood;
pub mod order;
pub mod unchanged;
pub mod wire;
