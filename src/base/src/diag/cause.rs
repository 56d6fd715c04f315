//! Why something failed, as data. What the program decides depends on a failure's code and cause, never on the wording of its message:
//! a manifest may log or raise any message.

use crate::names::Name;

/// What made something fail, for the code that treats such failures differently.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Cause {
    /// Nothing that is treated differently.
    #[default]
    Other,
    /// Untrusted code attempted something that it may not do.
    Forbidden,
    /// A recording has no answer to a request.
    NotRecorded,
    /// The source ends inside of an expression.
    EndOfInput,
    /// There is no variable of this name.
    UnknownVariable(Box<str>),
    /// A function was called with arguments that none of its signatures accepts.
    WrongArguments(Name),
    /// A lookup found no value.
    NoValue,
    /// `file()` found none of its files.
    NoFile,
    /// There is no template of this name.
    NoTemplate,
    /// A template failed.
    BrokenTemplate,
}
