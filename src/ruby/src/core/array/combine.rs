//! New arrays from one or several.

use super::array_operand;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Array;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Map;
use crate::value::Rv;

/// Arrays that nest deeper contain themselves.
const MAX_NESTING: usize = 200;

/// A set for membership tests. Strings are not copied, since the set is dropped before any of them changes.
fn membership_set(items: impl IntoIterator<Item = Rv>) -> Map {
    items.into_iter().map(|item| (Key(item), Rv::Nil)).collect()
}

pub(super) fn plus(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [other]) = (this, args) else { return Ok(Rv::Nil) };
    let more = array_operand(rt, other)?;
    let mut all = Vec::with_capacity(items.borrow().len() + more.len());
    rt.check_size(all.capacity() * 32)?;
    all.extend(items.borrow().iter().cloned());
    all.extend(more);
    Ok(Rv::array(all))
}

/// `a - b`, `a.difference(b, c)`
pub(super) fn difference(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let mut excluded = Map::default();
    for other in args {
        excluded.extend(membership_set(array_operand(rt, other)?));
    }
    Ok(Rv::array(items.borrow().iter().filter(|item| !excluded.contains_key(&Lookup(item))).cloned().collect()))
}

/// `a & b`, `a.intersection(b, c)`: the items that all arrays have, each once.
pub(super) fn intersection(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    let mut common = membership_set(items.borrow().iter().cloned());
    for other in args {
        let other = membership_set(array_operand(rt, other)?);
        common.retain(|key, _| other.contains_key(key));
    }
    Ok(Rv::array(common.into_keys().map(|Key(item)| item).collect()))
}

/// `a | b`, `a.union(b, c)`
pub(super) fn union(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
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

pub(super) fn intersects(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Array(items), [other]) = (this, args) else { return Ok(Rv::Nil) };
    let other = membership_set(array_operand(rt, other)?);
    let shared = items.borrow().iter().any(|item| other.contains_key(&Lookup(item)));
    Ok(Rv::bool(shared))
}

/// `list * count`, `list * separator`
pub(super) fn times(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
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

pub(super) fn reverse(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::array(items.borrow().iter().rev().cloned().collect()))
}

pub(super) fn rotate(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
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

pub(super) fn compact(_: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::array(items.borrow().iter().filter(|item| !item.is_nil()).cloned().collect()))
}

/// `flatten`, `flatten(levels)`
pub(super) fn flatten(rt: &mut Interp<'_, '_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Array(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::array(flattened(rt, items, args.first())?.0))
}

/// The items of nested arrays, and whether there were nested arrays.
pub(crate) fn flattened(rt: &mut Interp<'_, '_>, items: &Array, levels: Option<&Rv>) -> Raise<(Vec<Rv>, bool)> {
    let levels = match levels {
        None | Some(Rv::Nil) => -1,
        Some(levels) => rt.expect_int(levels)?,
    };
    let mut flat = FlattenedItems { items: Vec::with_capacity(items.borrow().len()), nested: false };
    flatten_into(rt, items, levels, &mut flat, 0)?;
    Ok((flat.items, flat.nested))
}

struct FlattenedItems {
    items: Vec<Rv>,
    nested: bool,
}

fn flatten_into(
    rt: &mut Interp<'_, '_>,
    list: &Array,
    levels: i64,
    out: &mut FlattenedItems,
    depth: usize,
) -> Raise<()> {
    if depth > MAX_NESTING {
        return rt.raise("ArgumentError", "tried to flatten recursive array");
    }
    let before = out.items.len();
    for item in list.borrow().iter() {
        let inner_value;
        let inner = match item {
            Rv::Array(inner) => Some(inner),
            Rv::Object(_) => {
                inner_value = crate::object::native_methods::inner_value(item);
                if let Rv::Array(inner) = &inner_value { Some(inner) } else { None }
            }
            _ => None,
        };
        match inner.filter(|_| levels != 0) {
            Some(inner) => {
                out.nested = true;
                flatten_into(rt, inner, levels - 1, out, depth + 1)?;
            }
            None => out.items.push(item.clone()),
        }
    }
    rt.check_growth(before * 32, (out.items.len() - before) * 32)
}

pub(super) fn transpose(rt: &mut Interp<'_, '_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
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
