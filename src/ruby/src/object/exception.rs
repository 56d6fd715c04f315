//! Exceptions and jumps.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::Interp;
use crate::value::Exception;
use crate::value::Failure;
use crate::value::Rv;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_regexp::Kind;

/// Result of anything that runs.
pub type Raise<T> = Result<T, Thrown>;

/// Signals that code stopped before its end; the program stores the reason ([`Interp::throw`], [`Interp::catch`]). It is
/// zero-sized, so that results stay in registers. Code that runs other code before it returns the signal saves the reason first
/// ([`Interp::preserve_thrown`]).
#[derive(Debug)]
pub struct Thrown(());

/// Why code stops before its end.
pub enum Flow {
    /// An exception.
    Raise(Rc<Exception>),
    /// `break` out of the method that received the block with this tag.
    Break(u64, Rv),
    /// `next`
    Next(Rv),
    /// `return` from the call with this number.
    Return(u64, Rv),
    /// `throw`
    Throw(Rv, Rv),
    /// `retry`
    Retry,
    /// `redo`
    Redo,
    /// `raise StopIteration` inside `loop`, and failures that no `rescue` may catch.
    Stop(Failure),
}

/// Classes of exceptions and their parents.
const PARENTS: &[(&str, &str)] = &[
    ("Exception", "Object"),
    ("NoMemoryError", "Exception"),
    ("ScriptError", "Exception"),
    ("LoadError", "ScriptError"),
    ("NotImplementedError", "ScriptError"),
    ("SyntaxError", "ScriptError"),
    ("SystemStackError", "Exception"),
    ("StandardError", "Exception"),
    ("ArgumentError", "StandardError"),
    ("UncaughtThrowError", "ArgumentError"),
    ("EncodingError", "StandardError"),
    ("Encoding::CompatibilityError", "EncodingError"),
    ("FiberError", "StandardError"),
    ("IOError", "StandardError"),
    ("IndexError", "StandardError"),
    ("NoMatchingPatternError", "StandardError"),
    ("KeyError", "IndexError"),
    ("StopIteration", "IndexError"),
    ("LocalJumpError", "StandardError"),
    ("NameError", "StandardError"),
    ("NoMethodError", "NameError"),
    ("RangeError", "StandardError"),
    ("FloatDomainError", "RangeError"),
    ("Math::DomainError", "ArgumentError"),
    ("RegexpError", "StandardError"),
    ("RuntimeError", "StandardError"),
    ("FrozenError", "RuntimeError"),
    ("SystemCallError", "StandardError"),
    ("Errno::ENOENT", "SystemCallError"),
    ("Errno::EEXIST", "SystemCallError"),
    ("Errno::EISDIR", "SystemCallError"),
    ("Errno::EACCES", "SystemCallError"),
    ("EOFError", "IOError"),
    ("ThreadError", "StandardError"),
    ("TypeError", "StandardError"),
    ("ZeroDivisionError", "StandardError"),
    ("SocketError", "StandardError"),
    ("SecurityError", "Exception"),
    ("Interrupt", "Exception"),
    ("SystemExit", "Exception"),
    ("Errno::ECONNREFUSED", "SystemCallError"),
    ("Errno::ECONNRESET", "SystemCallError"),
    ("Errno::EHOSTUNREACH", "SystemCallError"),
    ("Errno::EHOSTDOWN", "SystemCallError"),
    ("Errno::ETIMEDOUT", "SystemCallError"),
    ("Errno::EINVAL", "SystemCallError"),
    ("Errno::EPERM", "SystemCallError"),
    ("Errno::ENOTDIR", "SystemCallError"),
    ("Errno::ENOTEMPTY", "SystemCallError"),
    ("Errno::EPIPE", "SystemCallError"),
    ("OpenSSL::SSL::SSLError", "StandardError"),
    ("JSON::NestingError", "JSON::ParserError"),
    ("JSON::ParserError", "StandardError"),
    ("PSON::PSONError", "StandardError"),
    ("PSON::ParserError", "PSON::PSONError"),
    ("JSON::GeneratorError", "StandardError"),
    ("Psych::Exception", "RuntimeError"),
    ("Psych::SyntaxError", "Psych::Exception"),
    ("Psych::DisallowedClass", "Psych::Exception"),
    ("Psych::BadAlias", "Psych::Exception"),
    ("IPAddr::Error", "ArgumentError"),
    ("IPAddr::InvalidAddressError", "IPAddr::Error"),
    ("IPAddr::AddressFamilyError", "IPAddr::Error"),
    ("IPAddr::InvalidPrefixError", "IPAddr::InvalidAddressError"),
    ("URI::Error", "StandardError"),
    ("URI::InvalidURIError", "URI::Error"),
    ("URI::BadURIError", "URI::Error"),
    ("URI::InvalidComponentError", "URI::Error"),
    ("Timeout::Error", "RuntimeError"),
];

/// The receiver of the failed method (`FrozenError#receiver`).
pub(crate) const RECEIVER: &str = ".receiver";

/// The result of an enumerator's method at its end (`StopIteration#result`).
pub(crate) const RESULT: &str = ".result";

/// Positions at which Ruby's libraries raise errors, recorded by `tests/reference/ruby-positions`: messages of failed templates
/// contain them. A line consists of the class of the error, the beginning of its message or the method that raises it, the file
/// and the line.
const LIBRARY_POSITIONS: &str = include_str!("library_positions.tsv");

