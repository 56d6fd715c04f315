//! Iteration over ranges.

use super::integers;
use super::items;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::core::enumerator::enumerator;
use crate::core::walk::CONTINUE;
use crate::core::walk::walk;
use crate::value::Range;
use crate::value::Rv;

pub(super) fn each(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    walk(rt, this, |rt, item| item.yield_to(rt, block).map(|_| CONTINUE))?;
    Ok(this.clone())
}

pub(super) fn to_a(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    if range.to.is_nil() {
        return rt.raise("RangeError", "cannot convert endless range to an array");
    }
    Ok(Rv::array(items(rt, range)?))
}

/// `step(by)`, `range % by`: every `by`-th item.
pub(super) fn step(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Range(range) = this else { return Ok(Rv::Nil) };
    let by = args.first().cloned().unwrap_or(Rv::Int(1));
    if matches!(range.from, Rv::Float(_))
        || matches!(range.to, Rv::Float(to) if to.get().is_finite())
        || matches!(by, Rv::Float(_))
    {
        let list = floats(rt, range, &by)?;
        let Some(block) = block else { return Ok(Rv::array(list)) };
        for item in list {
            rt.yield_value(block, item)?;
        }
        return Ok(this.clone());
    }
    let Some(block) = block else { return Ok(enumerator(this, "step", args)) };
    let by = rt.expect_int(&by)?;
    let Ok(by) = usize::try_from(by) else { return rt.raise("ArgumentError", "step can't be negative") };
    if by == 0 {
        return rt.raise("ArgumentError", "step can't be 0");
    }
    if let Some(numbers) = integers(range) {
        for number in numbers.step_by(by) {
            rt.yield_value(block, Rv::integer(number))?;
        }
    } else {
        for item in items(rt, range)?.into_iter().step_by(by) {
            rt.yield_value(block, item)?;
        }
    }
    Ok(this.clone())
}

/// The numbers of a range that is counted in floats.
fn floats(rt: &mut Interp<'_>, range: &Range, by: &Rv) -> Raise<Vec<Rv>> {
    if !matches!(range.to, Rv::Int(_)) && !matches!(range.to, Rv::Float(to) if to.get().is_finite()) {
        return rt.unsupported("steps without an end");
    }
    let steps = rt.call_method(&range.from, "step", &[range.to.clone(), by.clone()], None)?;
    let mut list = rt.items(&steps)?;
    if range.exclusive && list.last().is_some_and(|last| compare::equal(last, &range.to)) {
        list.pop();
    }
    Ok(list)
}

/// The number that a block finds by binary search. The block is true for the numbers at the end, or returns numbers that direct
/// the search.
pub(super) fn bsearch(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Range(range), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    let Some(numbers) = integers(range) else {
        let class = rt.class_name(&range.from);
        return match range.from {
            Rv::Float(_) => rt.unsupported("Range#bsearch of floats"),
            _ => rt.raise("TypeError", format!("can't do binary search for {class}")),
        };
    };
    let (mut low, mut high) = (*numbers.start(), numbers.end().saturating_add(1));
    let mut found = Rv::Nil;
    while low < high {
        let middle = low + high.saturating_sub(low) / 2;
        match rt.yield_value(block, Rv::integer(middle))? {
            Rv::Int(0) => return Ok(Rv::integer(middle)),
            Rv::True => {
                found = Rv::integer(middle);
                high = middle;
            }
            Rv::Int(n) if n < 0 => high = middle,
            Rv::Int(_) | Rv::False | Rv::Nil => low = middle + 1,
            other => {
                let class = rt.class_name(&other);
                return rt
                    .raise("TypeError", format!("wrong argument type {class} (must be numeric, true, false or nil)"));
            }
        }
    }
    Ok(found)
}
