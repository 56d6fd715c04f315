//! `Exception` and its subclasses.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::object::exception;
use crate::value::Exception;
use crate::value::Rv;
use catwalk_base::names::Name;

pub(crate) static CLASS: Class = Class {
    name: "Exception",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("backtrace", 0, backtrace),
        Method::new("backtrace_locations", 0, |_, _, _, _| Ok(Rv::Nil)),
        Method::new("cause", 0, |_, _, _, _| Ok(Rv::Nil)),
        Method::at_least("detailed_message", 0, full_message),
        Method::at_least("full_message", 0, full_message),
        Method::new("message", 0, message),
        Method::new("set_backtrace", 1, |_, _, _, _| Ok(Rv::Nil)),
        Method::new("to_s", 0, to_s),
    ],
    singleton: &[],
};

static FROZEN_ERROR: Class = Class {
    name: "FrozenError",
    parent: Some(&CLASS),
    includes: &[],
    extends: &[],
    methods: &[Method::new("receiver", 0, receiver)],
    singleton: &[],
};

static STOP_ITERATION: Class = Class {
    name: "StopIteration",
    parent: Some(&CLASS),
    includes: &[],
    extends: &[],
    methods: &[Method::new("result", 0, |rt, this, _, _| Ok(field(rt, this, exception::RESULT)?.unwrap_or(Rv::Nil)))],
    singleton: &[],
};

/// The classes of exceptions, subclasses first.
pub(crate) static CLASSES: [&Class; 3] = [&FROZEN_ERROR, &STOP_ITERATION, &CLASS];

/// The exception of a receiver.
fn get(rt: &mut Interp<'_>, this: &Rv) -> Raise<Rc<Exception>> {
    match this {
        Rv::Exception(exception) => Ok(exception.clone()),
        other => rt.type_error(other, "Exception"),
    }
}

/// A field that no variable of the program can have.
fn field(rt: &mut Interp<'_>, this: &Rv, name: &str) -> Raise<Option<Rv>> {
    Ok(get(rt, this)?.ivars.borrow().get(&Name::new(name)).cloned())
}

fn message(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(rt.to_s(this)?))
}

fn to_s(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let message = get(rt, this)?.message.borrow().clone();
    Ok(Rv::str(rt.to_s(&message)?))
}

fn full_message(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let exception = get(rt, this)?;
    let message = rt.to_s(this)?;
    let class = rt.display_class(exception.class);
    Ok(Rv::str(format!("{}:{}: {message} ({class})", exception.file.borrow(), exception.line.get())))
}

fn backtrace(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let exception = get(rt, this)?;
    let position = format!("{}:{}", exception.file.borrow(), exception.line.get());
    Ok(Rv::array(vec![Rv::str(position)]))
}

/// The frozen object; unknown if the program raised the error itself.
fn receiver(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match field(rt, this, exception::RECEIVER)? {
        Some(receiver) => Ok(receiver),
        None => rt.unsupported("method FrozenError#receiver"),
    }
}