/// The recorded position of an error, whose message or method `matches` tests.
fn library_position(class: &str, matches: impl Fn(&str) -> bool) -> Option<(&'static str, u32)> {
    LIBRARY_POSITIONS.lines().find_map(|line| match *line.split('\t').collect::<Vec<_>>() {
        [recorded_class, subject, file, line] if recorded_class == class && matches(subject) => {
            Some((file, line.parse().ok()?))
        }
        _ => None,
    })
}

/// The parent of a class of exceptions.
pub(crate) fn superclass(class: &str) -> Option<&'static str> {
    static ALL: OnceLock<FxHashMap<&str, &str>> = OnceLock::new();
    ALL.get_or_init(|| PARENTS.iter().copied().collect()).get(class).copied()
}

/// The result of a method of a Ruby class; an exception gets its recorded position in the library, if there is one.
pub(crate) fn with_library_position<T>(rt: &Interp<'_>, class: Name, name: &str, result: Raise<T>) -> Raise<T> {
    if result.is_err()
        && let Some(Flow::Raise(exception)) = rt.thrown()
        && let Some((file, line)) = library_position(exception.class.as_str(), |method| {
            method.strip_prefix(class.as_str()).and_then(|rest| rest.strip_prefix('.')) == Some(name)
        })
    {
        exception.raised_at(file, line);
    }
    result
}

impl Interp<'_> {
    /// Stores the reason why code stops.
    pub fn throw(&mut self, flow: Flow) -> Thrown {
        self.thrown = Some(flow);
        Thrown(())
    }

    /// Takes the reason why code stopped.
    pub fn catch(&mut self, _: Thrown) -> Flow {
        self.thrown.take().unwrap_or_else(|| Flow::Stop(Reason::runtime("nothing was raised").into()))
    }

    /// Converts a failed result to the reason why code stopped.
    pub fn catch_result<T>(&mut self, result: Raise<T>) -> Result<T, Flow> {
        result.map_err(|thrown| self.catch(thrown))
    }

    /// The reason of the last failure.
    #[inline]
    pub fn thrown(&self) -> Option<&Flow> {
        self.state.thrown.as_ref()
    }

    /// Runs `body`, which may throw and catch, while an earlier reason is stored.
    pub(crate) fn preserve_thrown<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let thrown = self.thrown.take();
        let value = body(self);
        if thrown.is_some() {
            self.thrown = thrown;
        }
        value
    }

    /// Raises an exception of a class.
    pub fn raise<T>(&mut self, class: &str, message: impl Into<String>) -> Raise<T> {
        let message = message.into();
        let position = library_position(class, |begin| message.starts_with(begin));
        let exception = self.exception(Name::new(class), Rv::str(message));
        if let Some((file, line)) = position {
            exception.raised_at(file, line);
        }
        Err(self.throw(Flow::Raise(exception)))
    }

    /// The result; an exception gets this position.
    pub fn at_position<T>(&self, file: &str, line: u32, result: Raise<T>) -> Raise<T> {
        if result.is_err()
            && let Some(Flow::Raise(exception)) = self.thrown()
        {
            exception.raised_at(file, line);
        }
        result
    }

    pub fn exception(&mut self, class: Name, message: Rv) -> Rc<Exception> {
        Rc::new(Exception {
            class,
            message: RefCell::new(message),
            ivars: RefCell::default(),
            file: RefCell::new(self.file.clone()),
            line: Cell::new(self.line),
            failure: RefCell::new(None),
        })
    }

    /// The error of an unsupported feature, which no `rescue` can catch.
    pub fn unsupported<T>(&mut self, feature: &str) -> Raise<T> {
        let message = format!("{feature} ({}:{})", self.file, self.line);
        Err(self.throw(Flow::Stop(Reason::unsupported(&message).into())))
    }

    pub fn type_error<T>(&mut self, value: &Rv, expected: &str) -> Raise<T> {
        if let (Rv::Big(_), "Integer") = (value, expected) {
            return self.raise("RangeError", "bignum too big to convert into `long'");
        }
        let description = self.conversion_name(value)?;
        self.raise("TypeError", format!("no implicit conversion of {description} into {expected}"))
    }

    /// The error of a failed conversion (`Float(…)`).
    pub(crate) fn conversion_error<T>(&mut self, value: &Rv, expected: &str) -> Raise<T> {
        let description = self.conversion_name(value)?;
        self.raise("TypeError", format!("can't convert {description} into {expected}"))
    }

    /// The description of a value of a wrong type in messages: its class, or `nil`, `true` and `false` themselves.
    pub(crate) fn conversion_name(&mut self, value: &Rv) -> Raise<String> {
        Ok(match value {
            Rv::Nil | Rv::True | Rv::False => self.inspect(value)?,
            other => self.class_name(other),
        })
    }

    pub(crate) fn wrong_argument_count<T>(&mut self, given: usize, expected: &str) -> Raise<T> {
        self.raise("ArgumentError", format!("wrong number of arguments (given {given}, expected {expected})"))
    }

    /// The exception for an error of a regular expression, with Ruby's message.
    pub(crate) fn regexp_error<T>(&mut self, error: &catwalk_regexp::RegexpError) -> Raise<T> {
        let message = error.message();
        let class = match error.kind() {
            Kind::Unsupported => return self.unsupported(message.trim_start_matches("not supported yet: ")),
            Kind::UndefinedGroup => "IndexError",
            Kind::Malformed | Kind::LimitExceeded => "RegexpError",
        };
        self.raise(class, message)
    }
}
