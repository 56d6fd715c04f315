//! Changes of an array at an index.

use super::resolve_index;
use super::resolve_span;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::walk;
use crate::value::Array;
use crate::value::Rv;

pub(super) fn push(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    for value in args {
        walk::push_item(rt, &mut items.borrow_mut(), value.clone())?;
    }
    Ok(this.clone())
}

pub(super) fn concat(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let mut more = Vec::new();
    for arg in args {
        more.extend(super::array_operand(rt, arg)?);
    }
    let size = items.borrow().len();
    rt.check_growth(size * 32, more.len() * 32)?;
    items.borrow_mut().extend(more);
    Ok(this.clone())
}

pub(super) fn unshift(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let size = items.borrow().len();
    rt.check_growth(size * 32, args.len() * 32)?;
    items.borrow_mut().splice(0..0, args.iter().cloned());
    Ok(this.clone())
}

/// `insert(index, value, …)`
pub(super) fn insert(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [index, more @ ..]) = (this, args) else { return Ok(Rv::Nil) };
    let size = items.borrow().len();
    let index = rt.expect_int(index)?;
    if more.is_empty() {
        return Ok(this.clone());
    }
    let Ok(at) = usize::try_from(if index < 0 { index + size as i64 + 1 } else { index }) else {
        let message = format!("index {} too small for array; minimum: -{}", index, size + 1);
        return rt.raise("IndexError", message);
    };
    replace_part(rt, items, at, 0, more.to_vec())?;
    Ok(this.clone())
}

/// Replaces `length` items from an index on; beyond the end, `nil` fills the gap.
fn replace_part(rt: &mut Interp<'_>, items: &Array, at: usize, length: usize, new: Vec<Rv>) -> Raise<()> {
    let size = items.borrow().len();
    rt.check_growth(size * 32, at.saturating_sub(size).saturating_add(new.len()).saturating_mul(32))?;
    let mut items = items.borrow_mut();
    if at > size {
        items.resize(at, Rv::Nil);
    }
    let end = at.saturating_add(length).min(items.len());
    items.splice(at..end, new);
    Ok(())
}

/// `list[index] = value`, `list[start, length] = values`, `list[range] = values`
pub(super) fn set(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [place_of @ .., value]) = (this, args) else { return Ok(Rv::Nil) };
    let size = items.borrow().len();
    if let [index] = place_of
        && !matches!(index, Rv::Range(_))
    {
        let Some(at) = resolve_index(rt, size, index)? else {
            let index = rt.expect_int(index)?;
            let message = format!("index {index} too small for array; minimum: -{size}");
            return rt.raise("IndexError", message);
        };
        if at < size {
            if let Some(slot) = items.borrow_mut().get_mut(at) {
                *slot = value.clone();
            }
        } else {
            replace_part(rt, items, at, 0, vec![value.clone()])?;
        }
        return Ok(value.clone());
    }
    let (at, length) = match place_of {
        [Rv::Range(range)] => match wide_bounds(range, size) {
            Some(part) => part,
            None => {
                let inspected = rt.inspect(&Rv::Range(range.clone()))?;
                return rt.raise("RangeError", format!("{inspected} out of range"));
            }
        },
        [index, length] => {
            let number = rt.expect_int(length)?;
            let Ok(length) = usize::try_from(number) else {
                return rt.raise("IndexError", format!("negative length ({number})"));
            };
            match resolve_index(rt, size, index)? {
                Some(at) => (at, length),
                None => {
                    let index = rt.expect_int(index)?;
                    let message = format!("index {index} too small for array; minimum: -{size}");
                    return rt.raise("IndexError", message);
                }
            }
        }
        _ => return Ok(Rv::Nil),
    };
    let new = match value {
        Rv::Array(new) => new.borrow().clone(),
        other => vec![other.clone()],
    };
    replace_part(rt, items, at, length, new)?;
    Ok(value.clone())
}

/// Start and length of a range that may begin after the end.
fn wide_bounds(range: &crate::value::Range, size: usize) -> Option<(usize, usize)> {
    match range.from {
        Rv::Int(from) if from > size as i64 => Some((usize::try_from(from).ok()?, 0)),
        _ => crate::core::range::bounds(range, size),
    }
}

