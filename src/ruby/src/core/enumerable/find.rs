//! Methods of `Enumerable` that find items or test all of them.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::enumerator::enumerator;
use crate::core::walk::CONTINUE;
use crate::core::walk::Item;
use crate::core::walk::STOP;
use crate::core::walk::push_item;
use crate::core::walk::walk;
use crate::value::Rv;

/// Whether an item matches: by the pattern, else by the block, else by its own truth.
fn matches_test(rt: &mut Interp<'_>, item: Item, args: &[Rv], block: Blk<'_>) -> Raise<bool> {
    match (args.first(), block) {
        (Some(pattern), _) => rt.case_equal(pattern, &item.value()),
        (None, Some(block)) => Ok(item.yield_to(rt, block)?.truthy()),
        (None, None) => Ok(match item {
            Item::One(value) => value.truthy(),
            Item::Pair(..) | Item::Two(..) => true,
        }),
    }
}

/// Whether an item exists for which the test returns `expected`.
fn any_item(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>, expected: bool) -> Raise<bool> {
    let mut found = false;
    walk(rt, this, |rt, item| {
        found = matches_test(rt, item, args, block)? == expected;
        Ok(if found { STOP } else { CONTINUE })
    })?;
    Ok(found)
}

pub(crate) fn any(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(any_item(rt, this, args, block, true)?))
}

pub(crate) fn all(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!any_item(rt, this, args, block, false)?))
}

pub(crate) fn none(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!any_item(rt, this, args, block, true)?))
}

pub(crate) fn one(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut count = 0;
    walk(rt, this, |rt, item| {
        count += usize::from(matches_test(rt, item, args, block)?);
        Ok(if count > 1 { STOP } else { CONTINUE })
    })?;
    Ok(Rv::bool(count == 1))
}

/// `count`, `count(value)`, `count { |item| … }`
pub(crate) fn count(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut count = 0;
    walk(rt, this, |rt, item| {
        count += usize::from(match (args.first(), block) {
            (Some(value), _) => rt.equals(&item.value(), value)?,
            (None, Some(block)) => item.yield_to(rt, block)?.truthy(),
            (None, None) => true,
        });
        Ok(CONTINUE)
    })?;
    Ok(Rv::int(count))
}

pub(crate) fn include(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [value] = args else { return Ok(Rv::Nil) };
    let mut found = false;
    walk(rt, this, |rt, item| {
        found = rt.equals(&item.value(), value)?;
        Ok(if found { STOP } else { CONTINUE })
    })?;
    Ok(Rv::bool(found))
}

/// `find { |item| … }`; without a matching item, the argument (`find(ifnone)`) is called.
pub(crate) fn find(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut found = None;
    walk(rt, this, |rt, item| {
        if item.yield_as_one(rt, block)?.truthy() {
            found = Some(item.value());
            return Ok(STOP);
        }
        Ok(CONTINUE)
    })?;
    match (found, args.first()) {
        (Some(item), _) => Ok(item),
        (None, None | Some(Rv::Nil)) => Ok(Rv::Nil),
        (None, Some(absent)) => rt.call_method(absent, "call", &[], None),
    }
}

pub(crate) fn find_index(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if args.is_empty() && block.is_none() {
        return Ok(enumerator(this, "find_index", args));
    }
    let (mut at, mut found) = (0, Rv::Nil);
    walk(rt, this, |rt, item| {
        let fits = match (args.first(), block) {
            (Some(value), _) => rt.equals(&item.value(), value)?,
            (None, Some(block)) => item.yield_to(rt, block)?.truthy(),
            (None, None) => false,
        };
        if fits {
            found = Rv::int(at);
            return Ok(STOP);
        }
        at += 1;
        Ok(CONTINUE)
    })?;
    Ok(found)
}

/// `first`, `first(count)`
pub(crate) fn first(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    if !args.is_empty() {
        return take(rt, this, args, block);
    }
    let mut found = Rv::Nil;
    walk(rt, this, |_, item| {
        found = item.value();
        Ok(STOP)
    })?;
    Ok(found)
}

pub(crate) fn take(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let [count] = args else { return Ok(Rv::Nil) };
    let Ok(count) = usize::try_from(rt.expect_int(count)?) else {
        return rt.raise("ArgumentError", "attempt to take negative size");
    };
    let mut found = Vec::new();
    if count > 0 {
        walk(rt, this, |rt, item| {
            push_item(rt, &mut found, item.value())?;
            Ok(if found.len() < count { CONTINUE } else { STOP })
        })?;
    }
    Ok(Rv::array(found))
}

pub(crate) fn take_while(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    let mut found = Vec::new();
    walk(rt, this, |rt, item| {
        if !item.yield_to(rt, block)?.truthy() {
            return Ok(STOP);
        }
        push_item(rt, &mut found, item.value())?;
        Ok(CONTINUE)
    })?;
    Ok(Rv::array(found))
}
