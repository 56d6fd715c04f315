//! Methods of `Enumerable` that put items into groups, slices, hashes and sets.

use super::list::no_block;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::enumerator::enumerator;
use crate::core::walk::CONTINUE;
use crate::core::walk::Item;
use crate::core::walk::push_item;
use crate::core::walk::walk;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Map;
use crate::value::Rv;

pub(crate) fn group_by(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut map = Map::default();
    walk(rt, this, |rt, item| {
        let key = item.yield_as_one(rt, block)?;
        let item = item.value();
        match map.get(&Lookup(&key)) {
            Some(Rv::Array(group)) => push_item(rt, &mut group.borrow_mut(), item)?,
            _ => {
                rt.check_size(64)?;
                map.insert(Key::from_value(&key), Rv::array(vec![item]));
            }
        }
        Ok(CONTINUE)
    })?;
    Ok(Rv::hash(map))
}

pub(crate) fn partition(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    walk(rt, this, |rt, item| {
        let list = if item.yield_as_one(rt, block)?.truthy() { &mut yes } else { &mut no };
        push_item(rt, list, item.value())?;
        Ok(CONTINUE)
    })?;
    Ok(Rv::array(vec![Rv::array(yes), Rv::array(no)]))
}

/// The number of occurrences of each item; with a hash, added to its numbers.
pub(crate) fn tally(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let mut map = match args.first() {
        None => Map::default(),
        Some(Rv::Hash(counts)) => counts.map.borrow().clone(),
        Some(other) => return rt.type_error(other, "Hash"),
    };
    walk(rt, this, |rt, item| {
        let item = item.value();
        match map.get_mut(&Lookup(&item)) {
            Some(Rv::Int(count)) => *count += 1,
            Some(other) => {
                let class = rt.class_name(&other.clone());
                return rt.raise("TypeError", format!("wrong argument type {class} (expected Integer)"));
            }
            None => {
                rt.check_size(64)?;
                map.insert(Key::from_value(&item), Rv::Int(1));
            }
        }
        Ok(CONTINUE)
    })?;
    match args.first() {
        Some(hash @ Rv::Hash(counts)) => {
            if rt.is_frozen(hash) {
                return rt.frozen_error(hash);
            }
            *counts.map.borrow_mut() = map;
            rt.mark_changed(hash);
            Ok(hash.clone())
        }
        _ => Ok(Rv::hash(map)),
    }
}

pub(crate) fn uniq(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut seen = Map::default();
    let mut found = Vec::new();
    walk(rt, this, |rt, item| {
        let key = match block {
            Some(block) => Some(item.yield_to(rt, block)?),
            None => None,
        };
        let item = item.value();
        // The key is only compared here, so a string need not be copied for it.
        if seen.insert(Key(key.unwrap_or_else(|| item.clone())), Rv::Nil).is_none() {
            push_item(rt, &mut found, item)?;
        }
        Ok(CONTINUE)
    })?;
    Ok(Rv::array(found))
}

pub(crate) fn to_set(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut map = Map::default();
    walk(rt, this, |rt, item| {
        let item = match block {
            Some(block) => item.yield_to(rt, block)?,
            None => item.value(),
        };
        rt.check_size(64)?;
        map.insert(Key::from_value(&item), Rv::True);
        Ok(CONTINUE)
    })?;
    Ok(Rv::Set(crate::value::share(map)))
}

/// `to_h`, `to_h { |item| [key, value] }`
pub(crate) fn to_h(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut map = Map::default();
    // Only for arrays does the message contain the index of the wrong element.
    let listed = matches!(this, Rv::Array(_));
    let mut at = 0;
    walk(rt, this, |rt, item| {
        let item = match block {
            Some(block) => Item::One(item.yield_to(rt, block)?),
            None => item,
        };
        rt.check_size(64)?;
        match item {
            Item::Pair(key, value) | Item::Two(key, value) => map.insert(Key::from_value(&key), value),
            Item::One(item) => {
                let (key, value) = pair(rt, &item, listed.then_some(at))?;
                map.insert(Key::from_value(&key), value)
            }
        };
        at += 1;
        Ok(CONTINUE)
    })?;
    Ok(Rv::hash(map))
}

/// Key and value of an entry that is an array; for a list with its index in the message.
fn pair(rt: &mut Interp<'_>, item: &Rv, at: Option<usize>) -> Raise<(Rv, Rv)> {
    let Rv::Array(list) = item.inner_value() else {
        let class = rt.class_name(item);
        let position = at.map_or(String::new(), |at| format!(" at {at}"));
        return rt.raise("TypeError", format!("wrong element type {class}{position} (expected array)"));
    };
    let list = list.borrow();
    if let [key, value] = list.as_slice() {
        return Ok((key.clone(), value.clone()));
    }
    let n = list.len();
    let string = match at {
        Some(at) => format!("wrong array length at {at} (expected 2, was {n})"),
        None => format!("element has wrong array length (expected 2, was {n})"),
    };
    rt.raise("ArgumentError", string)
}

