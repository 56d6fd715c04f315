//! Items of arrays by index, and predicates.

use super::resolve_index;
use super::resolve_span;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::core::walk;
use crate::value::Rv;

pub(super) fn length(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::int(items.borrow().len()))
}

pub(super) fn is_empty(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::bool(items.borrow().is_empty()))
}

/// `list[index]`, `list[start, length]`, `list[range]`
pub(super) fn get(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    match args {
        [Rv::Range(_)] | [_, _] => {
            let size = items.borrow().len();
            let Some((from, length)) = resolve_span(rt, size, args)? else { return Ok(Rv::Nil) };
            rt.check_size(length.saturating_mul(32))?;
            Ok(Rv::array(items.borrow().get(from..from.saturating_add(length)).unwrap_or_default().to_vec()))
        }
        _ => at(rt, this, args, block),
    }
}

pub(super) fn at(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [index]) = (this, args) else { return Ok(Rv::Nil) };
    let size = items.borrow().len();
    let found = resolve_index(rt, size, index)?.and_then(|at| walk::item_at(items, at));
    Ok(found.unwrap_or(Rv::Nil))
}

/// `fetch(index)`, `fetch(index, default)`, `fetch(index) { |index| … }`
pub(super) fn fetch(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [index, ..]) = (this, args) else { return Ok(Rv::Nil) };
    let size = items.borrow().len();
    if let Some(found) = resolve_index(rt, size, index)?.and_then(|at| walk::item_at(items, at)) {
        return Ok(found);
    }
    match (args.get(1), block) {
        (_, Some(block)) => rt.yield_value(block, index.clone()),
        (Some(default), None) => Ok(default.clone()),
        (None, None) => {
            let index = rt.expect_int(index)?;
            rt.raise("IndexError", format!("index {index} outside of array bounds: {}...{size}", -(size as i64)))
        }
    }
}

pub(super) fn dig(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Some((first, rest)) = args.split_first() else { return Ok(Rv::Nil) };
    let value = at(rt, this, std::slice::from_ref(first), None)?;
    if rest.is_empty() || value.is_nil() { Ok(value) } else { rt.dig_further(&value, rest) }
}

/// `first`, `first(count)`
pub(super) fn first(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let Some(count) = args.first() else { return Ok(walk::item_at(items, 0).unwrap_or(Rv::Nil)) };
    let count = count_argument(rt, count, "negative array size")?;
    let items = items.borrow();
    Ok(Rv::array(items.get(..count).unwrap_or(&items).to_vec()))
}

/// `last`, `last(count)`
pub(super) fn last(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let Some(count) = args.first() else { return Ok(items.borrow().last().cloned().unwrap_or(Rv::Nil)) };
    let count = count_argument(rt, count, "negative array size")?;
    let items = items.borrow();
    Ok(Rv::array(items.get(items.len().saturating_sub(count)..).unwrap_or_default().to_vec()))
}

/// The argument that is a number of items.
fn count_argument(rt: &mut Interp<'_>, count: &Rv, words: &str) -> Raise<usize> {
    match usize::try_from(rt.expect_int(count)?) {
        Ok(count) => Ok(count),
        Err(_) => rt.raise("ArgumentError", words),
    }
}

pub(super) fn take(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [count]) = (this, args) else { return Ok(Rv::Nil) };
    let count = count_argument(rt, count, "attempt to take negative size")?;
    let items = items.borrow();
    Ok(Rv::array(items.get(..count).unwrap_or(&items).to_vec()))
}

pub(super) fn drop(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [count]) = (this, args) else { return Ok(Rv::Nil) };
    let count = count_argument(rt, count, "attempt to drop negative size")?;
    Ok(Rv::array(items.borrow().get(count..).unwrap_or_default().to_vec()))
}

pub(super) fn values_at(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let mut found = Vec::with_capacity(args.len());
    for arg in args {
        match arg {
            Rv::Range(_) => {
                let part = get(rt, this, std::slice::from_ref(arg), None)?;
                found.extend(rt.to_list(&part)?);
            }
            index => {
                let size = items.borrow().len();
                let at = resolve_index(rt, size, index)?;
                found.push(at.and_then(|at| walk::item_at(items, at)).unwrap_or(Rv::Nil));
            }
        }
    }
    Ok(Rv::array(found))
}

/// The first array in the list that has a value at an index.
fn find_pair(this: &Rv, args: &[Rv], index: usize) -> Rv {
    let (Rv::Array(items), [expected]) = (this, args) else { return Rv::Nil };
    let items = items.borrow();
    let found = items.iter().find(|item| match item {
        Rv::Array(pair) => pair.borrow().get(index).is_some_and(|value| compare::equal(value, expected)),
        _ => false,
    });
    found.cloned().unwrap_or(Rv::Nil)
}

pub(super) fn assoc(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(find_pair(this, args, 0))
}

pub(super) fn rassoc(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(find_pair(this, args, 1))
}

pub(super) fn order(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [other] = args else { return Ok(Rv::Nil) };
    let (Rv::Array(items), Rv::Array(others)) = (this, other) else { return Ok(Rv::Nil) };
    if let Some(order) = compare::order(this, other) {
        return Ok(Rv::Int(order as i64));
    }
    // The order of some items is defined by the program.
    let mut at = 0;
    while let (Some(a), Some(b)) = (walk::item_at(items, at), walk::item_at(others, at)) {
        match rt.call_method(&a, "<=>", &[b], None)? {
            Rv::Int(0) => at += 1,
            decided => return Ok(decided),
        }
    }
    Ok(Rv::Int(items.borrow().len().cmp(&others.borrow().len()) as i64))
}

/// The index of the item that a block finds by binary search. The block is true for the items at the end, or returns numbers that
/// direct the search.
fn binary_search(rt: &mut Interp<'_>, this: &Rv, block: Blk<'_>) -> Raise<Option<usize>> {
    let (Rv::Array(items), Some(block)) = (this, block) else { return Ok(None) };
    let (mut low, mut high) = (0, items.borrow().len());
    let mut found = None;
    while low < high {
        let middle = low + (high - low) / 2;
        let Some(item) = walk::item_at(items, middle) else { break };
        match rt.yield_value(block, item)? {
            Rv::Int(0) => return Ok(Some(middle)),
            Rv::True => {
                found = Some(middle);
                high = middle;
            }
            Rv::False | Rv::Nil => low = middle + 1,
            Rv::Int(n) if n < 0 => high = middle,
            Rv::Int(_) => low = middle + 1,
            Rv::Float(n) if n.get() < 0.0 => high = middle,
            Rv::Float(n) if n.get() > 0.0 => low = middle + 1,
            Rv::Float(_) => return Ok(Some(middle)),
            other => {
                let class = rt.class_name(&other);
                return rt
                    .raise("TypeError", format!("wrong argument type {class} (must be numeric, true, false or nil)"));
            }
        }
    }
    Ok(found)
}

pub(super) fn bsearch(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let found = binary_search(rt, this, block)?;
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(found.and_then(|at| walk::item_at(items, at)).unwrap_or(Rv::Nil))
}

pub(super) fn bsearch_index(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    Ok(binary_search(rt, this, block)?.map_or(Rv::Nil, Rv::int))
}
