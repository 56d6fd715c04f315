//! Values of hashes by key, and predicates.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::value::Callable;
use crate::value::HashObject;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Rv;

/// The value of a key, or the default value for missing keys.
pub(crate) fn get(rt: &mut Interp<'_>, hash: &Rc<HashObject>, key: &Rv) -> Raise<Rv> {
    if let Some(value) = hash.get(key) {
        return Ok(value);
    }
    default_value(rt, hash, key)
}

/// The default value of a hash for a missing key.
pub(super) fn default_value(rt: &mut Interp<'_>, hash: &Rc<HashObject>, key: &Rv) -> Raise<Rv> {
    let default_proc = hash.default_proc.borrow().clone();
    match default_proc {
        Some(block) => rt.yield_values(&block, &[Rv::Hash(hash.clone()), key.clone()]),
        None => Ok(hash.default.borrow().clone()),
    }
}

pub(super) fn index(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [key]) = (this, args) else { return Ok(Rv::Nil) };
    get(rt, hash, key)
}

/// `fetch(key)`, `fetch(key, default)`, `fetch(key) { |key| … }`
pub(super) fn fetch(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [key, ..]) = (this, args) else { return Ok(Rv::Nil) };
    match (hash.get(key), args.get(1), block) {
        (Some(value), ..) => Ok(value),
        (None, _, Some(block)) => rt.yield_value(block, key.clone()),
        (None, Some(default), None) => Ok(default.clone()),
        (None, None, None) => {
            let inspected = rt.inspect(key)?;
            rt.raise("KeyError", format!("key not found: {inspected}"))
        }
    }
}

pub(super) fn fetch_values(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut found = Vec::with_capacity(args.len());
    for key in args {
        found.push(fetch(rt, this, std::slice::from_ref(key), block)?);
    }
    Ok(Rv::array(found))
}

pub(super) fn dig(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [key, rest @ ..]) = (this, args) else { return Ok(Rv::Nil) };
    let value = get(rt, hash, key)?;
    if rest.is_empty() || value.is_nil() { Ok(value) } else { rt.dig_further(&value, rest) }
}

pub(super) fn has_key(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [key]) = (this, args) else { return Ok(Rv::Nil) };
    Ok(Rv::bool(hash.map.borrow().contains_key(&Lookup(key))))
}

pub(super) fn has_value(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [value]) = (this, args) else { return Ok(Rv::Nil) };
    let found = hash.map.borrow().values().any(|entry| compare::equal(entry, value));
    Ok(Rv::bool(found))
}

pub(super) fn key(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [value]) = (this, args) else { return Ok(Rv::Nil) };
    let map = hash.map.borrow();
    Ok(map.iter().find(|(_, entry)| compare::equal(entry, value)).map_or(Rv::Nil, |(Key(key), _)| key.clone()))
}

pub(super) fn assoc(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [key]) = (this, args) else { return Ok(Rv::Nil) };
    Ok(match hash.map.borrow().get_key_value(&Lookup(key)) {
        Some((Key(key), value)) => Rv::array(vec![key.clone(), value.clone()]),
        None => Rv::Nil,
    })
}

pub(super) fn rassoc(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [value]) = (this, args) else { return Ok(Rv::Nil) };
    let map = hash.map.borrow();
    let found = map.iter().find(|(_, entry)| compare::equal(entry, value));
    Ok(found.map_or(Rv::Nil, |(Key(key), value)| Rv::array(vec![key.clone(), value.clone()])))
}

pub(super) fn keys(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    let map = hash.map.borrow();
    rt.check_size(map.len() * 32)?;
    Ok(Rv::array(map.keys().map(|Key(key)| key.clone()).collect()))
}

pub(super) fn values(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    let map = hash.map.borrow();
    rt.check_size(map.len() * 32)?;
    Ok(Rv::array(map.values().cloned().collect()))
}

pub(super) fn values_at(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    let mut found = Vec::with_capacity(args.len());
    for key in args {
        found.push(get(rt, hash, key)?);
    }
    Ok(Rv::array(found))
}

pub(super) fn length(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    Ok(Rv::int(hash.map.borrow().len()))
}

pub(super) fn is_empty(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    Ok(Rv::bool(hash.map.borrow().is_empty()))
}

/// `default`, `default(key)`
pub(super) fn default(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    match args.first() {
        Some(key) => default_value(rt, hash, key),
        None => Ok(hash.default.borrow().clone()),
    }
}

pub(super) fn default_proc(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    Ok(hash.default_proc.borrow().clone().map_or(Rv::Nil, Rv::Proc))
}

/// A proc that returns the value of its argument as a key.
pub(super) fn to_proc(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::Proc(Rc::new(Callable::Method(this.clone(), catwalk_base::name!("[]")))))
}

/// Whether all entries of one hash are in another; with `fewer`, the other must have more.
fn includes_all(less: &HashObject, more: &HashObject, fewer: bool) -> bool {
    let (less, more) = (less.map.borrow(), more.map.borrow());
    less.iter().all(|(key, value)| more.get(key).is_some_and(|other| compare::equal(value, other)))
        && (!fewer || less.len() < more.len())
}

/// The hash that is the only argument.
fn hash_operand<'a>(rt: &mut Interp<'_>, args: &'a [Rv]) -> Raise<&'a HashObject> {
    match args {
        [Rv::Hash(other)] => Ok(other),
        [other, ..] => rt.type_error(other, "Hash"),
        [] => rt.wrong_argument_count(0, "1"),
    }
}

pub(super) fn is_subset(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    Ok(Rv::bool(includes_all(hash, hash_operand(rt, args)?, false)))
}

pub(super) fn is_proper_subset(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    Ok(Rv::bool(includes_all(hash, hash_operand(rt, args)?, true)))
}

pub(super) fn is_superset(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    Ok(Rv::bool(includes_all(hash_operand(rt, args)?, hash, false)))
}

pub(super) fn is_proper_superset(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    Ok(Rv::bool(includes_all(hash_operand(rt, args)?, hash, true)))
}
