//! Snapshot tests: each catalog is compared with the accepted snapshot.
//!
//! In: a session, test files, a folder of snapshots. Out: a [`Report`]; pending snapshots. Must not: print, prompt the user.
//!
//! | file | content |
//! |---|---|
//! | `case`, `matrix`, `metadata` | test cases: nodes of the site, cases of test files |
//! | `facts` | sets of facts |
//! | `fixtures` | the modules that a module needs |
//! | `run` | compile, compare, check expectations |
//! | `text` | the body of a snapshot |
//! | `hunks` | a change in parts |
//! | `coverage` | which code a run reached |
//! | `expect`, `classify` | expectations besides snapshots |
//! | `file`, `store` | snapshots on disk |
//! | `decide` | accept and reject, by pattern |
//! | `review` | the review on a screen, independent of terminals |
//! | `report`, `annotations` | results for people, programs and build servers |
//! | `suite` | a site or module with its tests; the interface for tests in Rust |

mod annotations;
pub mod case;
pub mod classify;
pub mod coverage;
pub mod decide;
mod difference;
pub mod expect;
pub mod facts;
pub mod file;
mod fixtures;
pub mod hunks;
mod invalid;
pub mod matrix;
mod metadata;
pub mod report;
pub mod review;
pub mod run;
mod schema;
pub mod store;
pub mod suite;
pub mod text;

pub use annotations::annotations;
pub use case::Case;
pub use metadata::supported_sets;
pub use run::Report;
pub use schema::schema;
pub use store::Store;
pub use suite::Suite;
