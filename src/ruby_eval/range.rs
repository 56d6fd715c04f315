//! Methods of `Range`.

use std::rc::Rc;

use super::Blk;
use super::Interp;
use super::Raise;
use super::compare;
use super::value::Range;
use super::value::Rv;

/// `range === value`
pub(crate) fn covers(range: &Range, value: &Rv) -> bool {
    let low = range.from.is_nil() || comparable(&range.from, value).is_some_and(|order| order.is_le());
    let high = range.to.is_nil()
        || comparable(value, &range.to)
            .is_some_and(|order| if range.exclusive { order.is_lt() } else { order.is_le() });
    low && high
}

fn comparable(a: &Rv, b: &Rv) -> Option<std::cmp::Ordering> {
    compare::order(a, b)
}

/// Start and length of a range within a list of `size` items; nothing when it starts outside.
pub(crate) fn bounds(range: &Range, size: usize) -> Option<(usize, usize)> {
    let number = |value: &Rv, absent: i128| match value {
        Rv::Int(n) => *n,
        Rv::Float(f) => *f as i128,
        _ => absent,
    };
    let size = size as i128;
    let from = number(&range.from, 0);
    let from = if from < 0 { from + size } else { from };
    if from < 0 || from > size {
        return None;
    }
    let endless = range.to.is_nil();
    let to = number(&range.to, -1);
    let to = if to < 0 { to + size } else { to };
    let end = if range.exclusive && !endless { to } else { to + 1 };
    let length = (end.min(size) - from).max(0);
    Some((usize::try_from(from).ok()?, usize::try_from(length).ok()?))
}

/// The items of a range.
pub(crate) fn items(rt: &mut Interp<'_, '_>, range: &Range) -> Raise<Vec<Rv>> {
    match (&range.from, &range.to) {
        (Rv::Int(from), Rv::Int(to)) => {
            let end = if range.exclusive { to - 1 } else { *to };
            let count = usize::try_from((end - from + 1).max(0)).unwrap_or(usize::MAX);
            rt.check_size(count.saturating_mul(32))?;
            Ok((*from..=end).map(Rv::Int).collect())
        }
        (Rv::Int(_), Rv::Nil) => rt.unsupported("endless ranges as lists"),
        (Rv::Int(_), Rv::Float(to)) if !to.is_finite() => rt.unsupported("endless ranges as lists"),
        (Rv::Int(from), Rv::Float(to)) => {
            let range = Range {
                from: Rv::Int(*from),
                to: Rv::Int(to.floor() as i128),
                exclusive: range.exclusive && to.fract() == 0.0,
            };
            items(rt, &range)
        }
        (Rv::Str(from), Rv::Str(to)) => {
            let (mut at, to) = (from.borrow().clone(), to.borrow().clone());
            let mut found = Vec::new();
            let digits = |text: &str| !text.is_empty() && text.len() < 19 && text.bytes().all(|b| b.is_ascii_digit());
            if let (true, true, Ok(first), Ok(last)) = (digits(&at), digits(&to), at.parse::<i64>(), to.parse::<i64>())
            {
                let width = at.len();
                for number in first..last.saturating_add(i64::from(!range.exclusive)) {
                    found.push(Rv::str(format!("{number:0width$}")));
                    rt.check_growth(found.len() * 64, 64)?;
                }
                return Ok(found);
            }
            if let ([from], [last]) = (at.as_bytes(), to.as_bytes()) {
                let chars = (*from..=*last).filter(|byte| !range.exclusive || byte != last);
                return Ok(chars.map(|byte| Rv::str(char::from(byte).to_string())).collect());
            }
            if at > to {
                return Ok(found);
            }
            loop {
                let last = at == to;
                if last && range.exclusive {
                    return Ok(found);
                }
                found.push(Rv::str(at.clone()));
                rt.check_growth(found.len() * 64, 64)?;
                at = super::text::succ(&at);
                if last || at.is_empty() || at.len() > to.len() {
                    return Ok(found);
                }
            }
        }
        (Rv::Ip(from), Rv::Ip(to)) => {
            let count = to.address.saturating_sub(from.address).saturating_add(1);
            rt.check_size(usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(64))?;
            Ok((from.address..=to.address).map(|address| super::ipaddr::single(address, from.v6)).collect())
        }
        (Rv::Object(_), to) => {
            let (mut at, mut found) = (range.from.clone(), Vec::new());
            while rt.has_method(&at, crate::name!("succ")) {
                let order = rt.compare(&at, to)?;
                if order.is_gt() || (order.is_eq() && range.exclusive) {
                    break;
                }
                found.push(at.clone());
                rt.check_growth(found.len() * 64, 64)?;
                at = rt.call_method(&at, "succ", &[], None)?;
            }
            Ok(found)
        }
        (other, _) => {
            let class = rt.class_name(other);
            rt.raise("TypeError", format!("can't iterate from {class}"))
        }
    }
}

/// The numbers of a range of integers, which may have no end; nothing for other ranges.
fn numbers(range: &Range) -> Option<std::ops::RangeInclusive<i128>> {
    let Rv::Int(from) = range.from else { return None };
    let to = match range.to {
        Rv::Int(to) => to.checked_sub(i128::from(range.exclusive))?,
        Rv::Nil => i128::MAX,
        Rv::Float(to) if to == f64::INFINITY => i128::MAX,
        Rv::Float(to) if to.is_finite() && to.abs() < 1e30 => {
            let whole = to.floor();
            whole as i128 - i128::from(range.exclusive && whole == to)
        }
        _ => return None,
    };
    Some(from..=to)
}

