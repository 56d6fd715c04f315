//! Methods of `Enumerable` that depend on the order of items.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::walk::CONTINUE;
use crate::core::walk::walk;
use crate::value::Rv;

pub(crate) fn sort(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let items = rt.items(this)?;
    Ok(Rv::array(rt.sort_items(items, block)?))
}

/// The items, each with its key from the block.
fn items_with_keys(rt: &mut Interp<'_>, this: &Rv, block: Blk<'_>) -> Raise<Vec<(Rv, Rv)>> {
    let mut found = Vec::new();
    let Some(block) = block else { return Ok(found) };
    walk(rt, this, |rt, item| {
        let key = item.yield_as_one(rt, block)?;
        if found.len() == found.capacity() {
            rt.check_size(found.len().max(4) * 64)?;
        }
        found.push((key, item.value()));
        Ok(CONTINUE)
    })?;
    Ok(found)
}

pub(crate) fn sort_by(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let keyed = items_with_keys(rt, this, block)?;
    Ok(Rv::array(rt.sort_by_key(keyed)?.into_iter().map(|(_, item)| item).collect()))
}

/// The argument that is the number of smallest or largest items.
fn count_argument(rt: &mut Interp<'_>, count: &Rv) -> Raise<usize> {
    let n = rt.expect_int(count)?;
    match usize::try_from(n) {
        Ok(n) => Ok(n),
        Err(_) => rt.raise("ArgumentError", format!("negative size ({n})")),
    }
}

/// The items with the smallest or largest keys.
fn extreme_by(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>, largest: bool) -> Raise<Rv> {
    let count = match args.first() {
        None | Some(Rv::Nil) => None,
        Some(count) => Some(count_argument(rt, count)?),
    };
    let keyed = items_with_keys(rt, this, block)?;
    if let Some(count) = count {
        let mut sorted = rt.sort_by_key(keyed)?;
        if largest {
            sorted.reverse();
        }
        return Ok(Rv::array(sorted.into_iter().take(count).map(|(_, item)| item).collect()));
    }
    let mut best: Option<(Rv, Rv)> = None;
    for (key, item) in keyed {
        let better = match &best {
            None => true,
            Some((best, _)) => {
                let order = rt.compare(&key, best)?;
                if largest { order.is_gt() } else { order.is_lt() }
            }
        };
        if better {
            best = Some((key, item));
        }
    }
    Ok(best.map_or(Rv::Nil, |(_, item)| item))
}

pub(crate) fn min_by(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    extreme_by(rt, this, args, block, false)
}

pub(crate) fn max_by(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    extreme_by(rt, this, args, block, true)
}

pub(crate) fn minmax_by(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let keyed = items_with_keys(rt, this, block)?;
    let (mut low, mut high): (Option<&(Rv, Rv)>, Option<&(Rv, Rv)>) = (None, None);
    for entry in &keyed {
        match low {
            Some(best) if !rt.compare(&entry.0, &best.0)?.is_lt() => {}
            _ => low = Some(entry),
        }
        match high {
            Some(best) if !rt.compare(&entry.0, &best.0)?.is_gt() => {}
            _ => high = Some(entry),
        }
    }
    let item = |entry: Option<&(Rv, Rv)>| entry.map_or(Rv::Nil, |(_, item)| item.clone());
    Ok(Rv::array(vec![item(low), item(high)]))
}

/// The smallest or largest item, by `<=>` or by a block.
fn extreme(rt: &mut Interp<'_>, this: &Rv, block: Blk<'_>, largest: bool) -> Raise<Rv> {
    let mut best: Option<Rv> = None;
    let listed = matches!(this, Rv::Array(_));
    walk(rt, this, |rt, item| {
        let item = item.value();
        let better = match &best {
            None => true,
            Some(best) => {
                let order = match block {
                    // Arrays compare the best item so far with the next one, other collections the next one with the best.
                    None if listed => rt.compare(best, &item)?.reverse(),
                    None => rt.compare(&item, best)?,
                    Some(block) => {
                        let order = rt.yield_values(block, &[item.clone(), best.clone()])?;
                        rt.ordering_from_result(&order, &item, best)?
                    }
                };
                if largest { order.is_gt() } else { order.is_lt() }
            }
        };
        if better {
            best = Some(item);
        }
        Ok(CONTINUE)
    })?;
    Ok(best.unwrap_or(Rv::Nil))
}

/// The smallest or largest `count` items.
fn several(rt: &mut Interp<'_>, this: &Rv, count: &Rv, block: Blk<'_>, largest: bool) -> Raise<Rv> {
    let count = count_argument(rt, count)?;
    let items = rt.items(this)?;
    let mut sorted = rt.sort_items(items, block)?;
    if largest {
        sorted.reverse();
    }
    sorted.truncate(count);
    Ok(Rv::array(sorted))
}

pub(crate) fn min(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match args.first() {
        None | Some(Rv::Nil) => extreme(rt, this, block, false),
        Some(count) => several(rt, this, count, block, false),
    }
}

pub(crate) fn max(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    match args.first() {
        None | Some(Rv::Nil) => extreme(rt, this, block, true),
        Some(count) => several(rt, this, count, block, true),
    }
}

pub(crate) fn minmax(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    // A collection whose items can be iterated only once is iterated once.
    let list = match this {
        Rv::Enumerator(_) | Rv::Object(_) => &Rv::array(rt.items(this)?),
        list => list,
    };
    Ok(Rv::array(vec![extreme(rt, list, block, false)?, extreme(rt, list, block, true)?]))
}
