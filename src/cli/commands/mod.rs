//! One file for each command: its arguments and what it does with them.

pub mod check;
pub mod parse;