/// Methods that take one number after the other, and may stop before the end: no list is made.
fn walk(
    rt: &mut Interp<'_, '_>,
    range: &Rc<Range>,
    numbers: std::ops::RangeInclusive<i128>,
    name: &str,
    block: &Rc<super::value::Callable>,
) -> Raise<Option<Rv>> {
    let mut taken = Vec::new();
    for (at, number) in numbers.enumerate() {
        let number = Rv::Int(number);
        let given = match name {
            "each" | "find" | "detect" | "find_index" | "any?" | "all?" | "none?" | "take_while" => {
                rt.yield_value(block, number.clone())?
            }
            "each_with_index" => rt.yield_values(block, &[number.clone(), Rv::int(at)])?,
            _ => return Ok(None),
        };
        let truth = given.truthy();
        match name {
            "find" | "detect" if truth => return Ok(Some(number)),
            "find_index" if truth => return Ok(Some(Rv::int(at))),
            "any?" if truth => return Ok(Some(Rv::Bool(true))),
            "all?" if !truth => return Ok(Some(Rv::Bool(false))),
            "none?" if truth => return Ok(Some(Rv::Bool(false))),
            "take_while" if !truth => return Ok(Some(Rv::array(taken))),
            "take_while" => {
                taken.push(number);
                rt.check_size(taken.len().saturating_mul(32))?;
            }
            _ => {}
        }
    }
    Ok(Some(match name {
        "each" | "each_with_index" => Rv::Range(range.clone()),
        "find" | "detect" | "find_index" => Rv::Nil,
        "any?" => Rv::Bool(false),
        "all?" | "none?" => Rv::Bool(true),
        "take_while" => Rv::array(taken),
        _ => return Ok(None),
    }))
}

pub(crate) fn call(
    rt: &mut Interp<'_, '_>,
    this: &Rc<Range>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    Ok(Some(match (name, args) {
        ("begin", []) | ("first", []) => this.from.clone(),
        ("end", []) => this.to.clone(),
        ("last", []) => this.to.clone(),
        ("last", [_]) => {
            let list = Rv::array(items(rt, this)?);
            rt.call_method(&list, "last", args, None)?
        }
        ("min", []) if block.is_none() => {
            if compare::order(&this.from, &this.to).is_some_and(|order| order.is_gt()) {
                Rv::Nil
            } else {
                this.from.clone()
            }
        }
        ("max", []) if block.is_none() && !this.exclusive => {
            if compare::order(&this.from, &this.to).is_some_and(|order| order.is_gt()) {
                Rv::Nil
            } else {
                this.to.clone()
            }
        }
        ("exclude_end?", []) => Rv::Bool(this.exclusive),
        ("include?" | "member?" | "cover?" | "===", [Rv::Range(inner)]) => {
            Rv::Bool(covers(this, &inner.from) && covers(this, &inner.to))
        }
        ("include?" | "member?" | "cover?" | "===", [value]) => Rv::Bool(covers(this, value)),
        ("size" | "count" | "length", []) if block.is_none() => match (&this.from, &this.to) {
            (Rv::Int(_), Rv::Nil) => Rv::Float(f64::INFINITY),
            (Rv::Int(from), Rv::Int(to)) => Rv::Int((to - from + i128::from(!this.exclusive)).max(0)),
            _ if name == "size" => Rv::Nil,
            _ => Rv::int(items(rt, this)?.len()),
        },
        (_, [])
            if let Some((numbers, block)) = numbers(this).zip(block)
                && let Some(value) = walk(rt, this, numbers, name, block)? =>
        {
            value
        }
        ("first" | "take", [count]) if let Some(numbers) = numbers(this) => {
            let count = rt.expect_int(count)?;
            if count < 0 {
                let text = if name == "take" {
                    "attempt to take negative size"
                } else {
                    "negative array size (or size too big)"
                };
                return rt.raise("ArgumentError", text);
            }
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            rt.check_size(count.min(numbers.size_hint().0).saturating_mul(32))?;
            Rv::array(numbers.take(count).map(Rv::Int).collect())
        }
        ("step" | "%", [step]) if let Some((numbers, block)) = numbers(this).zip(block) => {
            let step = usize::try_from(rt.expect_int(step)?).unwrap_or(0);
            if step == 0 {
                return rt.raise("ArgumentError", "step can't be 0");
            }
            for number in numbers.step_by(step) {
                rt.yield_value(block, Rv::Int(number))?;
            }
            Rv::Range(this.clone())
        }
        ("step" | "%", [step])
            if matches!(this.from, Rv::Float(_))
                || matches!(this.to, Rv::Float(to) if to.is_finite())
                || matches!(step, Rv::Float(_)) =>
        {
            if !matches!(this.to, Rv::Int(_)) && !matches!(this.to, Rv::Float(to) if to.is_finite()) {
                return rt.unsupported("steps without an end");
            }
            let steps = rt.call_method(&this.from, "step", &[this.to.clone(), step.clone()], None)?;
            let mut list = rt.items(&steps)?;
            if this.exclusive && list.last().is_some_and(|last| compare::equal(last, &this.to)) {
                list.pop();
            }
            match block {
                Some(block) => {
                    for item in list {
                        rt.yield_value(block, item)?;
                    }
                    Rv::Range(this.clone())
                }
                None => Rv::array(list),
            }
        }
        ("step" | "%", [step]) => {
            let step = usize::try_from(rt.expect_int(step)?).unwrap_or(0);
            if step == 0 {
                return rt.raise("ArgumentError", "step can't be 0");
            }
            let list: Vec<Rv> = items(rt, this)?.into_iter().step_by(step).collect();
            match block {
                Some(block) => {
                    for item in list {
                        rt.yield_value(block, item)?;
                    }
                    Rv::Range(this.clone())
                }
                None => Rv::array(list),
            }
        }
        _ => return Ok(None),
    }))
}
