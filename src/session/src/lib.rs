//! A site in memory: its nodes are compiled in parallel, and again after edits.
//!
//! In: [`session::Options`], names of nodes, changes on disk. Out: [`session::Compiled`] for each node and what it read. Must
//! not: print; know formats or command lines.

pub mod compile;
pub mod session;
