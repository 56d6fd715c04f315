//! First files of a site or a module: what `catwalk init` and `catwalk new` write.
//!
//! In: a directory. Out: the missing files, and a list of those created, extended or kept. Must not: overwrite, ask, print.

mod contents;
mod files;
mod first_test;
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
pub use layout::Layout;
pub use layout::layout;
