//! The ends of ranges, and predicates that depend only on them.

use num_bigint::BigInt;

use super::covers;
use super::items;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::core::compare;
use crate::core::enumerable::find;
use crate::core::enumerable::order;
use crate::value::Range;
use crate::value::Rv;

pub(super) fn begin(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    Ok(range.from.clone())
}

pub(super) fn end(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    Ok(range.to.clone())
}

pub(super) fn is_exclusive(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    Ok(Rv::bool(range.exclusive))
}

pub(super) fn to_s(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(rt.to_s(this)?))
}

/// `range === value`
pub(super) fn holds(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Range(range), [value]) = (this, args) else { return Ok(Rv::Nil) };
    Ok(Rv::bool(covers(range, value)))
}

pub(super) fn cover(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match (this, args) {
        (Rv::Range(range), [Rv::Range(inner)]) => Ok(Rv::bool(covers_range(range, inner))),
        _ => holds(rt, this, args, block),
    }
}

/// Whether a range that is not empty lies within another.
fn covers_range(outer: &Range, inner: &Range) -> bool {
    let filled = match (inner.from.is_nil(), inner.to.is_nil()) {
        (false, false) => compare::order(&inner.from, &inner.to)
            .is_some_and(|order| order.is_lt() || (order.is_eq() && !inner.exclusive)),
        _ => true,
    };
    let begins = outer.from.is_nil()
        || (!inner.from.is_nil() && compare::order(&outer.from, &inner.from).is_some_and(|order| order.is_le()));
    let ends = match compare::order(&inner.to, &outer.to) {
        _ if outer.to.is_nil() => true,
        _ if inner.to.is_nil() => false,
        Some(order) if order.is_gt() => match (&inner.to, &outer.to) {
            // A range of integers that excludes its end has the previous integer as its last.
            (inside, outside)
                if let (Some(inside), Some(outside)) =
                    (big_integer::from_value(inside), big_integer::from_value(outside)) =>
            {
                inside - i32::from(inner.exclusive) <= outside - i32::from(outer.exclusive)
            }
            _ => false,
        },
        Some(order) => order.is_lt() || inner.exclusive || !outer.exclusive,
        None => false,
    };
    filled && begins && ends
}

/// `include?`: for strings, whether the value is one of the items; for other values, whether it is between the ends.
pub(super) fn include(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match (this, args) {
        (Rv::Range(range), [value @ Rv::Str(_)]) if matches!((&range.from, &range.to), (Rv::Str(_), Rv::Str(_))) => {
            let found = items(rt, range)?.iter().any(|item| compare::equal(item, value));
            Ok(Rv::bool(found))
        }
        _ => holds(rt, this, args, block),
    }
}

/// `first`, `first(count)`
pub(super) fn first(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    if range.from.is_nil() {
        return rt.raise("RangeError", "cannot get the first element of beginless range");
    }
    match args {
        [] => Ok(range.from.clone()),
        [count] if rt.expect_int(count)? < 0 => rt.raise("ArgumentError", "negative array size (or size too big)"),
        _ => find::first(rt, this, args, block),
    }
}

/// `last`, `last(count)`
pub(super) fn last(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    if range.to.is_nil() {
        return rt.raise("RangeError", "cannot get the last element of endless range");
    }
    if args.is_empty() {
        return Ok(range.to.clone());
    }
    let list = Rv::array(items(rt, range)?);
    rt.call_method(&list, "last", args, None)
}

/// Whether no value is between the ends.
fn is_empty(range: &Range) -> bool {
    compare::order(&range.from, &range.to).is_none_or(|order| order.is_gt() || (order.is_eq() && range.exclusive))
}

pub(super) fn min(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    if range.from.is_nil() {
        return rt.raise("RangeError", "cannot get the minimum of beginless range");
    }
    if block.is_some() && range.to.is_nil() {
        return rt.raise("RangeError", "cannot get the minimum of endless range with custom comparison method");
    }
    if block.is_some() || !args.is_empty() {
        return order::min(rt, this, args, block);
    }
    Ok(if !range.to.is_nil() && is_empty(range) { Rv::Nil } else { range.from.clone() })
}

pub(super) fn max(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    if range.to.is_nil() {
        return rt.raise("RangeError", "cannot get the maximum of endless range");
    }
    let numeric = matches!(range.to, Rv::Int(_) | Rv::Big(_) | Rv::Float(_));
    if block.is_some() || !args.is_empty() || (range.exclusive && !numeric) {
        if range.from.is_nil() {
            let how = "cannot get the maximum of beginless range with custom comparison method";
            return rt.raise("RangeError", how);
        }
        return order::max(rt, this, args, block);
    }
    if !range.from.is_nil() && is_empty(range) {
        return Ok(Rv::Nil);
    }
    match (&range.to, &range.from) {
        (to, Rv::Int(_) | Rv::Big(_))
            if range.exclusive
                && let Some(to) = big_integer::from_value(to) =>
        {
            Ok(big_integer::to_value(to - 1))
        }
        (Rv::Int(_) | Rv::Big(_), _) if range.exclusive => {
            rt.raise("TypeError", "cannot exclude end value with non Integer begin value")
        }
        (Rv::Float(_), _) if range.exclusive => rt.raise("TypeError", "cannot exclude non Integer end value"),
        _ => Ok(range.to.clone()),
    }
}

pub(super) fn minmax(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if block.is_some() {
        return order::minmax(rt, this, args, block);
    }
    let low = min(rt, this, &[], None)?;
    Ok(Rv::array(vec![low, max(rt, this, &[], None)?]))
}

/// The number of integers; `nil` for other ranges.
pub(super) fn size(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    let Some(numbers) = (match (&range.from, &range.to) {
        (Rv::Int(_), Rv::Nil) => return Ok(Rv::float(f64::INFINITY)),
        (Rv::Int(_) | Rv::Float(_), Rv::Float(to)) if to.get() == f64::INFINITY => return Ok(Rv::float(f64::INFINITY)),
        (Rv::Float(from), Rv::Int(_) | Rv::Float(_)) if from.get().is_finite() => {
            return Ok(whole_steps(from.get(), range));
        }
        _ if let Some(count) = super::count_big_integers(range) => {
            return Ok(big_integer::to_value(count.max(BigInt::ZERO)));
        }
        _ => super::integers(range),
    }) else {
        return Ok(Rv::Nil);
    };
    Ok(Rv::integer(super::count_integers(*numbers.start(), *numbers.end())))
}

/// The number of steps of one from a float to the end, including the start.
fn whole_steps(from: f64, range: &Range) -> Rv {
    let to = match range.to {
        Rv::Int(to) => to as f64,
        Rv::Float(to) => to.get(),
        _ => return Rv::Nil,
    };
    let steps = (to - from).floor();
    if steps < 0.0 {
        return Rv::Int(0);
    }
    Rv::integer(steps as i128 + i128::from(!range.exclusive || from + steps < to))
}

/// `count`, `count(value)`, `count { |item| … }`
pub(super) fn count(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    if block.is_some() || !args.is_empty() {
        return find::count(rt, this, args, block);
    }
    match size(rt, this, &[], None)? {
        _ if range.to.is_nil() => Ok(Rv::float(f64::INFINITY)),
        Rv::Nil => Ok(Rv::int(items(rt, range)?.len())),
        size if matches!(range.from, Rv::Int(_) | Rv::Big(_)) => Ok(size),
        _ => Ok(Rv::int(items(rt, range)?.len())),
    }
}
