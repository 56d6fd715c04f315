//! Changes of a hash.

use std::rc::Rc;

use super::derive;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::enumerator::enumerator;
use crate::core::walk::CONTINUE;
use crate::core::walk::walk_entries;
use crate::value::Callable;
use crate::value::HashObject;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Map;
use crate::value::Rv;

/// Sets the value of a key.
///
/// # Errors
/// `RuntimeError` for a new key while the hash is iterated; an error if the hash exceeds the size limit.
pub(crate) fn put(rt: &mut Interp<'_>, hash: &HashObject, key: &Rv, value: Rv) -> Raise<()> {
    let mut map = hash.map.borrow_mut();
    if let Some(slot) = map.get_mut(&Lookup(key)) {
        *slot = value;
        return Ok(());
    }
    if !hash.iterations.borrow().is_empty() {
        return rt.raise("RuntimeError", "can't add a new key into hash during iteration");
    }
    rt.check_growth(map.len() * derive::ENTRY, derive::ENTRY)?;
    map.insert(Key::from_value(key), value);
    Ok(())
}

pub(super) fn store(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [key, value]) = (this, args) else { return Ok(Rv::Nil) };
    put(rt, hash, key, value.clone())?;
    Ok(value.clone())
}

/// `delete(key)`, `delete(key) { |key| result if it is missing }`
pub(super) fn delete(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [key]) = (this, args) else { return Ok(Rv::Nil) };
    match (hash.remove(key), block) {
        (Some(value), _) => Ok(value),
        (None, Some(block)) => rt.yield_value(block, key.clone()),
        (None, None) => Ok(Rv::Nil),
    }
}

/// Keeps the entries for which a block returns `expected`, once it was called for all; returns whether any was removed.
fn retain_entries(rt: &mut Interp<'_>, hash: &Rc<HashObject>, block: &Rc<Callable>, expected: bool) -> Raise<bool> {
    let mut removed = Map::default();
    let walked = walk_entries(rt, hash, |rt, key, value| {
        if rt.yield_values(block, &[key.clone(), value])?.truthy() != expected {
            removed.insert(Key(key), Rv::Nil);
        }
        Ok(CONTINUE)
    });
    if !removed.is_empty() {
        hash.map.borrow_mut().retain(|key, _| !removed.contains_key(key));
    }
    walked.map(|()| !removed.is_empty())
}

pub(super) fn select(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    Ok(if retain_entries(rt, hash, block, true)? { this.clone() } else { Rv::Nil })
}

pub(super) fn reject(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    Ok(if retain_entries(rt, hash, block, false)? { this.clone() } else { Rv::Nil })
}

pub(super) fn keep_if(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    select(rt, this, args, block)?;
    Ok(this.clone())
}

pub(super) fn delete_if(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    reject(rt, this, args, block)?;
    Ok(this.clone())
}

pub(super) fn merge(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    for other in args {
        let Rv::Hash(other) = other else { return rt.type_error(other, "Hash") };
        if Rc::ptr_eq(hash, other) && block.is_none() {
            continue;
        }
        walk_entries(rt, other, |rt, key, value| {
            let old = hash.get(&key);
            let value = match (old, block) {
                (Some(old), Some(block)) => rt.yield_values(block, &[key.clone(), old, value])?,
                _ => value,
            };
            put(rt, hash, &key, value)?;
            Ok(CONTINUE)
        })?;
    }
    Ok(this.clone())
}

pub(super) fn replace(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [other]) = (this, args) else { return Ok(Rv::Nil) };
    let Rv::Hash(other) = other else { return rt.type_error(other, "Hash") };
    let map = other.map.borrow().clone();
    *hash.map.borrow_mut() = map;
    let (default, default_proc) = (other.default.borrow().clone(), other.default_proc.borrow().clone());
    *hash.default.borrow_mut() = default;
    *hash.default_proc.borrow_mut() = default_proc;
    Ok(this.clone())
}

/// Replaces the entries by those of a hash derived from this one.
fn become_entries(this: &Rv, new: &Rv) {
    if let (Rv::Hash(hash), Rv::Hash(new)) = (this, new) {
        let map = std::mem::take(&mut *new.map.borrow_mut());
        *hash.map.borrow_mut() = map;
    }
}

pub(super) fn compact(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    let size = hash.map.borrow().len();
    hash.map.borrow_mut().retain(|_, value| !value.is_nil());
    Ok(if hash.map.borrow().len() == size { Rv::Nil } else { this.clone() })
}

pub(super) fn transform_values(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    walk_entries(rt, hash, |rt, key, value| {
        let new = rt.yield_value(block, value)?;
        if let Some(slot) = hash.map.borrow_mut().get_mut(&Lookup(&key)) {
            *slot = new;
        }
        Ok(CONTINUE)
    })?;
    Ok(this.clone())
}

pub(super) fn transform_keys(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if args.is_empty() && block.is_none() {
        return Ok(enumerator(this, "transform_keys!", args));
    }
    let new = derive::transform_keys(rt, this, args, block)?;
    become_entries(this, &new);
    Ok(this.clone())
}

pub(super) fn clear(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    hash.map.borrow_mut().clear();
    Ok(this.clone())
}

/// Removes the first entry; for an empty hash the result is the default value.
pub(super) fn shift(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    match hash.remove_at(0) {
        Some((Key(key), value)) => Ok(Rv::array(vec![key, value])),
        None => super::read::default_value(rt, hash, &Rv::Nil),
    }
}

/// Puts every entry at the position of its current key.
pub(super) fn rehash(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Hash(hash) = this else { return Ok(Rv::Nil) };
    if !hash.iterations.borrow().is_empty() {
        return rt.raise("RuntimeError", "rehash during iteration");
    }
    let map: Map = std::mem::take(&mut *hash.map.borrow_mut()).into_iter().collect();
    *hash.map.borrow_mut() = map;
    Ok(this.clone())
}

pub(super) fn set_default(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [value]) = (this, args) else { return Ok(Rv::Nil) };
    *hash.default.borrow_mut() = value.clone();
    *hash.default_proc.borrow_mut() = None;
    Ok(value.clone())
}

pub(super) fn set_default_proc(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Hash(hash), [value]) = (this, args) else { return Ok(Rv::Nil) };
    let default_proc = match value {
        Rv::Nil => None,
        Rv::Proc(default_proc) => Some(default_proc.clone()),
        other => {
            let class = rt.class_name(other);
            return rt.raise("TypeError", format!("wrong default_proc type {class} (expected Proc)"));
        }
    };
    *hash.default.borrow_mut() = Rv::Nil;
    *hash.default_proc.borrow_mut() = default_proc;
    Ok(value.clone())
}
