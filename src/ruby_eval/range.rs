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
                    rt.check_size(found.len() * 64)?;
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
                rt.check_size(found.len() * 64)?;
                at = super::text::succ(&at);
                if last || at.len() > to.len() {
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
                rt.check_size(found.len() * 64)?;
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
        ("each", []) if matches!((&this.from, &this.to), (Rv::Int(_), Rv::Nil)) => {
            let (Some(block), Rv::Int(from)) = (block, &this.from) else { return Ok(None) };
            let mut at = *from;
            loop {
                rt.yield_value(block, Rv::Int(at))?;
                at += 1;
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
