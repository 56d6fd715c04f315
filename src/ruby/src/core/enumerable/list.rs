//! Methods of `Enumerable` that return arrays, and those that only iterate.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::walk::CONTINUE;
use crate::core::walk::Item;
use crate::core::walk::push_item;
use crate::core::walk::walk;
use crate::value::Callable;
use crate::value::Rv;

pub(crate) fn to_a(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::array(rt.items(this)?))
}

pub(crate) fn map(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut found = match this {
        Rv::Array(items) => Vec::with_capacity(items.borrow().len()),
        _ => Vec::new(),
    };
    walk(rt, this, |rt, item| {
        let value = item.yield_to(rt, block)?;
        push_item(rt, &mut found, value)?;
        Ok(CONTINUE)
    })?;
    Ok(Rv::array(found))
}

pub(crate) fn flat_map(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut found = Vec::new();
    walk(rt, this, |rt, item| {
        match item.yield_to(rt, block)? {
            Rv::Array(items) => {
                rt.check_growth(found.len() * 32, items.borrow().len() * 32)?;
                found.extend(items.borrow().iter().cloned());
            }
            other => push_item(rt, &mut found, other)?,
        }
        Ok(CONTINUE)
    })?;
    Ok(Rv::array(found))
}

pub(crate) fn filter_map(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut found = Vec::new();
    walk(rt, this, |rt, item| {
        let value = item.yield_to(rt, block)?;
        if value.truthy() {
            push_item(rt, &mut found, value)?;
        }
        Ok(CONTINUE)
    })?;
    Ok(Rv::array(found))
}

/// The items for which the block returns `expected`.
fn filter_items(
    rt: &mut Interp<'_>,
    this: &Rv,
    expected: bool,
    mut holds: impl FnMut(&mut Interp<'_>, &Item) -> Raise<bool>,
) -> Raise<Vec<Rv>> {
    let mut found = Vec::new();
    walk(rt, this, |rt, item| {
        if holds(rt, &item)? == expected {
            push_item(rt, &mut found, item.value())?;
        }
        Ok(CONTINUE)
    })?;
    Ok(found)
}

pub(crate) fn select(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    Ok(Rv::array(filter_items(rt, this, true, |rt, item| Ok(item.yield_as_one(rt, block)?.truthy()))?))
}

pub(crate) fn reject(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    Ok(Rv::array(filter_items(rt, this, false, |rt, item| Ok(item.yield_as_one(rt, block)?.truthy()))?))
}

pub(crate) fn compact(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::array(filter_items(rt, this, false, |_, item| Ok(matches!(item, Item::One(Rv::Nil))))?))
}

/// The items that match a pattern, or do not; a block maps them.
fn grep_items(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>, expected: bool) -> Raise<Rv> {
    let [pattern] = args else { return Ok(Rv::Nil) };
    let mut found = Vec::new();
    walk(rt, this, |rt, item| {
        let item = item.value();
        if rt.case_equal(pattern, &item)? == expected {
            let value = match block {
                Some(block) => rt.yield_value(block, item)?,
                None => item,
            };
            push_item(rt, &mut found, value)?;
        }
        Ok(CONTINUE)
    })?;
    Ok(Rv::array(found))
}

pub(crate) fn grep(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    grep_items(rt, this, args, block, true)
}

pub(crate) fn grep_v(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    grep_items(rt, this, args, block, false)
}

pub(crate) fn drop(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [count] = args else { return Ok(Rv::Nil) };
    let Ok(count) = usize::try_from(rt.expect_int(count)?) else {
        return rt.raise("ArgumentError", "attempt to drop negative size");
    };
    let mut at = 0;
    let rest = filter_items(rt, this, true, |_, _| {
        at += 1;
        Ok(at > count)
    })?;
    Ok(Rv::array(rest))
}

pub(crate) fn drop_while(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut dropping = true;
    let rest = filter_items(rt, this, true, |rt, item| {
        dropping = dropping && item.yield_as_one(rt, block)?.truthy();
        Ok(!dropping)
    })?;
    Ok(Rv::array(rest))
}

pub(crate) fn each_entry(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    walk(rt, this, |rt, item| item.yield_as_one(rt, block).map(|_| CONTINUE))?;
    Ok(this.clone())
}

pub(crate) fn each_with_index(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut at = 0;
    walk(rt, this, |rt, item| {
        at += 1;
        rt.yield_values(block, &[item.value(), Rv::int(at - 1)]).map(|_| CONTINUE)
    })?;
    Ok(this.clone())
}

pub(crate) fn reverse_each(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    for item in rt.items(this)?.into_iter().rev() {
        rt.yield_value(block, item)?;
    }
    Ok(this.clone())
}

/// `cycle`, `cycle(count)`
pub(crate) fn cycle(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut left = match args.first() {
        None | Some(Rv::Nil) => i64::MAX,
        Some(count) => rt.expect_int(count)?,
    };
    let items = rt.items(this)?;
    while left > 0 && !items.is_empty() {
        for item in &items {
            rt.yield_value(block, item.clone())?;
        }
        left -= 1;
    }
    Ok(Rv::Nil)
}

/// Rows of an item and those of other lists at its index; a block receives them instead.
pub(crate) fn zip(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut lists = Vec::with_capacity(args.len());
    for arg in args {
        if !matches!(arg, Rv::Array(_) | Rv::Hash(_) | Rv::Range(_) | Rv::Set(_) | Rv::Enumerator(_) | Rv::Object(_)) {
            let class = rt.class_name(arg);
            return rt.raise("TypeError", format!("wrong argument type {class} (must respond to :each)"));
        }
        lists.push(match arg {
            Rv::Array(_) => rt.items(arg)?,
            // A range may be infinite: no more of its items are used than the receiver has.
            Rv::Range(_) => {
                let count = rt.items(this)?.len();
                let taken = super::find::take(rt, arg, &[Rv::int(count)], None)?;
                rt.items(&taken)?
            }
            other => rt.to_list(other)?,
        });
    }
    let (mut at, mut rows) = (0, Vec::new());
    walk(rt, this, |rt, item| {
        let mut row = Vec::with_capacity(lists.len() + 1);
        row.push(item.value());
        row.extend(lists.iter().map(|list| list.get(at).cloned().unwrap_or(Rv::Nil)));
        at += 1;
        match block {
            Some(block) => rt.yield_value(block, Rv::array(row)).map(|_| ()),
            None => push_item(rt, &mut rows, Rv::array(row)),
        }?;
        Ok(CONTINUE)
    })?;
    Ok(if block.is_some() { Rv::Nil } else { Rv::array(rows) })
}

/// `Enumerator::Lazy`, which is written in Ruby.
pub(crate) fn lazy(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let class = rt.constant_path(None, "Enumerator::Lazy")?;
    rt.call_method(&class, "new", std::slice::from_ref(this), None)
}

/// `Enumerator::Chain`, which is written in Ruby.
pub(crate) fn chain(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let class = rt.constant_path(None, "Enumerator::Chain")?;
    let parts: Vec<Rv> = std::iter::once(this).chain(args).cloned().collect();
    rt.call_method(&class, "new", &parts, None)
}

/// The block; an error if there is none.
pub(crate) fn no_block<'b>(rt: &mut Interp<'_>, block: Blk<'b>) -> Raise<&'b Rc<Callable>> {
    match block {
        Some(block) => Ok(block),
        None => rt.raise("ArgumentError", "tried to create Proc object without a block"),
    }
}
