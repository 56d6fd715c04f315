//! The interface of a function's body to its call.
//!
//! In: the evaluator, arguments. Out: arguments by kind, calls of the block. Must not: choose the body.

use std::sync::Arc;

use super::Block;
use crate::Arity;
use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::interpolate;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_value::Hash;
use catwalk_value::Value;

/// One call of a function written in Rust. Arguments have been checked against the signature that matched.
pub struct Call<'a, 'c> {
    /// The compile.
    pub ev: &'a mut Evaluator<'c>,
    /// The function's name.
    pub name: &'static str,
    /// The arguments.
    pub args: &'a [Value],
    /// The block.
    pub block: Option<&'a Block<'c>>,
    /// The span of the call.
    pub span: Span,
}

impl<'a, 'c> Call<'a, 'c> {
    /// An argument, or `undef` if it is missing.
    #[must_use]
    pub fn arg(&self, at: usize) -> &'a Value {
        self.args.get(at).unwrap_or(&Value::Undef)
    }

    /// Whether an argument was passed, even if it is `undef`.
    #[must_use]
    pub fn has_arg(&self, at: usize) -> bool {
        at < self.args.len()
    }

    /// The string of an argument; empty for values that are not strings.
    #[must_use]
    pub fn str(&self, at: usize) -> &'a str {
        self.arg(at).as_str().unwrap_or("")
    }

    /// An integer argument.
    #[must_use]
    pub fn int(&self, at: usize) -> Option<i64> {
        match self.arg(at) {
            Value::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The items of an array argument; empty for other values.
    #[must_use]
    pub fn array(&self, at: usize) -> &'a [Value] {
        match self.arg(at) {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// A hash argument.
    #[must_use]
    pub fn hash(&self, at: usize) -> Option<&'a Hash> {
        match self.arg(at) {
            Value::Hash(entries) => Some(entries),
            _ => None,
        }
    }

    /// Whether a block was passed.
    #[must_use]
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// Calls the block. Without one it returns `undef`: the signature decides whether a block is required.
    ///
    /// # Errors
    ///
    /// The failure of the block; `Stop::Break` for `break()`, which an iteration catches.
    pub fn call_block(&mut self, args: &[Value]) -> Res<Value> {
        match self.block {
            Some(block) => self.ev.call_block(block, args),
            None => Ok(Value::Undef),
        }
    }

    /// Calls the block; `None` for `break()`.
    ///
    /// # Errors
    ///
    /// The failure of the block.
    pub fn call_block_or_break(&mut self, args: &[Value]) -> Res<Option<Value>> {
        match self.call_block(args) {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Break(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// How many arguments the block takes.
    #[must_use]
    pub fn block_arity(&self) -> Option<Arity> {
        self.block.map(Block::arity)
    }

    /// Calls another function by name, as Puppet's functions do with `call_function`.
    ///
    /// # Errors
    ///
    /// `Function x(): Unknown function: 'y'`, or the failure of the function.
    pub fn call_function(&mut self, name: &str, args: &[Value]) -> Res<Value> {
        self.call_function_with(name, args, None)
    }

    /// Calls a function with a block.
    ///
    /// # Errors
    /// As [`Call::call_function`].
    pub(crate) fn call_function_with(&mut self, name: &str, args: &[Value], block: Option<&Block<'c>>) -> Res<Value> {
        match self.ev.try_call(Name::new(name), args, block, self.span) {
            Some(result) => result,
            None => self.fail(format!("Function {}(): Unknown function: '{name}'", self.name)),
        }
    }

    /// Fails as a Ruby function does with `raise ArgumentError`: `Error while evaluating a Function Call, …`.
    ///
    /// # Errors
    /// Always.
    pub fn fail<T>(&self, message: impl Into<std::borrow::Cow<'static, str>>) -> Res<T> {
        Err(Stop::runtime(message))
    }

    /// A value as a string, as in `"${value}"`.
    #[must_use]
    pub fn interpolate(&self, value: &Value) -> Arc<str> {
        interpolate::to_interpolated(value)
    }

    /// The value of a variable as the calling scope sees it; `undef` when it is not set.
    ///
    /// # Errors
    /// As [`Evaluator::variable`].
    pub fn variable(&mut self, name: &str) -> Res<Value> {
        Ok(self.ev.variable_named(name)?.unwrap_or(Value::Undef))
    }

    /// Writes a line to the log unchanged.
    pub fn log(&mut self, severity: Severity, message: impl Into<String>) {
        let span = self.span;
        self.ev.log(severity, message.into(), Some(span));
    }

    /// A warning of the function itself (`Puppet.warning`, `scope.warning`).
    pub fn warn(&mut self, message: impl Into<String>) {
        self.log(Severity::Warning, message);
    }

    /// The error of an unsupported feature.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn unsupported<T>(&self, feature: &str) -> Res<T> {
        Err(Reason::unsupported(feature).into())
    }
}
