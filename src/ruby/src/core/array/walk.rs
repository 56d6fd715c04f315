//! Iterations over arrays.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::core::enumerable::find;
use crate::core::enumerator::enumerator;
use crate::core::walk::item_at;
use crate::value::Array;
use crate::value::Rv;

/// Iterates by index, so that the block may change the array.
pub(super) fn each(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    let mut index = 0;
    while let Some(item) = item_at(items, index) {
        rt.yield_value(block, item)?;
        index += 1;
    }
    Ok(this.clone())
}

pub(super) fn each_index(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    let mut index = 0;
    while index < items.borrow().len() {
        rt.yield_value(block, Rv::int(index))?;
        index += 1;
    }
    Ok(this.clone())
}

pub(super) fn reverse_each(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    let mut left = items.borrow().len();
    while left > 0 {
        left -= 1;
        match item_at(items, left) {
            Some(item) => {
                rt.yield_value(block, item)?;
            }
            // The block has removed items.
            None => left = items.borrow().len(),
        }
    }
    Ok(this.clone())
}

/// Whether the item at an index equals a value; `None` after the end.
fn equals(rt: &mut Interp<'_>, items: &Array, index: usize, value: &Rv) -> Raise<Option<bool>> {
    let object = match items.borrow().get(index) {
        None => return Ok(None),
        Some(item @ Rv::Object(_)) => item.clone(),
        Some(item) => return Ok(Some(compare::equal(item, value))),
    };
    rt.equals(&object, value).map(Some)
}

/// The index of the first item that equals a value.
fn position(rt: &mut Interp<'_>, items: &Array, value: &Rv) -> Raise<Option<usize>> {
    let mut index = 0;
    while let Some(equal) = equals(rt, items, index, value)? {
        if equal {
            return Ok(Some(index));
        }
        index += 1;
    }
    Ok(None)
}

pub(super) fn include(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [value]) = (this, args) else { return Ok(Rv::Nil) };
    Ok(Rv::bool(position(rt, items, value)?.is_some()))
}

pub(super) fn find_index(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match (this, args) {
        (Rv::Array(items), [value]) => Ok(position(rt, items, value)?.map_or(Rv::Nil, Rv::int)),
        _ => find::find_index(rt, this, args, block),
    }
}

pub(super) fn index(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if args.is_empty() && block.is_none() {
        return Ok(enumerator(this, "index", args));
    }
    find_index(rt, this, args, block)
}

pub(super) fn rindex(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let mut left = items.borrow().len();
    while left > 0 {
        left -= 1;
        let found = match (args.first(), block) {
            (Some(value), _) => equals(rt, items, left, value)?.unwrap_or(false),
            (None, Some(block)) => match item_at(items, left) {
                Some(item) => rt.yield_value(block, item)?.truthy(),
                None => false,
            },
            (None, None) => return Ok(enumerator(this, "rindex", args)),
        };
        if found {
            return Ok(Rv::int(left));
        }
    }
    Ok(Rv::Nil)
}

/// `count`, `count(value)`, `count { |item| … }`
pub(super) fn count(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match (this, args, block) {
        (Rv::Array(items), [], None) => Ok(Rv::int(items.borrow().len())),
        _ => find::count(rt, this, args, block),
    }
}
