//! Why an evaluation stops before its end.
//!
//! `return`, `break` and `next` are passed on in the same way as failures: every function that calls a block would otherwise have
//! to check a side channel after each call, and a forgotten check would swallow a `return`. They are distinct in the type, so
//! that none is mistaken for an error.

use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::Span;
use catwalk_value::Value;

/// The result of an evaluation.
pub type Res<T> = Result<T, Stop>;

/// The reason for stopping.
#[derive(Debug)]
pub enum Stop {
    /// A failure without a position; the innermost expression that evaluates it adds its position and wording.
    Reason(Box<Reason>),
    /// A failure with its position.
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
        // An error in a module's file is a failure where its definition is used.
        if diagnostic.code == Code::UNUSABLE_FILE {
            return Reason { code: Code::RUNTIME_ERROR, ..diagnostic.into_reason() }.into();
        }
        Stop::Failed(diagnostic)
    }
}

impl Stop {
    /// Whether the failure is an unsupported feature.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        match self {
            Stop::Reason(reason) => reason.code == Code::NOT_SUPPORTED_YET,
            Stop::Failed(diagnostic) => diagnostic.code == Code::NOT_SUPPORTED_YET,
            _ => false,
        }
    }

    /// What made it fail.
    #[must_use]
    pub fn cause(&self) -> &Cause {
        match self {
            Stop::Reason(reason) => &reason.cause,
            Stop::Failed(diagnostic) => &diagnostic.cause,
            _ => &Cause::Other,
        }
    }

    /// A failure without an issue code and position: `Error while evaluating a Function Call, …`.
    pub fn runtime(message: impl Into<std::borrow::Cow<'static, str>>) -> Stop {
        Reason::runtime(message).into()
    }

    /// A failure of Ruby itself, as the compiler reports it, without a position.
    pub(crate) fn ruby_error(class: &str, message: impl std::fmt::Display) -> Stop {
        let text = format!("Puppet::Parser::Compiler failed with error {class}: {message}");
        Stop::Failed(Box::from(Reason::new(Code::RUBY_ERROR, text)))
    }

    /// An error that Puppet does not rescue (`LoadError` and similar errors): the message alone, wherever it happens.
    pub fn script_error(message: String) -> Stop {
        Stop::Failed(Box::from(Reason::new(Code::RUBY_ERROR, message)))
    }

    /// An issue of the evaluator with its position: `Evaluation Error: …`.
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
