//! `Integer`.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Integer",
    parent: None,
    includes: &[&super::comparable::CLASS],
    methods: &[
        Method::new("even?", 0, is_even),
        Method::new("odd?", 0, is_odd),
        Method::new("succ", 0, succ),
        Method::new("next", 0, succ),
        Method::new("pred", 0, pred),
        Method::new("zero?", 0, is_zero),
    ],
    singleton: &[],
};

/// The number that the receiver is.
fn value(this: &Rv) -> i128 {
    if let Rv::Int(n) = this { *n } else { 0 }
}

fn is_even(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Bool(value(this) % 2 == 0))
}

fn is_odd(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Bool(value(this) % 2 != 0))
}

fn is_zero(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Bool(value(this) == 0))
}

fn succ(rt: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match value(this).checked_add(1) {
        Some(n) => Ok(Rv::Int(n)),
        None => rt.unsupported("integers beyond 128 bits"),
    }
}

fn pred(rt: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match value(this).checked_sub(1) {
        Some(n) => Ok(Rv::Int(n)),
        None => rt.unsupported("integers beyond 128 bits"),
    }
}
