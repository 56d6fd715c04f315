//! Problems of a definition with their positions in it.
//!
//! In: rules of [`crate::read`]. Out: [`Problem`]s with paths of keys, which the caller converts to positions. Must not: know
//! files.

use std::sync::Arc;

/// One step of a path into a definition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// A key of a hash.
    Key(Arc<str>),
    /// An index of an array.
    Index(usize),
}

/// The severity of a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemLevel {
    /// Puppet refuses the definition, too.
    Error,
    /// Puppet accepts the definition, but fails later or ignores the mistake. Definitions in Rhai are refused.
    Mistake,
    /// The definition is usable.
    Warning,
}

/// A problem in a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub level: ProblemLevel,
    /// The path to the affected key; empty for the whole definition.
    pub path: Vec<Step>,
    /// The message, in the words of the Resource API if it has one.
    pub message: String,
    /// How to solve the problem.
    pub help: Option<String>,
}

/// The result of reading a definition, with all its problems.
#[derive(Clone, PartialEq, Debug)]
pub struct ReadResult<T> {
    /// The definition; `None` if a problem is an [`ProblemLevel::Error`].
    pub definition: Option<T>,
    /// All problems. Errors and warnings come in the order in which the Resource API finds them.
    pub problems: Vec<Problem>,
}

impl<T> ReadResult<T> {
    /// The problems that make a definition in Rhai invalid.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.level != ProblemLevel::Warning)
    }

    /// The problems of a definition that is still usable.
    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.level == ProblemLevel::Warning)
    }
}
