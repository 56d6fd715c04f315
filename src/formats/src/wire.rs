//! Catalogs as other programs read them.
//!
//! In: a finished [`Catalog`](catwalk_catalog::Catalog). Out: text. Must not: change what it prints to suit one reader;
//! each format is a promise of its own.
//!
//! | file | what |
//! |---|---|
//! | `native` | what compiler and agent exchange |
//! | `wire4` | what PuppetDB receives, version 4 |
//! | `canonical` | one parameter a line, for snapshots |
//! | `kept` | directories of catalogs |

pub mod canonical;
pub mod kept;
pub mod native;
mod read;
mod rich;
pub mod wire4;

pub use read::read_native;