/// The argument of `pop` and `shift`: the number of items.
fn count_argument(rt: &mut Interp<'_>, count: &Rv, size: usize) -> Raise<usize> {
    match usize::try_from(rt.expect_int(count)?) {
        Ok(count) => Ok(count.min(size)),
        Err(_) => rt.raise("ArgumentError", "negative array size"),
    }
}

pub(super) fn pop(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let Some(count) = args.first() else { return Ok(items.borrow_mut().pop().unwrap_or(Rv::Nil)) };
    let size = items.borrow().len();
    let count = count_argument(rt, count, size)?;
    Ok(Rv::array(items.borrow_mut().split_off(size - count)))
}

pub(super) fn shift(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let size = items.borrow().len();
    match args.first() {
        None if size == 0 => Ok(Rv::Nil),
        None => Ok(items.borrow_mut().remove(0)),
        Some(count) => {
            let count = count_argument(rt, count, size)?;
            Ok(Rv::array(items.borrow_mut().drain(..count).collect()))
        }
    }
}

pub(super) fn delete_at(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [index]) = (this, args) else { return Ok(Rv::Nil) };
    let size = items.borrow().len();
    let at = resolve_index(rt, size, index)?.filter(|at| *at < size);
    Ok(at.map_or(Rv::Nil, |at| items.borrow_mut().remove(at)))
}

/// `slice!(index)`, `slice!(start, length)`, `slice!(range)`
pub(super) fn slice(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    match args {
        [Rv::Range(_)] | [_, _] => {
            let size = items.borrow().len();
            let Some((from, length)) = resolve_span(rt, size, args)? else { return Ok(Rv::Nil) };
            let end = from.saturating_add(length).min(size);
            Ok(Rv::array(items.borrow_mut().drain(from..end).collect()))
        }
        _ => delete_at(rt, this, args, block),
    }
}

pub(super) fn clear(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    items.borrow_mut().clear();
    Ok(this.clone())
}

pub(super) fn replace(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [other]) = (this, args) else { return Ok(Rv::Nil) };
    let new = super::array_operand(rt, other)?;
    *items.borrow_mut() = new;
    Ok(this.clone())
}

/// `fill(value)`, `fill(value, start, length)`, `fill(value, range)`; with a block, which receives indexes, without the value.
pub(super) fn fill(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let (value, part) = match (args, block) {
        (part, Some(_)) => (None, part),
        ([value, part @ ..], None) => (Some(value), part),
        ([], None) => return rt.wrong_argument_count(0, "1..3"),
    };
    let size = items.borrow().len();
    let (at, length) = match part {
        [] | [Rv::Nil] => (0, size),
        [Rv::Range(range)] => fill_range(rt, range, size)?,
        [start, rest @ ..] => {
            let at = if start.is_nil() { Some(0) } else { resolve_index(rt, size, start)? };
            let at = at.unwrap_or(0);
            match rest.first() {
                None | Some(Rv::Nil) => (at, size.saturating_sub(at)),
                Some(length) => (at, usize::try_from(rt.expect_int(length)?).unwrap_or(0)),
            }
        }
    };
    let end = at.saturating_add(length);
    rt.check_growth(size * 32, end.saturating_sub(size).saturating_mul(32))?;
    for index in at..end {
        let new = match (value, block) {
            (Some(value), _) => value.clone(),
            (None, Some(block)) => rt.yield_value(block, Rv::int(index))?,
            (None, None) => Rv::Nil,
        };
        let mut items = items.borrow_mut();
        if index >= items.len() {
            items.resize(index + 1, Rv::Nil);
        }
        if let Some(slot) = items.get_mut(index) {
            *slot = new;
        }
    }
    Ok(this.clone())
}

/// Start and length of a range to fill, which may extend beyond the end.
fn fill_range(rt: &mut Interp<'_>, range: &crate::value::Range, size: usize) -> Raise<(usize, usize)> {
    let from = if range.from.is_nil() { Some(0) } else { resolve_index(rt, size, &range.from)? };
    let Some(from) = from else {
        let inspected = rt.inspect(&Rv::Range(std::rc::Rc::new(range.clone())))?;
        return rt.raise("RangeError", format!("{inspected} out of range"));
    };
    let end = match &range.to {
        Rv::Nil => size,
        to => resolve_index(rt, size, to)?.map_or(0, |to| to.saturating_add(usize::from(!range.exclusive))),
    };
    Ok((from, end.saturating_sub(from)))
}
