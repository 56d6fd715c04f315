//! First files of a site or a module: what `catwalk init`, `catwalk new` and `catwalk facts import` write.
//!
//! In: a directory. Out: the missing files, and a list of those created, extended or kept. Must not: overwrite, ask, print.

mod contents;
mod files;
mod first_test;
mod import;
mod layout;

pub use contents::CiSystem;
pub use contents::module_configuration;
pub use contents::module_files;
pub use contents::site_configuration;
pub use contents::site_files;
pub use files::Outcome;
pub use files::Plan;
pub use files::check;
pub use files::write;
pub use first_test::FirstTest;
pub use first_test::write_first_test;
pub use import::FOLDER as NODES_FOLDER;
pub use import::ImportOptions;
pub use import::Imported;
pub use import::facts_of_puppetdb;
pub use import::import_facts;
pub use layout::Layout;
pub use layout::layout;