/// The size of slices from an argument.
fn piece_size(rt: &mut Interp<'_>, args: &[Rv], words: &str) -> Raise<usize> {
    let size = match args.first() {
        Some(size) => usize::try_from(rt.expect_int(size)?).unwrap_or(0),
        None => 0,
    };
    if size == 0 { rt.raise("ArgumentError", words) } else { Ok(size) }
}

pub(crate) fn each_slice(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let size = piece_size(rt, args, "invalid slice size")?;
    let mut piece = Vec::new();
    walk(rt, this, |rt, item| {
        push_item(rt, &mut piece, item.value())?;
        if piece.len() == size {
            rt.yield_value(block, Rv::array(std::mem::take(&mut piece)))?;
        }
        Ok(CONTINUE)
    })?;
    if !piece.is_empty() {
        rt.yield_value(block, Rv::array(piece))?;
    }
    // Since Ruby 3.1 it returns the receiver.
    Ok(this.clone())
}

pub(crate) fn each_cons(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let size = piece_size(rt, args, "invalid size")?;
    let mut last = Vec::new();
    walk(rt, this, |rt, item| {
        if last.len() == size {
            last.remove(0);
        }
        push_item(rt, &mut last, item.value())?;
        if last.len() == size {
            rt.check_size(size.saturating_mul(32))?;
            rt.yield_value(block, Rv::array(last.clone()))?;
        }
        Ok(CONTINUE)
    })?;
    Ok(this.clone())
}

/// Splits the items into slices: an item begins a new slice if `cuts` is true for the previous item and the item. Ruby returns
/// an enumerator.
fn pieces(rt: &mut Interp<'_>, this: &Rv, mut cuts: impl FnMut(&mut Interp<'_>, &Rv, &Rv) -> Raise<bool>) -> Raise<Rv> {
    let mut pieces: Vec<Rv> = Vec::new();
    let mut piece: Vec<Rv> = Vec::new();
    walk(rt, this, |rt, item| {
        let item = item.value();
        if let Some(last) = piece.last()
            && cuts(rt, last, &item)?
        {
            push_item(rt, &mut pieces, Rv::array(std::mem::take(&mut piece)))?;
        }
        push_item(rt, &mut piece, item)?;
        Ok(CONTINUE)
    })?;
    if !piece.is_empty() {
        pieces.push(Rv::array(piece));
    }
    Ok(enumerator(&Rv::array(pieces), "each", &[]))
}

pub(crate) fn slice_when(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let block = no_block(rt, block)?;
    pieces(rt, this, |rt, last, item| Ok(rt.yield_values(block, &[last.clone(), item.clone()])?.truthy()))
}

pub(crate) fn chunk_while(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let block = no_block(rt, block)?;
    pieces(rt, this, |rt, last, item| Ok(!rt.yield_values(block, &[last.clone(), item.clone()])?.truthy()))
}

/// Whether an item begins or ends a slice: by the pattern, or by the block.
fn marks(rt: &mut Interp<'_>, item: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<bool> {
    match (args.first(), block) {
        (Some(pattern), _) => rt.case_equal(pattern, item),
        (None, Some(block)) => Ok(rt.yield_value(block, item.clone())?.truthy()),
        (None, None) => rt.raise("ArgumentError", "wrong number of arguments (given 0, expected 1)"),
    }
}

pub(crate) fn slice_before(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    pieces(rt, this, |rt, _, item| marks(rt, item, args, block))
}

pub(crate) fn slice_after(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    pieces(rt, this, |rt, last, _| marks(rt, last, args, block))
}

/// Runs of items for which the block returns equal values, with these values. For `nil` and `:_separator` items are dropped, for
/// `:_alone` each is a run by itself.
pub(crate) fn chunk(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut chunks: Vec<(Rv, Vec<Rv>)> = Vec::new();
    let mut open = false;
    walk(rt, this, |rt, item| {
        let key = item.yield_as_one(rt, block)?;
        let (apart, alone) = match &key {
            Rv::Nil => (true, false),
            Rv::Sym(name) => (&**name == "_separator", &**name == "_alone"),
            _ => (false, false),
        };
        if apart {
            open = false;
            return Ok(CONTINUE);
        }
        match chunks.last_mut() {
            Some((last, items)) if open && !alone && crate::core::compare::equal(last, &key) => {
                push_item(rt, items, item.value())?;
            }
            _ => {
                rt.check_size(128)?;
                chunks.push((key, vec![item.value()]));
            }
        }
        open = !alone;
        Ok(CONTINUE)
    })?;
    let chunks = chunks.into_iter().map(|(key, items)| Rv::array(vec![key, Rv::array(items)])).collect();
    Ok(enumerator(&Rv::array(chunks), "each", &[]))
}
