//! `Comparable`: the order of objects by their `<=>`.

use std::cmp::Ordering;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Comparable",
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("<", 1, |rt, this, args, _| compare(rt, this, args, Ordering::is_lt)),
        Method::new("<=", 1, |rt, this, args, _| compare(rt, this, args, Ordering::is_le)),
        Method::new(">", 1, |rt, this, args, _| compare(rt, this, args, Ordering::is_gt)),
        Method::new(">=", 1, |rt, this, args, _| compare(rt, this, args, Ordering::is_ge)),
        Method::new("between?", 2, is_between),
        Method::between("clamp", 1, 2, clamp),
    ],
    singleton: &[],
};

fn compare(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], is_expected: fn(Ordering) -> bool) -> Raise<Rv> {
    let order = rt.compare(this, args.first().unwrap_or(&Rv::Nil))?;
    Ok(Rv::bool(is_expected(order)))
}

fn is_between(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [low, high] = args else { return Ok(Rv::Nil) };
    Ok(Rv::bool(rt.compare(this, low)?.is_ge() && rt.compare(this, high)?.is_le()))
}

/// `clamp(low, high)`, `clamp(low..high)`; a limit of `nil` means no limit.
fn clamp(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (low, high) = match args {
        [Rv::Range(range)] => {
            if range.exclusive && !range.to.is_nil() {
                return rt.raise("ArgumentError", "cannot clamp with an exclusive range");
            }
            (range.from.clone(), range.to.clone())
        }
        [low, high] => (low.clone(), high.clone()),
        [other] => {
            let class = rt.class_name(other);
            return rt.raise("TypeError", format!("wrong argument type {class} (expected Range)"));
        }
        _ => return Ok(Rv::Nil),
    };
    if !low.is_nil() && !high.is_nil() && rt.compare(&low, &high)?.is_gt() {
        return rt.raise("ArgumentError", "min argument must be smaller than max argument");
    }
    if !low.is_nil() && rt.compare(this, &low)?.is_lt() {
        return Ok(low);
    }
    if !high.is_nil() && rt.compare(this, &high)?.is_gt() {
        return Ok(high);
    }
    Ok(this.clone())
}
