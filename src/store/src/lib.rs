//! The last catalog and facts of each node in one SQLite file, and PuppetDB's queries over them.
//!
//! In: catalogs (native, or of PuppetDB's wire formats) and facts as JSON; queries as AST or PQL. Out: exported resources, the
//! documents that PuppetDB returns for a query, payloads of PuppetDB's commands. Must not: compile, read other files, reach a PuppetDB.

mod document;
mod error;
mod fixture;
mod hash;
mod payload;
mod permissions;
mod pql;
mod query;
mod read;
mod renewal;
mod safety;
mod schema;
mod store;
mod time;

pub use document::CatalogDocument;
pub use document::EdgeDocument;
pub use document::FactsDocument;
pub use document::ResourceDocument;
pub use error::QueryError;
pub use error::StoreError;
pub use fixture::NodeFixture;
pub use fixture::read as read_fixture;
pub use pql::to_ast as pql_to_ast;
pub use renewal::CatalogRenewal;
pub use store::ExportedResource;
pub use store::NodeSummary;
pub use store::Store;
pub use time::print as print_time;
