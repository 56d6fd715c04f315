//! One file for each command: its arguments and what it does.

pub mod apply;
pub mod catalog;
pub mod check;
pub mod classify;
pub mod compile;
pub mod completions;
pub mod convert;
pub mod data;
pub mod diff;
pub mod docs;
pub mod eval;
pub mod facts;
pub mod init;
pub mod lookup;
pub mod man;
pub mod new;
pub mod node;
pub mod parse;
pub mod resource;
pub mod script;
pub mod serve;
pub mod show;
pub mod snapshot;
pub mod store;
pub mod test;
pub mod watch;
