//! One file for each command: its arguments and what it does.

pub mod check;
pub mod compile;
pub mod docs;
pub mod eval;
pub mod parse;
pub mod watch;
