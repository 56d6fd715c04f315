//! Methods of `String` that depend only on the contents: joining, comparing, counting, converting.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::core::string_helpers;
use crate::value::Rv;
use crate::value::Str;

/// The first argument; the number of arguments was checked.
fn first_argument(args: &[Rv]) -> &Rv {
    args.first().unwrap_or(&Rv::Nil)
}

/// `text + other`
pub(crate) fn plus(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let s = this.borrow();
    match first_argument(args) {
        Rv::Str(other) => {
            let other = other.borrow();
            let length = s.len() + other.len();
            rt.check_size(length)?;
            let mut out = String::with_capacity(length);
            out.push_str(&s);
            out.push_str(&other);
            Ok(Rv::str(out))
        }
        Rv::Bytes(other) => {
            let mut bytes = s.as_bytes().to_vec();
            bytes.extend(other.borrow().iter());
            rt.check_size(bytes.len())?;
            Ok(Rv::from_bytes(bytes))
        }
        other => rt.type_error(other, "String"),
    }
}

/// `text * times`
pub(crate) fn times(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Ok(n) = usize::try_from(rt.expect_int(first_argument(args))?) else {
        return rt.raise("ArgumentError", "negative argument");
    };
    let s = this.borrow();
    rt.check_size(s.len().saturating_mul(n))?;
    Ok(Rv::str(s.repeat(n)))
}

/// `text % values`
pub(crate) fn format(rt: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    super::format::formatted(rt, &Rv::Str(this.clone()), first_argument(args))
}

pub(crate) fn equals(_: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(match first_argument(args) {
        Rv::Str(other) => std::rc::Rc::ptr_eq(this, other) || *this.borrow() == *other.borrow(),
        other => compare::equal(&Rv::Str(this.clone()), other),
    }))
}

/// `text <=> other`
pub(crate) fn order(_: &mut Interp<'_>, this: &Str, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let order = compare::order(&Rv::Str(this.clone()), first_argument(args));
    Ok(order.map_or(Rv::Nil, |order| Rv::Int(order as i64)))
}

pub(crate) fn length(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::int(this.count()))
}

pub(crate) fn bytesize(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::int(this.borrow().len()))
}

pub(crate) fn is_empty(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(this.borrow().is_empty()))
}

/// `to_s`, `to_str`
pub(crate) fn itself(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Str(this.clone()))
}

pub(crate) fn to_sym(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::sym(&this.borrow()))
}

pub(crate) fn chr(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(this.borrow().chars().next().map(String::from).unwrap_or_default()))
}

pub(crate) fn reverse(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(this.borrow().chars().rev().collect::<String>()))
}

pub(crate) fn succ(_: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(string_helpers::succ(&this.borrow())))
}

/// `+text`: itself, or a copy of one that is frozen.
pub(crate) fn unfrozen(rt: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let whole = Rv::Str(this.clone());
    let is_frozen = rt.state_ref().flags.is_frozen(&whole);
    Ok(if is_frozen { Rv::str(this.borrow().as_str()) } else { whole })
}

/// `-text`: itself when it is frozen, else a frozen copy.
pub(crate) fn frozen(rt: &mut Interp<'_>, this: &Str, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let whole = Rv::Str(this.clone());
    let is_frozen = rt.state_ref().flags.is_frozen(&whole);
    if is_frozen {
        return Ok(whole);
    }
    let copy = Rv::str(this.borrow().as_str());
    rt.state().flags.freeze(&copy);
    Ok(copy)
}

/// `String.new(text)`
pub(super) fn new(_: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(args.first().and_then(Rv::string_or_symbol).unwrap_or_default()))
}
