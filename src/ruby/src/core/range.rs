//! `Range`: membership and items; its methods are in `range/`.
//!
//! | file | content |
//! |---|---|
//! | `ends` | the ends, and predicates of them |
//! | `walk` | iteration |

mod ends;
mod walk;

use std::rc::Rc;

use num_bigint::BigInt;
use num_bigint::Sign;

use super::common_methods;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::core::compare;
use crate::object::Class;
use crate::object::Method;
use crate::value::Range;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Range",
    parent: None,
    includes: &[&super::enumerable::MODULE],
    extends: &[],
    methods: &[
        Method::new("%", 1, walk::step),
        Method::new("==", 1, common_methods::equal),
        Method::new("===", 1, ends::holds),
        Method::new("begin", 0, ends::begin),
        Method::new("bsearch", 0, walk::bsearch).returns_enumerator(),
        Method::between("count", 0, 1, ends::count),
        Method::new("cover?", 1, ends::cover),
        Method::new("each", 0, walk::each).returns_enumerator(),
        Method::new("end", 0, ends::end),
        Method::new("entries", 0, walk::to_a),
        Method::new("eql?", 1, common_methods::eql),
        Method::new("exclude_end?", 0, ends::is_exclusive),
        Method::between("first", 0, 1, ends::first),
        Method::new("hash", 0, common_methods::hash),
        Method::new("include?", 1, ends::include),
        Method::new("inspect", 0, common_methods::inspect),
        Method::between("last", 0, 1, ends::last),
        Method::between("max", 0, 1, ends::max),
        Method::new("member?", 1, ends::include),
        Method::between("min", 0, 1, ends::min),
        Method::new("minmax", 0, ends::minmax),
        Method::new("size", 0, ends::size),
        Method::between("step", 0, 1, walk::step),
        Method::new("to_a", 0, walk::to_a),
        Method::new("to_s", 0, ends::to_s),
    ],
    singleton: &[Method::between("new", 2, 3, new)],
};

/// `Range.new(from, to, exclusive)`
fn new(_: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let end = |at: usize| args.get(at).cloned().unwrap_or(Rv::Nil);
    let exclusive = args.get(2).is_some_and(Rv::truthy);
    Ok(Rv::Range(Rc::new(Range { from: end(0), to: end(1), exclusive })))
}

/// `range === value`
pub(crate) fn covers(range: &Range, value: &Rv) -> bool {
    let low = range.from.is_nil() || compare::order(&range.from, value).is_some_and(|order| order.is_le());
    let high = range.to.is_nil()
        || compare::order(value, &range.to)
            .is_some_and(|order| if range.exclusive { order.is_lt() } else { order.is_le() });
    low && high
}

/// Start and length of a range within an array of `size` items; `None` if it starts outside.
pub(crate) fn bounds(range: &Range, size: usize) -> Option<(usize, usize)> {
    let number = |value: &Rv, absent: i64| match value {
        Rv::Int(n) => *n,
        Rv::Float(f) => f.get() as i64,
        // Beyond the index of any array.
        Rv::Big(n) if n.sign() == Sign::Minus => i64::MIN,
        Rv::Big(_) => i64::MAX,
        _ => absent,
    };
    let size = size as i64;
    let from = number(&range.from, 0);
    let from = if from < 0 { from + size } else { from };
    if from < 0 || from > size {
        return None;
    }
    let endless = range.to.is_nil();
    let to = number(&range.to, -1);
    let to = if to < 0 { to + size } else { to };
    let end = if range.exclusive && !endless { to } else { to.saturating_add(1) };
    let length = (end.min(size) - from).max(0);
    Some((usize::try_from(from).ok()?, usize::try_from(length).ok()?))
}

/// The items of a range.
pub(crate) fn items(rt: &mut Interp<'_>, range: &Range) -> Raise<Vec<Rv>> {
    match (&range.from, &range.to) {
        (Rv::Int(from), Rv::Int(to)) => {
            if range.exclusive && *to == i64::MIN {
                return Ok(Vec::new());
            }
            let end = to - i64::from(range.exclusive);
            let count = usize::try_from(count_integers((*from).into(), end.into())).unwrap_or(usize::MAX);
            rt.check_size(count.saturating_mul(32))?;
            Ok((*from..=end).map(Rv::Int).collect())
        }
        (Rv::Int(_) | Rv::Big(_), Rv::Int(_) | Rv::Big(_)) => big_integers(rt, range),
        (Rv::Int(_), Rv::Nil) => rt.unsupported("endless ranges as lists"),
        (Rv::Int(_), Rv::Float(to)) if !to.get().is_finite() => rt.unsupported("endless ranges as lists"),
        (Rv::Int(from), Rv::Float(to)) => {
            let to = to.get();
            let range = Range {
                from: Rv::Int(*from),
                to: Rv::Int(to.floor() as i64),
                exclusive: range.exclusive && to.fract() == 0.0,
            };
            items(rt, &range)
        }
        (Rv::Str(from), Rv::Str(to)) => strings(rt, &from.borrow(), &to.borrow(), range.exclusive),
        (Rv::Ip(from), Rv::Ip(to)) => {
            let count = to.address.saturating_sub(from.address).saturating_add(1);
            rt.check_size(usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(64))?;
            Ok((from.address..=to.address)
                .map(|address| crate::core::ipaddr::single_address(address, from.v6))
                .collect())
        }
        (Rv::Object(_), to) => successors(rt, &range.from, to, range.exclusive),
        (other, _) => {
            let class = rt.class_name(other);
            rt.raise("TypeError", format!("can't iterate from {class}"))
        }
    }
}

