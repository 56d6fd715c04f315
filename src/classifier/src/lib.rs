//! Node groups: rules decide which nodes a group takes, groups assign classes, parameters, variables and an environment.
//!
//! In: groups as data (the export of a classifier service, or files of that shape), nodes. Out: what each node gets, the
//! service's document `explanation`, its error documents. Must not: read files, know Rhai (a rule that is
//! code implements [`rule::ScriptRule`]) or manifests.
//!
//! A condition is parsed once into a [`rule::Rule`]; a file becomes [`read::Drafts`], all files together [`Groups`].
//! One node: [`Groups::classify`], then [`Groups::explanation`]. Many: [`survey`].

pub mod classify;
pub mod evaluate;
pub mod expect;
pub mod group;
pub mod groups;
pub mod lint;
pub mod number;
pub mod outcome;
pub mod plan;
pub mod problem;
pub mod read;
pub mod rule;
mod schema;
pub mod subject;
pub mod survey;
pub mod translate;
pub mod values;

pub use classify::NodeClassification;
pub use groups::Groups;
pub use problem::Problem;
pub use schema::schema;
pub use subject::Subject;
