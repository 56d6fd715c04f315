//! Writes and reads catalogs in the formats of Puppet, PuppetDB and other programs.
//!
//! In: a [`Catalog`](catwalk_catalog::Catalog). Out: a document. Must not: change a format to suit one reader; each format has its own
//! stability promise.
//!
//! | file | content |
//! |---|---|
//! | `chunks` | documents in chunks, which several threads write |
//! | `native` | the format that a server sends to an agent |
//! | `puppetdb` | the formats that PuppetDB receives, versions 4 to 9 |
//! | `format` | the list of formats; detection and conversion |
//! | `validate` | checking documents against the rules of their format |
//! | `dot` | graphs for Graphviz |
//! | `yaml` | the native format as YAML |
//! | `to_native` | conversion of PuppetDB's formats to native documents |
//! | `canonical` | the format of snapshots, with one parameter per line |
//! | `archive` | the file names of saved catalogs |

pub mod archive;
pub mod canonical;
mod chunks;
mod dot;
pub mod format;
pub mod native;
pub mod puppetdb;
mod read;
mod rich;
mod to_native;
pub mod validate;
mod yaml;

pub use chunks::PieceSink;
pub use chunks::Threads;
pub use read::read_native;
