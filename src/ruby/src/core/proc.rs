//! `Proc`, and `Method`, whose objects are called in the same way.

use std::rc::Rc;

use super::common_methods;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Callable;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Proc",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("<<", 1, |rt, this, args, _| compose(rt, this, args, false)),
        Method::at_least("===", 0, call),
        Method::new(">>", 1, |rt, this, args, _| compose(rt, this, args, true)),
        Method::at_least("[]", 0, call),
        Method::new("arity", 0, arity),
        Method::at_least("call", 0, call),
        Method::between("curry", 0, 1, curry),
        Method::new("lambda?", 0, is_lambda),
        Method::new("to_proc", 0, common_methods::itself),
        Method::at_least("yield", 0, call),
    ],
    singleton: &[Method::at_least("new", 0, new)],
};

/// The callable of a receiver.
fn callable(rt: &mut Interp<'_>, this: &Rv) -> Raise<Rc<Callable>> {
    match this {
        Rv::Proc(callable) => Ok(callable.clone()),
        other => rt.type_error(other, "Proc"),
    }
}

/// `Proc.new { … }`
fn new(rt: &mut Interp<'_>, _: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match block {
        Some(block) => Ok(Rv::Proc(block.clone())),
        None => rt.raise("ArgumentError", "tried to create Proc object without a block"),
    }
}

fn call(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let callable = callable(rt, this)?;
    rt.call_proc(&callable, args)
}

fn arity(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let callable = callable(rt, this)?;
    Ok(Rv::Int(rt.arity(&callable)))
}

fn is_lambda(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!matches!(&*callable(rt, this)?, Callable::Block { strict: false, .. })))
}

/// `this >> other`, `this << other`: a proc that calls one with the result of the other.
fn compose(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], this_first: bool) -> Raise<Rv> {
    let (this, other) = (callable(rt, this)?, args.first().cloned().unwrap_or(Rv::Nil));
    Ok(Rv::Proc(Rc::new(Callable::Native(Box::new(move |rt, args| {
        if this_first {
            let value = rt.call_proc(&this, args)?;
            return rt.call_method(&other, "call", &[value], None);
        }
        let value = rt.call_method(&other, "call", args, None)?;
        rt.call_proc(&this, &[value])
    })))))
}

fn curry(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let callable = callable(rt, this)?;
    let arity = match args.first() {
        Some(count) => rt.expect_int(count)?,
        None => rt.arity(&callable),
    };
    // Optional parameters are ignored.
    let arity = usize::try_from(if arity < 0 { -arity - 1 } else { arity }).unwrap_or(0);
    bind_arguments(rt, &callable, arity, Vec::new())
}

/// A proc that takes its arguments one by one.
fn bind_arguments(rt: &mut Interp<'_>, callable: &Rc<Callable>, arity: usize, bound: Vec<Rv>) -> Raise<Rv> {
    if bound.len() >= arity {
        return rt.call_proc(callable, &bound);
    }
    let callable = callable.clone();
    Ok(Rv::Proc(Rc::new(Callable::Native(Box::new(move |rt, args| {
        let bound = bound.iter().chain(args).cloned().collect();
        bind_arguments(rt, &callable, arity, bound)
    })))))
}
