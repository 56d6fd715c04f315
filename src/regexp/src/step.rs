//! An engine for what the others do not support, which works step by step like Ruby's own.

mod code;
mod run;
mod set;

pub(super) use code::Code;
pub(super) use code::code;
pub(super) use run::GaveUp;
pub(super) use run::Spans;
