//! Why an evaluation stops before its end.
//!
//! `return`, `break` and `next` travel the same way as failures: every function that calls a block would otherwise have
//! to look at a side channel after each call, and a forgotten look would swallow a `return`. They are apart in the type,
//! so that nothing mistakes one for an error.

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_value::value::Value;

/// Result of anything that evaluates.
pub type Res<T> = Result<T, Stop>;

/// What stopped it.
#[derive(Debug)]
pub enum Stop {
    /// A failure without a position; the innermost expression that evaluates it adds its position and wording.
    Reason(Box<Reason>),
    /// A failure with its place.
    Failed(Box<Diagnostic>),
    /// `next(value)`: ends the block.
    Next(Box<(Value, Span)>),
    /// `break()`: ends the iteration.
    Break(Span),
    /// `return(value)`: ends the function, class or define.
    Return(Box<(Value, Span)>),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Stop {
        Stop::Reason(Box::new(reason))
    }
}

impl From<Box<Diagnostic>> for Stop {
    fn from(diagnostic: Box<Diagnostic>) -> Stop {
        // What is wrong with a file of a module fails where something of it was asked for.
        if diagnostic.code == Code::UNUSABLE_FILE {
            return Reason { code: Code::RUNTIME_ERROR, message: diagnostic.message, help: diagnostic.help }.into();
        }
        Stop::Failed(diagnostic)
    }
}

impl Stop {
    /// Whether it is a failure because something is not built yet.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        match self {
            Stop::Reason(reason) => reason.code == Code::NOT_SUPPORTED_YET,
            Stop::Failed(diagnostic) => diagnostic.code == Code::NOT_SUPPORTED_YET,
            _ => false,
        }
    }

    /// A failure without an issue code, not placed yet: `Error while evaluating a Function Call, …`.
    pub fn runtime(message: impl Into<std::borrow::Cow<'static, str>>) -> Stop {
        Reason::runtime(message).into()
    }

    /// A failure of Ruby itself, as the compiler reports it: it says nothing of where it happened.
    pub(crate) fn ruby_error(class: &str, message: impl std::fmt::Display) -> Stop {
        let text = format!("Puppet::Parser::Compiler failed with error {class}: {message}");
        Stop::Failed(Box::new(Diagnostic::new(Reason::new(Code::RUBY_ERROR, text), None)))
    }

    /// What no `rescue` of Puppet's takes for an error (`LoadError` and its like): the message alone, wherever it happens.
    pub fn script_error(message: String) -> Stop {
        Stop::Failed(Box::new(Diagnostic::new(Reason::new(Code::RUBY_ERROR, message), None)))
    }

    /// An issue of the evaluator at its place: `Evaluation Error: …`.
    #[must_use]
    pub fn issue(reason: Reason, span: Span) -> Stop {
        let plain = reason.code == Code::NOT_SUPPORTED_YET;
        let mut diagnostic = Diagnostic::new(reason, Some(span));
        if !plain {
            diagnostic.message = format!("Evaluation Error: {}", diagnostic.message).into();
        }
        Stop::Failed(Box::new(diagnostic))
    }
}

const _: () = assert!(std::mem::size_of::<Stop>() <= 16, "results are returned everywhere");
