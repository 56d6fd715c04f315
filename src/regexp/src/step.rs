//! An engine for what the others do not know, step by step as Ruby's own.

mod code;
mod run;
mod set;

pub(super) use code::Code;
pub(super) use code::code;
pub(super) use run::GaveUp;
pub(super) use run::Spans;
