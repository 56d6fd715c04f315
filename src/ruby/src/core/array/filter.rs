//! Changes of a whole array: by a block, or to the result of another method.

use std::rc::Rc;

use super::combine;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::enumerable;
use crate::core::walk::item_at;
use crate::value::Array;
use crate::value::Callable;
use crate::value::Rv;

/// Replaces the items of the receiver by those of a new array.
fn become_items(this: &Rv, new: &Rv) {
    if let (Rv::Array(items), Rv::Array(new)) = (this, new)
        && !Rc::ptr_eq(items, new)
    {
        let new = new.borrow().clone();
        *items.borrow_mut() = new;
    }
}

/// The number of items of an array.
fn length(value: &Rv) -> usize {
    if let Rv::Array(items) = value { items.borrow().len() } else { 0 }
}

pub(super) fn map(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    let mut index = 0;
    while let Some(item) = item_at(items, index) {
        let new = rt.yield_value(block, item)?;
        if let Some(slot) = items.borrow_mut().get_mut(index) {
            *slot = new;
        }
        index += 1;
    }
    Ok(this.clone())
}

/// Keeps the items for which the block returns `expected`; returns whether any was removed. If the block is left early, items that
/// it did not see are kept.
fn retain_items(rt: &mut Interp<'_>, items: &Array, block: &Rc<Callable>, expected: bool) -> Raise<bool> {
    let mut kept = Vec::with_capacity(items.borrow().len());
    let mut index = 0;
    let mut left = Ok(());
    while let Some(item) = item_at(items, index) {
        match rt.yield_value(block, item.clone()) {
            Ok(result) if result.truthy() == expected => kept.push(item),
            Ok(_) => {}
            Err(flow) => {
                left = Err(flow);
                break;
            }
        }
        index += 1;
    }
    let changed = kept.len() < index;
    kept.extend(items.borrow().get(index..).unwrap_or_default().iter().cloned());
    if changed {
        *items.borrow_mut() = kept;
    }
    left.map(|()| changed)
}

pub(super) fn select(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    Ok(if retain_items(rt, items, block, true)? { this.clone() } else { Rv::Nil })
}

pub(super) fn reject(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    Ok(if retain_items(rt, items, block, false)? { this.clone() } else { Rv::Nil })
}

pub(super) fn keep_if(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    select(rt, this, args, block)?;
    Ok(this.clone())
}

pub(super) fn delete_if(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    reject(rt, this, args, block)?;
    Ok(this.clone())
}

/// `delete(value)`, `delete(value) { result if it is missing }`. The array is changed only if it contains the value.
pub(super) fn delete(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [value]) = (this, args) else { return Ok(Rv::Nil) };
    let mut kept = Vec::new();
    let mut found = None;
    for item in items.borrow().clone() {
        if rt.equals(&item, value)? {
            found = Some(item);
        } else {
            kept.push(item);
        }
    }
    match (found, block) {
        (Some(found), _) => {
            if rt.is_frozen(this) {
                return rt.frozen_error(this);
            }
            *items.borrow_mut() = kept;
            rt.mark_changed(this);
            Ok(found)
        }
        (None, Some(block)) => rt.yield_value(block, value.clone()),
        (None, None) => Ok(Rv::Nil),
    }
}

pub(super) fn sort(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let new = enumerable::order::sort(rt, this, args, block)?;
    become_items(this, &new);
    Ok(this.clone())
}

pub(super) fn sort_by(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let new = enumerable::order::sort_by(rt, this, args, block)?;
    become_items(this, &new);
    Ok(this.clone())
}

pub(super) fn uniq(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let new = enumerable::group::uniq(rt, this, args, block)?;
    let same = length(&new) == length(this);
    become_items(this, &new);
    Ok(if same { Rv::Nil } else { this.clone() })
}

pub(super) fn compact(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let new = combine::compact(rt, this, args, block)?;
    let same = length(&new) == length(this);
    become_items(this, &new);
    Ok(if same { Rv::Nil } else { this.clone() })
}

pub(super) fn flatten(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let (new, nested) = combine::flattened(rt, items, args.first())?;
    *items.borrow_mut() = new;
    Ok(if nested { this.clone() } else { Rv::Nil })
}

pub(super) fn reverse(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    items.borrow_mut().reverse();
    Ok(this.clone())
}

pub(super) fn rotate(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let new = combine::rotate(rt, this, args, block)?;
    become_items(this, &new);
    Ok(this.clone())
}

pub(super) fn shuffle(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let new = super::choose::shuffle(rt, this, args, block)?;
    become_items(this, &new);
    Ok(this.clone())
}
