//! Compares two states of a site node by node: two revisions, two environments, or saved catalogs with the current state.
//!
//! In: a session for each side (or a function that reads saved catalogs), rules. Out: an [`Outcome`] for each node, also as a [`Report`]
//! that lists equal changes of many nodes once. A node whose inputs are equal on both sides is compiled only once. A node that fails to
//! compile is part of the result. Must not: know where the sides come from, print.
//!
//! | file | what |
//! |---|---|
//! | `comparison` | comparing the two catalogs of each node |
//! | `inputs` | whether the inputs of a compile are equal on both sides |
//! | `files` | the contents of files that agents fetch: `source => puppet:///modules/…` |
//! | `saved` | saved catalogs of files and of PuppetDB |
//! | `report` | grouping of equal changes |
//! | `human`, `markdown`, `json`, `annotations` | formats of the report |

mod annotations;
mod comparison;
mod files;
mod human;
mod inputs;
mod json;
mod markdown;
mod report;
mod saved;

pub use annotations::annotations;
pub use comparison::ComparisonResult;
pub use comparison::Failure;
pub use comparison::Observer;
pub use comparison::OldSide;
pub use comparison::Outcome;
pub use comparison::Plan;
pub use comparison::SavedCatalogs;
pub use comparison::Side;
pub use comparison::Task;
pub use comparison::run;
pub use human::human;
pub use human::render_changes;
pub use inputs::Inputs;
pub use json::json;
pub use markdown::markdown;
pub use report::Change;
pub use report::FailureKind;
pub use report::Failures;
pub use report::Group;
pub use report::Report;
pub use report::count_noun;
pub use report::list_names;
pub use saved::Close;
pub use saved::catalogs_of_puppetdb;
pub use saved::list_catalog_files;
pub use saved::read_catalog;
