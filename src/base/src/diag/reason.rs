//! Failures without a position, as values, types, Hiera and functions return them.

use std::borrow::Cow;

use thin_vec::ThinVec;

use crate::diag::Cause;
use crate::diag::Code;
use crate::diag::DataLocation;
use crate::diag::Diagnostic;
use crate::source::Span;

/// The prefix of all messages about forbidden attempts of untrusted code. Whether a failure is one says its [`Cause`].
pub const FORBIDDEN: &str = "untrusted code may not ";

/// The hint of these messages.
const FORBIDDEN_HELP: &str = "this site is compiled as untrusted (--untrusted, CATWALK_UNTRUSTED, or `untrusted = true` in catwalk.toml): \
     its code may not start processes, use the network, see environment variables or read files outside of the site";

/// Why something failed, without a position. The caller that knows the position adds it with [`At::at`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The symbol that programs match on.
    pub code: Code,
    /// Puppet's message, without the position.
    pub message: Cow<'static, str>,
    /// Catwalk's hint, printed below the message.
    pub help: Option<Cow<'static, str>>,
    /// Positions in data or configuration files: that which the failure is about, and further ones with notes. One word, since functions
    /// return a reason by value.
    pub locations: ThinVec<DataLocation>,
    /// What made it fail, for the code that treats such failures differently.
    pub cause: Cause,
}

impl Reason {
    /// A failure with a code.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Reason {
        Reason { code, message: message.into(), help: None, locations: ThinVec::new(), cause: Cause::Other }
    }

    /// A failure that Puppet reports without an issue code.
    pub fn runtime(message: impl Into<Cow<'static, str>>) -> Reason {
        Reason::new(Code::RUNTIME_ERROR, message)
    }

    /// A forbidden attempt of untrusted code; `text` starts with [`FORBIDDEN`].
    pub fn untrusted(text: impl Into<Cow<'static, str>>) -> Reason {
        Reason::new(Code::UNTRUSTED, text).because(Cause::Forbidden)
    }

    /// A wrong use of a command or of its options.
    pub fn usage(message: impl Into<Cow<'static, str>>) -> Reason {
        Reason::new(Code::USAGE, message)
    }

    /// A feature that is not implemented yet.
    #[must_use]
    pub fn unsupported(feature: &str) -> Reason {
        Reason::new(Code::NOT_SUPPORTED_YET, format!("not supported yet: {feature}"))
    }

    /// Sets the cause. A forbidden attempt has its own code and hint, whatever failed because of it.
    #[must_use]
    pub fn because(self, cause: Cause) -> Reason {
        match cause {
            Cause::Forbidden => Reason { code: Code::UNTRUSTED, help: Some(FORBIDDEN_HELP.into()), cause, ..self },
            cause => Reason { cause, ..self },
        }
    }

    /// Adds the position in a data or configuration file, which an excerpt shows.
    #[must_use]
    pub fn in_file(mut self, location: DataLocation) -> Reason {
        self.locations.push(location);
        self
    }

    /// Adds a hint if there is one.
    #[must_use]
    pub fn hint(self, help: Option<String>) -> Reason {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> Reason {
        self.help = Some(help.into());
        self
    }
}

/// A failure that nobody adds a position to.
impl From<Reason> for Box<Diagnostic> {
    fn from(reason: Reason) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(reason, None))
    }
}

/// Adds a position to a failure that has none.
pub trait At<T> {
    /// Adds the position `span` to a failure.
    ///
    /// # Errors
    /// Returns the failure with its position.
    fn at(self, span: Span) -> Result<T, Box<Diagnostic>>;
}

impl<T> At<T> for Result<T, Reason> {
    fn at(self, span: Span) -> Result<T, Box<Diagnostic>> {
        self.map_err(|reason| Box::new(Diagnostic::new(reason, Some(span))))
    }
}
