//! The classification of nodes by node groups, as `classify` shows it: one node with an explanation, a table of all nodes, tests of groups.
//!
//! In: a session, [`ClassifyOptions`]. Out: text or documents, an exit code. Must not: know options of commands, print.
//!
//! | file | what |
//! |---|---|
//! | `classification` | what to classify, and how |
//! | `one`, `many` | one node; all nodes and tests of groups |
//! | `remote` | a classifier service |

mod classification;
mod many;
mod one;
mod remote;

pub use classification::ClassifyOptions;
pub use classification::Failure;
pub use classification::Format;
pub use classification::Service;
pub use classification::classify;
pub use classification::json;
