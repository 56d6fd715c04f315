//! Failures of the Puppet language as exceptions of Ruby, and exceptions as failures.

use crate::PuppetInterp;
use crate::class_names::DUPLICATE;
use crate::state::ExceptionOrigin;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::names::Name;
use catwalk_eval::Stop;
use catwalk_ruby::Failure;
use catwalk_ruby::Flow;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::Thrown;

/// The position in Puppet's code at which a function fails when Ruby code calls it.
fn function_position(function: &str, cause: &Cause) -> Option<(&'static str, u32)> {
    Some(match cause {
        Cause::WrongArguments(callee) if callee.as_str() == function => ("pops/functions/dispatcher.rb", 39),
        _ if function == "fail" => ("parser/functions/fail.rb", 10),
        Cause::NoTemplate if function == "epp" => ("pops/evaluator/epp_evaluator.rb", 40),
        Cause::NoTemplate => ("parser/templatewrapper.rb", 67),
        Cause::NoValue => ("pops/lookup.rb", 87),
        Cause::NoFile => ("parser/functions/file.rb", 31),
        Cause::BrokenTemplate => ("parser/functions/template.rb", 36),
        _ => return None,
    })
}

/// A failure of the Puppet language, as it passes through Ruby code.
pub(crate) fn to_failure(stop: Stop) -> Failure {
    match stop {
        Stop::Reason(reason) => Failure::Reason(reason),
        other => Failure::Host(Box::new(other)),
    }
}

/// The failure of the Puppet language that passed through Ruby code.
pub(crate) fn to_stop(failure: Failure) -> Stop {
    match failure {
        Failure::Reason(reason) => Stop::Reason(reason),
        Failure::Host(stop) => match stop.downcast::<Stop>() {
            Ok(stop) => *stop,
            Err(_) => Stop::runtime("an unknown failure"),
        },
    }
}

impl PuppetInterp<'_, '_> {
    /// The result; an exception gets this position in Puppet's Ruby code.
    pub(crate) fn with_puppet_position<T>(&mut self, file: &str, line: u32, result: Raise<T>) -> Raise<T> {
        if result.is_ok() {
            return result;
        }
        self.ruby().at_position(&format!("/usr/lib/ruby/vendor_ruby/puppet/{file}"), line, result)
    }

    /// A failure of the Puppet language as an exception.
    pub(crate) fn raise_failure<T>(&mut self, stop: Stop) -> Raise<T> {
        let (class, message) = match &stop {
            Stop::Reason(reason) if reason.code == Code::DUPLICATE_RESOURCE => (DUPLICATE, reason.message.to_string()),
            Stop::Reason(reason) if reason.code != Code::NOT_SUPPORTED_YET => {
                ("Puppet::ParseError", reason.message.to_string())
            }
            Stop::Failed(diagnostic)
                if diagnostic.code == Code::RUBY_ERROR
                    && let Some(raised) =
                        self.state().last_exception.as_ref().filter(|raised| raised.message == *diagnostic.message) =>
            {
                (raised.class.as_str(), raised.message.clone())
            }
            Stop::Failed(diagnostic) if diagnostic.code != Code::NOT_SUPPORTED_YET => {
                ("Puppet::PreformattedError", diagnostic.puppet_text(&self.host.ev.program.sources))
            }
            _ => return Err(self.ruby().throw(Flow::Stop(to_failure(stop)))),
        };
        let origin = self.state().last_exception.take().filter(|raised| message.starts_with(&raised.message));
        let exception = self.ruby().exception(Name::new(class), Rv::str(message));
        if let Some(origin) = origin {
            exception.raised_at(&origin.file, origin.line);
        }
        *exception.failure.borrow_mut() = Some(to_failure(stop));
        Err(self.ruby().throw(Flow::Raise(exception)))
    }

    /// A failure of a function that Ruby code called; the message of a failed template contains the position in Ruby.
    pub(crate) fn raise_function_failure<T>(&mut self, function: &str, stop: Stop) -> Raise<T> {
        let position = function_position(function, stop.cause());
        let result: Raise<T> = self.raise_failure(stop);
        match (position, self.ruby().thrown()) {
            (Some((file, line)), Some(Flow::Raise(_))) => self.with_puppet_position(file, line, result),
            _ => result,
        }
    }

    /// Converts the reason that ended Ruby code for the Puppet language.
    pub(crate) fn convert_thrown(&mut self, thrown: Thrown) -> Stop {
        match self.ruby().catch(thrown) {
            Flow::Raise(exception) => {
                let message = exception.message.borrow().string_or_symbol().unwrap_or_default();
                let (file, line) = (exception.file.borrow().clone(), exception.line.get());
                let (class, is_puppet_error) =
                    (exception.class, self.ruby().inherits_from(exception.class, "Puppet::Error"));
                self.state().last_exception = Some(ExceptionOrigin { class, is_puppet_error, message, file, line });
                if let Some(stop) = exception.failure.borrow_mut().take() {
                    return to_stop(stop);
                }
                let message = exception.message.borrow().clone();
                let message = self.ruby().to_s(&message).unwrap_or_default();
                if self.ruby().inherits_from(exception.class, "ScriptError") {
                    return Stop::script_error(message.to_string());
                }
                Stop::runtime(message)
            }
            Flow::Stop(failure) => to_stop(failure),
            Flow::Break(..) => Stop::runtime("break from proc-closure"),
            Flow::Throw(tag, _) => {
                let tag = self.ruby().inspect(&tag).unwrap_or_default();
                Stop::runtime(format!("uncaught throw {tag}"))
            }
            Flow::Next(_) | Flow::Retry | Flow::Redo | Flow::Return(..) => Stop::runtime("unexpected return"),
        }
    }
}
