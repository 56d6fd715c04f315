//! What another version of Puppet changes in the catalogs of a site's nodes, why, and what to do about it.
//!
//! In: the options of a site, two versions, nodes. Out: a [`Migration`]: the comparison of the catalogs, each group of changes with the
//! [`Lever`] that undoes it, the legacy facts that nodes use, new warnings. That a lever undoes a change is found by compiling with it, not
//! by reading messages. Must not: print, change the site.
//!
//! | file | what |
//! |---|---|
//! | `migration` | the two compiles and what follows from their differences |
//! | `levers` | what can be set on servers and agents of the new version until the code has been changed |
//! | `legacy_facts` | the legacy facts that nodes use, and where code names them |
//! | `human`, `json` | formats of the result |

mod human;
mod json;
mod legacy_facts;
mod levers;
mod migration;

pub use human::human;
pub use json::json;
pub use legacy_facts::LegacyFact;
pub use levers::Lever;
pub use migration::Finding;
pub use migration::Migration;
pub use migration::run;
