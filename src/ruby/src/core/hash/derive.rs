//! New hashes and arrays from hashes.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::array::combine;
use crate::core::enumerator::enumerator;
use crate::core::walk::CONTINUE;
use crate::core::walk::walk_entries;
use crate::value::Callable;
use crate::value::HashObject;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Map;
use crate::value::Rv;

/// The size that is counted for an entry of a new hash.
pub(super) const ENTRY: usize = 64;

/// The entries for which a block returns `expected`.
pub(super) fn filter_entries(
    rt: &mut Interp<'_>,
    hash: &Rc<HashObject>,
    block: &Rc<Callable>,
    expected: bool,
) -> Raise<Map> {
    let mut map = Map::default();
    walk_entries(rt, hash, |rt, key, value| {
        if rt.yield_values(block, &[key.clone(), value.clone()])?.truthy() == expected {
            rt.check_size(ENTRY)?;
            map.insert(Key(key), value);
        }
        Ok(CONTINUE)
    })?;
    Ok(map)
}

pub(super) fn select(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    Ok(Rv::hash(filter_entries(rt, hash, block, true)?))
}

pub(super) fn reject(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    Ok(Rv::hash(filter_entries(rt, hash, block, false)?))
}

/// Adds the entries of other hashes; a block merges the values of keys that both have.
pub(super) fn add_all(rt: &mut Interp<'_>, map: &mut Map, others: &[Rv], block: Blk<'_>) -> Raise<()> {
    for other in others {
        let Rv::Hash(other) = other else { return rt.type_error(other, "Hash") };
        rt.check_size(other.map.borrow().len() * ENTRY)?;
        let Some(block) = block else {
            map.extend(other.map.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
            continue;
        };
        walk_entries(rt, other, |rt, key, value| {
            let value = match map.get(&Lookup(&key)).cloned() {
                Some(old) => rt.yield_values(block, &[key.clone(), old, value])?,
                None => value,
            };
            map.insert(Key(key), value);
            Ok(CONTINUE)
        })?;
    }
    Ok(())
}

pub(super) fn merge(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    rt.check_size(hash.map.borrow().len() * ENTRY)?;
    let mut map = hash.map.borrow().clone();
    add_all(rt, &mut map, args, block)?;
    let new = HashObject::new(map);
    *new.default.borrow_mut() = hash.default.borrow().clone();
    *new.default_proc.borrow_mut() = hash.default_proc.borrow().clone();
    Ok(Rv::Hash(new))
}

pub(super) fn invert(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    let map = hash.map.borrow();
    rt.check_size(map.len() * ENTRY)?;
    Ok(Rv::hash(map.iter().map(|(Key(key), value)| (Key::from_value(value), key.clone())).collect()))
}

/// The entries that a predicate selects.
fn select_entries(this: &Rv, predicate: impl Fn(&Key, &Rv) -> bool) -> Rv {
    let Rv::Hash(hash) = this else { return Rv::Nil };
    let map = hash.map.borrow();
    let entries = map.iter().filter(|(key, value)| predicate(key, value));
    Rv::hash(entries.map(|(key, value)| (key.clone(), value.clone())).collect())
}

pub(super) fn compact(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(select_entries(this, |_, value| !value.is_nil()))
}

pub(super) fn except(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let removed: Map = args.iter().map(|key| (Key(key.clone()), Rv::Nil)).collect();
    Ok(select_entries(this, |key, _| !removed.contains_key(key)))
}

pub(super) fn slice(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    let map = hash.map.borrow();
    let entry = |key: &Rv| map.get_key_value(&Lookup(key)).map(|(key, value)| (key.clone(), value.clone()));
    Ok(Rv::hash(args.iter().filter_map(entry).collect()))
}

pub(super) fn transform_values(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    let mut map = Map::default();
    walk_entries(rt, hash, |rt, key, value| {
        rt.check_size(ENTRY)?;
        map.insert(Key(key), rt.yield_value(block, value)?);
        Ok(CONTINUE)
    })?;
    Ok(Rv::hash(map))
}

/// `transform_keys { |key| … }`, `transform_keys(new by old)`
pub(super) fn transform_keys(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    let new_keys = match args.first() {
        None if block.is_none() => return Ok(enumerator(this, "transform_keys", args)),
        None => None,
        Some(Rv::Hash(new_keys)) => Some(new_keys),
        Some(other) => return rt.type_error(other, "Hash"),
    };
    let mut map = Map::default();
    walk_entries(rt, hash, |rt, key, value| {
        let new = match (new_keys.and_then(|new_keys| new_keys.get(&key)), block) {
            (Some(new), _) => new,
            (None, Some(block)) => rt.yield_value(block, key)?,
            (None, None) => key,
        };
        rt.check_size(ENTRY)?;
        map.insert(Key::from_value(&new), value);
        Ok(CONTINUE)
    })?;
    Ok(Rv::hash(map))
}

pub(super) fn to_a(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let items = rt.items(this)?;
    rt.check_size(items.len() * 2 * ENTRY)?;
    Ok(Rv::array(items))
}

/// `flatten`, `flatten(levels)`: one level yields keys and values alternately.
pub(super) fn flatten(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let pairs = crate::value::share(rt.items(this)?);
    let levels = args.first().cloned().unwrap_or(Rv::Int(1));
    Ok(Rv::array(combine::flattened(rt, &pairs, Some(&levels))?.0))
}
