//! Puppet's own exceptions: `Puppet::Error`, `Puppet::ParseError` and others, which have a position.
//!
//! In: the arguments of `new`, or a call of a method. Out: the message and fields. Must not: know failures of the evaluator.

use std::rc::Rc;

use crate::PuppetInterp;
use crate::class_names::DUPLICATE;
use catwalk_base::names::Name;
use catwalk_ruby::Exception;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;

/// The class of Puppet's own errors.
const ERROR: &str = "Puppet::Error";

/// The classes whose errors, and those of subclasses, have a position. (`Puppet::ExternalFileError`)
const CLASSES_WITH_POSITION: [&str; 4] = ["Puppet::ParseError", "Puppet::ResourceError", "Puppet::DevError", DUPLICATE];

/// The name of a field, which no variable of a program can have.
fn field(name: &str) -> Name {
    Name::new(&format!(".{name}"))
}

/// Sets the message and the fields of a new exception.
pub(crate) fn initialize(rt: &mut PuppetInterp<'_, '_>, exception: &Rc<Exception>, args: &[Rv]) -> Raise<()> {
    if !rt.ruby().inherits_from(exception.class, ERROR) {
        return Ok(());
    }
    let ruby = rt.ruby();
    let has_position = CLASSES_WITH_POSITION.iter().any(|ancestor| ruby.inherits_from(exception.class, ancestor));
    let message = message(rt, args, has_position)?;
    *exception.message.borrow_mut() = message;
    exception.ivars.borrow_mut().extend(fields(args, has_position));
    Ok(())
}

/// A string, and its position if that is passed.
fn message(rt: &mut PuppetInterp<'_, '_>, args: &[Rv], has_position: bool) -> Raise<Rv> {
    let Some(message) = args.first() else {
        let max = if has_position { 5 } else { 2 };
        let count = format!("wrong number of arguments (given 0, expected 1..{max})");
        return rt.ruby().raise("ArgumentError", count);
    };
    let Rv::Str(string) = message else {
        let raised = rt.ruby().no_method(message, "scrub");
        return rt.with_puppet_position("error.rb", 6, raised);
    };
    let argument = |at: usize| args.get(at).filter(|value| has_position && value.truthy());
    let string = string.borrow().clone();
    let mut position = Vec::new();
    for (at, name) in [(1, "file"), (2, "line"), (3, "column")] {
        // A column without a line is ignored.
        let Some(value) = argument(at).filter(|_| at < 3 || argument(2).is_some()) else { continue };
        if at == 3 && matches!(value, Rv::Exception(_)) {
            continue;
        }
        let description = rt.ruby().to_s(value)?;
        if !description.is_empty() {
            position.push(format!("{name}: {description}"));
        }
    }
    Ok(if position.is_empty() { message.clone() } else { Rv::str(format!("{string} ({})", position.join(", "))) })
}

/// The original error, and the position.
fn fields(args: &[Rv], has_position: bool) -> Vec<(Name, Rv)> {
    let names: &[&str] = if has_position { &["file", "line", "pos", "original"] } else { &["original"] };
    let pairs = names.iter().zip(args.iter().skip(1));
    let named = pairs.map(|(name, value)| match value {
        // The error may be passed in the argument for the column.
        Rv::Exception(_) => ("original", value.clone()),
        value => (*name, value.clone()),
    });
    named.map(|(name, value)| (field(name), value)).collect()
}

/// Methods of Puppet's own exceptions.
pub(crate) fn call(rt: &mut PuppetInterp<'_, '_>, exception: &Rc<Exception>, name: &str) -> Option<Rv> {
    let is_field = matches!(name, "original" | "file" | "line" | "pos");
    if !is_field || !rt.ruby().inherits_from(exception.class, ERROR) {
        return None;
    }
    Some(exception.ivars.borrow().get(&field(name)).cloned().unwrap_or(Rv::Nil))
}
