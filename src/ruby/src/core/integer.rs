//! `Integer`.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::core::number;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Integer",
    parent: None,
    includes: &[&super::comparable::CLASS],
    methods: &[
        Method::new("times", 0, times).returns_enumerator(),
        Method::between("to_s", 0, 1, to_s),
        Method::new("even?", 0, is_even),
        Method::new("odd?", 0, is_odd),
        Method::new("succ", 0, succ),
        Method::new("next", 0, succ),
        Method::new("pred", 0, pred),
        Method::new("zero?", 0, is_zero),
    ],
    singleton: &[],
};

fn times(rt: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Int(count), Some(block)) = (this, block) else { return rt.unsupported("Integer#times beyond 64 bits") };
    for at in 0..*count {
        rt.yield_value(block, Rv::Int(at))?.discard();
    }
    Ok(this.clone())
}

/// `to_s`, `to_s(radix)`
fn to_s(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match (this, args) {
        (Rv::Int(n), []) => Ok(Rv::str(n.to_string())),
        _ => Ok(number::call(rt, this, "to_s", args, block)?.unwrap_or(Rv::Nil)),
    }
}

fn is_even(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(match this {
        Rv::Int(n) => n % 2 == 0,
        Rv::Big(n) => !n.bit(0),
        _ => false,
    }))
}

fn is_odd(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(match this {
        Rv::Int(n) => n % 2 != 0,
        Rv::Big(n) => n.bit(0),
        _ => false,
    }))
}

fn is_zero(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(matches!(this, Rv::Int(0))))
}

fn succ(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(moved(this, 1))
}

fn pred(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(moved(this, -1))
}

/// The integer at a distance from another.
fn moved(this: &Rv, by: i64) -> Rv {
    match this {
        Rv::Int(n) if let Some(n) = n.checked_add(by) => Rv::Int(n),
        other => big_integer::to_value(big_integer::from_value(other).unwrap_or_default() + by),
    }
}
