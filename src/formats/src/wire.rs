//! Catalogs as other programs read them.
//!
//! In: a finished [`Catalog`](catwalk_catalog::Catalog). Out: text. Must not: change what it prints to suit one reader; each
//! format has its own stability promise.
//!
//! | file | what |
//! |---|---|
//! | `parts` | documents in parts, for several threads |
//! | `native` | what compiler and agent exchange |
//! | `puppetdb` | what PuppetDB receives, versions 4 to 9 |
//! | `format` | formats by name; conversion |
//! | `validate` | violations of a format's rules |
//! | `dot` | graphs for Graphviz |
//! | `yaml` | the native format as YAML |
//! | `to_native` | PuppetDB's formats as native documents |
//! | `canonical` | one parameter a line, for snapshots |
//! | `archive` | directories of saved catalogs |

pub mod archive;
pub mod canonical;
mod dot;
pub mod format;
pub mod native;
mod parts;
pub mod puppetdb;
mod read;
mod rich;
mod to_native;
pub mod validate;
mod yaml;

pub use parts::PieceSink;
pub use parts::Threads;
pub use read::read_native;
