//! New arrays from one or several.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::array_operand;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::walk::item_at;
use crate::value::Array;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Map;
use crate::value::Rv;

/// A set for membership tests. Strings are not copied, since the set is dropped before any of them changes.
fn membership_set(items: impl IntoIterator<Item = Rv>) -> Map {
    items.into_iter().map(|item| (Key(item), Rv::Nil)).collect()
}

pub(super) fn plus(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [other]) = (this, args) else { return Ok(Rv::Nil) };
    let more = array_operand(rt, other)?;
    let mut all = Vec::with_capacity(items.borrow().len() + more.len());
    rt.check_size(all.capacity() * 32)?;
    all.extend(items.borrow().iter().cloned());
    all.extend(more);
    Ok(Rv::array(all))
}

/// `a - b`, `a.difference(b, c)`
pub(super) fn difference(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let mut excluded = Map::default();
    for other in args {
        excluded.extend(membership_set(array_operand(rt, other)?));
    }
    Ok(Rv::array(items.borrow().iter().filter(|item| !excluded.contains_key(&Lookup(item))).cloned().collect()))
}

/// `a & b`, `a.intersection(b, c)`: the items that all arrays have, each once.
pub(super) fn intersection(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let mut common = membership_set(items.borrow().iter().cloned());
    for other in args {
        let other = membership_set(array_operand(rt, other)?);
        common.retain(|key, _| other.contains_key(key));
    }
    Ok(Rv::array(common.into_keys().map(|Key(item)| item).collect()))
}

/// `a | b`, `a.union(b, c)`
pub(super) fn union(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let mut all = membership_set(items.borrow().iter().cloned());
    for other in args {
        for item in array_operand(rt, other)? {
            all.entry(Key(item)).or_insert(Rv::Nil);
        }
    }
    rt.check_size(all.len() * 32)?;
    Ok(Rv::array(all.into_keys().map(|Key(item)| item).collect()))
}

pub(super) fn intersects(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [other]) = (this, args) else { return Ok(Rv::Nil) };
    let other = membership_set(array_operand(rt, other)?);
    let shared = items.borrow().iter().any(|item| other.contains_key(&Lookup(item)));
    Ok(Rv::bool(shared))
}

/// `list * count`, `list * separator`
pub(super) fn times(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [by]) = (this, args) else { return Ok(Rv::Nil) };
    if let Rv::Str(_) | Rv::Bytes(_) = by {
        return super::join::join(rt, this, args, None);
    }
    let Ok(count) = usize::try_from(rt.expect_int(by)?) else {
        return rt.raise("ArgumentError", "negative argument");
    };
    let items = items.borrow();
    let size = items.len().saturating_mul(count);
    rt.check_size(size.saturating_mul(32))?;
    Ok(Rv::array(items.iter().cloned().cycle().take(size).collect()))
}

pub(super) fn reverse(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::array(items.borrow().iter().rev().cloned().collect()))
}

pub(super) fn rotate(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let by = match args.first() {
        Some(by) => rt.expect_int(by)?,
        None => 1,
    };
    let mut items = items.borrow().clone();
    if !items.is_empty() {
        let by = usize::try_from(by.rem_euclid(items.len() as i64)).unwrap_or(0);
        items.rotate_left(by);
    }
    Ok(Rv::array(items))
}

pub(super) fn compact(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::array(items.borrow().iter().filter(|item| !item.is_nil()).cloned().collect()))
}

/// `flatten`, `flatten(levels)`
pub(super) fn flatten(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::array(flattened(rt, items, args.first())?.0))
}

/// The items of nested arrays, and whether there were nested arrays.
pub(crate) fn flattened(rt: &mut Interp<'_>, items: &Array, levels: Option<&Rv>) -> Raise<(Vec<Rv>, bool)> {
    let levels = match levels {
        None | Some(Rv::Nil) => -1,
        Some(levels) => rt.expect_int(levels)?,
    };
    flatten_levels(rt, items, levels)
}

/// The nested arrays that `flatten` is inside of: the first are compared one by one, deeper ones are in a set.
#[derive(Default)]
struct OpenArrays {
    deep: FxHashSet<usize>,
}

impl OpenArrays {
    /// The number of arrays that are not in the set.
    const COMPARED: usize = 16;

    /// Adds an array inside of the open ones; returns whether it is none of them.
    fn enter(&mut self, open: &[(Array, usize)], inner: &Array) -> bool {
        if open.iter().take(Self::COMPARED).any(|(outer, _)| Rc::ptr_eq(outer, inner)) {
            return false;
        }
        open.len() < Self::COMPARED || self.deep.insert(Rc::as_ptr(inner).addr())
    }

    /// Removes the innermost of `depth` arrays.
    fn leave(&mut self, depth: usize, list: &Array) {
        if depth > Self::COMPARED {
            self.deep.remove(&Rc::as_ptr(list).addr());
        }
    }
}

/// As [`flattened`] with a number of levels; negative: all. Nested arrays are visited by a loop, since they may be deep.
fn flatten_levels(rt: &mut Interp<'_>, items: &Array, levels: i64) -> Raise<(Vec<Rv>, bool)> {
    let mut flat = Vec::with_capacity(items.borrow().len());
    let mut nested = false;
    // The arrays around the next item, with its index in each, and their addresses.
    let mut open = vec![(items.clone(), 0)];
    let mut entered = OpenArrays::default();
    loop {
        let depth = open.len();
        let Some((list, next)) = open.last_mut() else { break };
        let Some(item) = item_at(list, *next) else {
            entered.leave(depth, list);
            open.pop();
            continue;
        };
        *next += 1;
        let inner = match &item {
            Rv::Array(inner) => Some(inner.clone()),
            Rv::Object(_) if let Rv::Array(inner) = item.inner_value() => Some(inner),
            _ => None,
        };
        let is_open = |_: &Array| levels < 0 || i64::try_from(depth).is_ok_and(|depth| depth <= levels);
        match inner.filter(is_open) {
            Some(inner) => {
                nested = true;
                rt.step()?;
                // With a number of levels, an array may contain itself.
                if !entered.enter(&open, &inner) && levels < 0 {
                    return rt.raise("ArgumentError", "tried to flatten recursive array");
                }
                push_counted(rt, &mut open, (inner, 0))?;
            }
            None => push_counted(rt, &mut flat, item)?,
        }
    }
    Ok((flat, nested))
}

/// Adds to a list; the memory is counted when the list grows.
fn push_counted<T>(rt: &mut Interp<'_>, list: &mut Vec<T>, item: T) -> Raise<()> {
    if list.len() == list.capacity() {
        rt.check_size(list.len().max(4).saturating_mul(2 * size_of::<T>()))?;
    }
    list.push(item);
    Ok(())
}

pub(super) fn transpose(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut rows = Vec::new();
    for row in rt.items(this)? {
        rows.push(array_operand(rt, &row)?);
    }
    let width = rows.first().map_or(0, Vec::len);
    if let Some(row) = rows.iter().find(|row| row.len() != width) {
        let message = format!("element size differs ({} should be {width})", row.len());
        return rt.raise("IndexError", message);
    }
    rt.check_size(rows.len().saturating_mul(width).saturating_mul(32))?;
    let column = |at: usize| Rv::array(rows.iter().filter_map(|row| row.get(at).cloned()).collect());
    Ok(Rv::array((0..width).map(column).collect()))
}
