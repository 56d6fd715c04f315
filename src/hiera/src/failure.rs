//! Why a lookup has no value: not found, or failed, and how Puppet treats the failure.

use std::path::Path;
use std::path::PathBuf;

use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::DataLocation;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_value::Value;

/// The kind of exception that Puppet raises; it determines whether the caller adds the position in the manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `Puppet::DataBinding::LookupError`: shown unchanged, without a position in the manifest.
    Lookup,
    /// `Puppet::Error`: gets the position of the call; inside a key's lookup it becomes a lookup error.
    Puppet,
    /// Another Ruby error: always gets the position of the call.
    Ruby,
}

/// A position in a data or configuration file, as Puppet's messages have it.
#[derive(Clone, Debug)]
pub struct FilePosition {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1, if Puppet names it.
    pub line: Option<u32>,
}

/// A failed lookup.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The message.
    pub reason: Reason,
    /// How Puppet raises it. [`Kind::Lookup`] failures must not get a position in the manifest.
    pub kind: Kind,
    /// The data or configuration file the message ends with.
    pub file: Option<Box<FilePosition>>,
    /// A failure of a function that the lookup called, with its own position.
    pub inner: Option<Box<Diagnostic>>,
}

impl Failure {
    fn new(kind: Kind, message: impl Into<String>) -> Failure {
        let reason = Reason::runtime(message.into());
        Failure { reason, kind, file: None, inner: None }
    }

    /// A lookup error.
    pub fn lookup(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Lookup, message)
    }

    /// A Puppet error.
    pub fn puppet(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Puppet, message)
    }

    /// Any other Ruby error.
    pub fn ruby(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Ruby, message)
    }

    /// Adds the position in the data or configuration file that the failure is about, for an excerpt. Puppet's message does not have it.
    #[must_use]
    pub(super) fn located(mut self, location: Option<DataLocation>) -> Failure {
        if self.reason.locations.is_empty() {
            self.reason.locations.extend(location);
        }
        self
    }

    /// A lookup error with an issue code, about a position in a configuration file.
    pub(super) fn issue(code: Code, message: impl Into<String>, file: Option<&Path>, line: Option<u32>) -> Failure {
        let reason = Reason::new(code, message.into());
        let file = file.map(|path| Box::new(FilePosition { path: path.to_path_buf(), line }));
        Failure { reason, kind: Kind::Lookup, file, inner: None }
    }

    /// The failure of a function of the host.
    pub(super) fn host(diagnostic: Box<Diagnostic>) -> Failure {
        let mut failure = Failure::ruby(diagnostic.message.to_string());
        failure.reason.code = diagnostic.code;
        failure.reason.cause = diagnostic.cause.clone();
        failure.inner = Some(diagnostic);
        failure
    }

    /// The failure to read a variable: a missing one is a Ruby error (`ArgumentError`).
    pub(super) fn variable(diagnostic: Box<Diagnostic>) -> Failure {
        if diagnostic.code == Code::UNKNOWN_VARIABLE && diagnostic.span.is_none() {
            let mut failure = Failure::ruby(diagnostic.message.to_string());
            failure.reason.cause = diagnostic.cause;
            return failure;
        }
        Failure::host(diagnostic)
    }

    /// The message of `lookup()` when nothing was found.
    #[must_use]
    pub fn no_value(names: &[String]) -> Failure {
        let mut failure = match names {
            [name] => Failure::lookup(format!("Function lookup() did not find a value for the name '{name}'")),
            _ => {
                let list: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
                let list = list.join(", ");
                Failure::lookup(format!("Function lookup() did not find a value for any of the names [{list}]"))
            }
        };
        failure.reason.cause = Cause::NoValue;
        failure
    }

    /// The whole message, with `(file: F, line: L)` where there is a file, as Puppet prints it.
    #[must_use]
    pub fn full_message(&self) -> String {
        let Some(FilePosition { path, line }) = self.file.as_deref() else { return self.reason.message.to_string() };
        match line {
            Some(line) => format!("{} (file: {}, line: {line})", self.reason.message, path.display()),
            None => format!("{} (file: {})", self.reason.message, path.display()),
        }
    }

    /// Whether it has an issue code of Puppet.
    pub(super) fn has_issue(&self) -> bool {
        self.reason.code != Code::RUNTIME_ERROR
    }
}

/// Why there is no value.
#[derive(Debug)]
pub(super) enum NoValue {
    /// `throw :no_such_key`
    NotFound,
    /// It failed.
    Failed(Box<Failure>),
}

impl From<Failure> for NoValue {
    fn from(failure: Failure) -> NoValue {
        NoValue::Failed(Box::new(failure))
    }
}

/// A value, or why it is missing.
pub(super) type LookupResult<T = Value> = Result<T, NoValue>;

/// Turns "not found" into `None`.
pub(super) fn optional<T>(found: LookupResult<T>) -> LookupResult<Option<T>> {
    match found {
        Ok(value) => Ok(Some(value)),
        Err(NoValue::NotFound) => Ok(None),
        Err(failed) => Err(failed),
    }
}