fn big_integers(rt: &mut Interp<'_>, range: &Range) -> Raise<Vec<Rv>> {
    let (Some(from), Some(to)) = (big_integer::from_value(&range.from), big_integer::from_value(&range.to)) else {
        return Ok(Vec::new());
    };
    let count = count_big_integers(range).unwrap_or_default();
    let count = if count.sign() == Sign::Minus { 0 } else { usize::try_from(count).unwrap_or(usize::MAX) };
    rt.check_size(count.saturating_mul(64 + usize::try_from(to.bits() / 8).unwrap_or(usize::MAX)))?;
    Ok((0..count).map(|at| big_integer::to_value(&from + at)).collect())
}

/// The strings from one to another by `String#succ`; strings of digits are counted as numbers. (`rb_str_upto_each`)
fn strings(rt: &mut Interp<'_>, from: &str, to: &str, exclusive: bool) -> Raise<Vec<Rv>> {
    let mut items = Vec::new();
    let is_number = |s: &str| !s.is_empty() && s.len() < 19 && s.bytes().all(|b| b.is_ascii_digit());
    if let (true, true, Ok(first), Ok(last)) = (is_number(from), is_number(to), from.parse::<i64>(), to.parse::<i64>())
    {
        let width = from.len();
        for number in first..last.saturating_add(i64::from(!exclusive)) {
            items.push(Rv::str(format!("{number:0width$}")));
            rt.check_growth(items.len() * 64, 64)?;
        }
        return Ok(items);
    }
    if let ([first], [last]) = (from.as_bytes(), to.as_bytes()) {
        let bytes = (*first..=*last).filter(|byte| !exclusive || byte != last);
        return Ok(bytes.map(|byte| Rv::str(char::from(byte).to_string())).collect());
    }
    if from > to {
        return Ok(items);
    }
    let mut current = from.to_owned();
    loop {
        let is_last = current == to;
        if is_last && exclusive {
            return Ok(items);
        }
        items.push(Rv::str(current.clone()));
        rt.check_growth(items.len() * 64, 64)?;
        current = crate::core::string_helpers::succ(&current);
        if is_last || current.is_empty() || current.len() > to.len() {
            return Ok(items);
        }
    }
}

/// The objects from one to another by their method `succ`.
fn successors(rt: &mut Interp<'_>, from: &Rv, to: &Rv, exclusive: bool) -> Raise<Vec<Rv>> {
    let (mut current, mut items) = (from.clone(), Vec::new());
    while rt.has_method(&current, catwalk_base::name!("succ")) {
        let order = rt.compare(&current, to)?;
        if order.is_gt() || (order.is_eq() && exclusive) {
            break;
        }
        items.push(current.clone());
        rt.check_growth(items.len() * 64, 64)?;
        current = rt.call_method(&current, "succ", &[], None)?;
    }
    Ok(items)
}

/// The number of integers in a range; below 1 if it is empty.
pub(crate) fn count_big_integers(range: &Range) -> Option<BigInt> {
    Some(big_integer::from_value(&range.to)? - big_integer::from_value(&range.from)? + i32::from(!range.exclusive))
}

/// The number of integers between two, both included.
pub(crate) fn count_integers(from: i128, to: i128) -> i128 {
    to.saturating_sub(from).saturating_add(1).max(0)
}

/// The numbers of a range of integers, which may be infinite; `None` for other ranges.
pub(crate) fn integers(range: &Range) -> Option<std::ops::RangeInclusive<i128>> {
    let Rv::Int(from) = range.from else { return None };
    let to = match range.to {
        Rv::Int(to) => i128::from(to) - i128::from(range.exclusive),
        Rv::Nil => i128::MAX,
        Rv::Big(ref to) => big_integer::clamp_to_i128(to).saturating_sub(i128::from(range.exclusive)),
        Rv::Float(to) if to.get() == f64::INFINITY => i128::MAX,
        Rv::Float(to) if to.get().abs() < 1e30 => {
            let to = to.get();
            let whole = to.floor();
            whole as i128 - i128::from(range.exclusive && whole == to)
        }
        _ => return None,
    };
    Some(from.into()..=to)
}
