//! An engine for patterns that the others do not support. It executes steps one by one, like Ruby's engine.

mod attempt;
mod code;
mod run;
mod set;

pub(super) use code::Code;
pub(super) use code::compile;
pub(super) use run::LimitExceeded;
pub(super) use run::Spans;
