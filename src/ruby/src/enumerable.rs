//! `Enumerable`: for arrays, hashes, ranges, sets and enumerators alike.
//!
//! In: a value that has items, a method and its block. Out: what the method gives. Must not: know how enumerators find what they
//! give ([`super::enumerator`]).

use std::cell::RefCell;
use std::rc::Rc;

use super::Blk;
use super::Interp;
use super::Raise;
use super::compare;
use super::enumerator::enumerator;
use super::value::Callable;
use super::value::Key;
use super::value::Lookup;
use super::value::Map;
use super::value::Rv;

/// Methods that give an enumerator when there is no block.
const BLOCKLESS: &[&str] = &[
    "each",
    "map",
    "collect",
    "select",
    "filter",
    "reject",
    "each_with_index",
    "each_slice",
    "each_cons",
    "flat_map",
    "collect_concat",
    "group_by",
    "partition",
    "sort_by",
    "min_by",
    "max_by",
    "find_index",
    "each_entry",
    "reverse_each",
    "filter_map",
    "find",
    "detect",
    "each_with_object",
    "take_while",
    "drop_while",
    "each_index",
    "find_all",
    "cycle",
];

impl Interp<'_, '_> {
    /// The items of anything that can be walked.
    pub(crate) fn items(&mut self, value: &Rv) -> Raise<Vec<Rv>> {
        match value {
            Rv::Array(items) => Ok(items.borrow().clone()),
            Rv::Hash(hash) => {
                let pairs = hash.map.borrow();
                Ok(pairs.iter().map(|(Key(key), value)| Rv::array(vec![key.clone(), value.clone()])).collect())
            }
            Rv::Set(set) => Ok(set.borrow().keys().map(|Key(key)| key.clone()).collect()),
            Rv::Range(range) => super::range::items(self, range),
            Rv::Enumerator(e) => self.collected(e),
            other => {
                let shown = self.inspect(other)?;
                let class = self.class_name(other);
                self.raise("NoMethodError", format!("undefined method `each' for {shown}:{class}"))
            }
        }
    }
}

/// Whether a method without a block gives an enumerator.
pub(crate) fn gives_enumerator(name: &str, args: &[Rv]) -> bool {
    BLOCKLESS.contains(&name) && (name != "find_index" || args.is_empty())
}

/// Methods of `Enumerable`.
pub(crate) fn call(rt: &mut Interp<'_, '_>, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if let Some(value) = super::enumerator::streamed(rt, this, name, args, block)? {
        return Ok(Some(value));
    }
    if block.is_none() && gives_enumerator(name, args) {
        return Ok(Some(enumerator(this, name, args)));
    }
    if let Some(block) = block
        && let Some(value) = with_block(rt, this, name, args, block)?
    {
        return Ok(Some(value));
    }
    if let Some(value) = whole(rt, this, name, args, block)? {
        return Ok(Some(value));
    }
    folded(rt, this, name, args, block)
}

/// Methods that need a block.
fn with_block(rt: &mut Interp<'_, '_>, this: &Rv, name: &str, args: &[Rv], block: &Rc<Callable>) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "each" | "each_entry" => {
            each(rt, this, block)?;
            this.clone()
        }
        "map" | "collect" => {
            let items = rt.items(this)?;
            let mut found = Vec::with_capacity(items.len());
            for item in items {
                found.push(rt.yield_value(block, item)?);
            }
            Rv::array(found)
        }
        "flat_map" | "collect_concat" => {
            let mut found = Vec::new();
            for item in rt.items(this)? {
                match rt.yield_value(block, item)? {
                    Rv::Array(items) => found.extend(items.borrow().iter().cloned()),
                    other => found.push(other),
                }
            }
            Rv::array(found)
        }
        "filter_map" => {
            let mut found = Vec::new();
            for item in rt.items(this)? {
                let value = rt.yield_value(block, item)?;
                if value.truthy() {
                    found.push(value);
                }
            }
            Rv::array(found)
        }
        "select" | "filter" | "find_all" | "reject" => {
            let wanted = name != "reject";
            let mut found = Vec::new();
            for item in rt.items(this)? {
                if rt.yield_value(block, item.clone())?.truthy() == wanted {
                    found.push(item);
                }
            }
            Rv::array(found)
        }
        "find" | "detect" => {
            for item in rt.items(this)? {
                if rt.yield_value(block, item.clone())?.truthy() {
                    return Ok(Some(item));
                }
            }
            Rv::Nil
        }
        "find_index" | "index" => {
            for (at, item) in rt.items(this)?.into_iter().enumerate() {
                if rt.yield_value(block, item)?.truthy() {
                    return Ok(Some(Rv::int(at)));
                }
            }
            Rv::Nil
        }
        "each_with_index" => {
            for (at, item) in rt.items(this)?.into_iter().enumerate() {
                rt.yield_values(block, &[item, Rv::int(at)])?;
            }
            this.clone()
        }
        "each_with_object" => {
            let memo = args.first().cloned().unwrap_or(Rv::Nil);
            for item in rt.items(this)? {
                rt.yield_values(block, &[item, memo.clone()])?;
            }
            memo
        }
        "reverse_each" => {
            for item in rt.items(this)?.into_iter().rev() {
                rt.yield_value(block, item)?;
            }
            this.clone()
        }
        "each_slice" | "each_cons" => {
            for piece in slices(rt, this, name, args)? {
                rt.yield_value(block, piece)?;
            }
            this.clone()
        }
        "group_by" => {
            let mut map = Map::default();
            for item in rt.items(this)? {
                let key = rt.yield_value(block, item.clone())?;
                if let Rv::Array(items) = map.entry(Key::of(&key)).or_insert_with(|| Rv::array(Vec::new())) {
                    items.borrow_mut().push(item);
                }
            }
            Rv::hash(map)
        }
        "partition" => {
            let (mut yes, mut no) = (Vec::new(), Vec::new());
            for item in rt.items(this)? {
                let list = if rt.yield_value(block, item.clone())?.truthy() { &mut yes } else { &mut no };
                list.push(item);
            }
            Rv::array(vec![Rv::array(yes), Rv::array(no)])
        }
        "take_while" | "drop_while" => {
            let items = rt.items(this)?;
            let mut count = 0;
            for item in &items {
                if !rt.yield_value(block, item.clone())?.truthy() {
                    break;
                }
                count += 1;
            }
            let kept = if name == "take_while" { items.get(..count) } else { items.get(count..) };
            Rv::array(kept.unwrap_or_default().to_vec())
        }
        "sort_by" | "min_by" | "max_by" => {
            let mut keyed = Vec::new();
            for item in rt.items(this)? {
                let key = rt.yield_value(block, item.clone())?;
                keyed.push(Rv::array(vec![key, item]));
            }
            let by_key = Rc::new(Callable::Native(Box::new(|rt: &mut Interp<'_, '_>, args: &[Rv]| {
                let key = |value: Option<&Rv>| match value {
                    Some(Rv::Array(pair)) => pair.borrow().first().cloned().unwrap_or(Rv::Nil),
                    _ => Rv::Nil,
                };
                let (a, b) = (key(args.first()), key(args.get(1)));
                rt.compare(&a, &b).map(|order| Rv::Int(order as i128))
            })));
            let item = |pair: &Rv| match pair {
                Rv::Array(pair) => pair.borrow().get(1).cloned().unwrap_or(Rv::Nil),
                _ => Rv::Nil,
            };
            if name == "sort_by" {
                rt.sort(&mut keyed, Some(&by_key))?;
                Rv::array(keyed.iter().map(item).collect())
            } else if let Some(n) = args.first() {
                let n = rt.expect_int(n)?;
                let Ok(n) = usize::try_from(n) else {
                    return rt.raise("ArgumentError", format!("negative size ({n})"));
                };
                rt.sort(&mut keyed, Some(&by_key))?;
                if name == "max_by" {
                    keyed.reverse();
                }
                Rv::array(keyed.iter().take(n).map(item).collect())
            } else {
                extreme(rt, this, keyed, name == "max_by", Some(&by_key))?.map_or(Rv::Nil, |pair| item(&pair))
            }
        }
        "each_index" => {
            for at in 0..rt.items(this)?.len() {
                rt.yield_value(block, Rv::int(at))?;
            }
            this.clone()
        }
        "cycle" => {
            let items = rt.items(this)?;
            let mut left = match args.first() {
                None | Some(Rv::Nil) => i128::MAX,
                Some(count) => rt.expect_int(count)?,
            };
            while left > 0 && !items.is_empty() {
                for item in &items {
                    rt.yield_value(block, item.clone())?;
                }
                left -= 1;
            }
            Rv::Nil
        }
        "slice_when" | "chunk_while" => {
            let mut pieces: Vec<Rv> = Vec::new();
            let mut piece: Vec<Rv> = Vec::new();
            for item in rt.items(this)? {
                if let Some(last) = piece.last().cloned() {
                    let holds = rt.yield_values(block, &[last, item.clone()])?.truthy();
                    if holds == (name == "slice_when") {
                        pieces.push(Rv::array(std::mem::take(&mut piece)));
                    }
                }
                piece.push(item);
            }
            if !piece.is_empty() {
                pieces.push(Rv::array(piece));
            }
            Rv::array(pieces)
        }
        _ => return Ok(None),
    }))
}

/// Walks an array by index, so that a block may change it meanwhile.
fn each(rt: &mut Interp<'_, '_>, this: &Rv, block: &Rc<Callable>) -> Raise<()> {
    if let Rv::Array(items) = this {
        let mut at = 0;
        loop {
            let Some(item) = items.borrow().get(at).cloned() else { return Ok(()) };
            rt.yield_value(block, item)?;
            at += 1;
        }
    }
    for item in rt.items(this)? {
        rt.yield_value(block, item)?;
    }
    Ok(())
}

fn slices(rt: &mut Interp<'_, '_>, this: &Rv, name: &str, args: &[Rv]) -> Raise<Vec<Rv>> {
    let size = match args.first() {
        Some(size) => usize::try_from(rt.expect_int(size)?).unwrap_or(0),
        None => 0,
    };
    if size == 0 {
        return rt.raise("ArgumentError", if name == "each_slice" { "invalid slice size" } else { "invalid size" });
    }
    let items = rt.items(this)?;
    Ok(if name == "each_slice" {
        items.chunks(size).map(|piece| Rv::array(piece.to_vec())).collect()
    } else {
        items.windows(size).map(|piece| Rv::array(piece.to_vec())).collect()
    })
}

fn extreme(rt: &mut Interp<'_, '_>, this: &Rv, items: Vec<Rv>, largest: bool, block: Blk<'_>) -> Raise<Option<Rv>> {
    let mut best: Option<Rv> = None;
    for item in items {
        let better = match &best {
            None => true,
            Some(known) => {
                let order = match block {
                    // A list asks what it has found so far, other collections ask what comes next.
                    None if matches!(this, Rv::Array(_)) => rt.compare(known, &item)?.reverse() as i128,
                    None => rt.compare(&item, known)? as i128,
                    Some(block) => {
                        let order = rt.yield_values(block, &[item.clone(), known.clone()])?;
                        rt.expect_int(&order)?
                    }
                };
                if largest { order > 0 } else { order < 0 }
            }
        };
        if better {
            best = Some(item);
        }
    }
    Ok(best)
}

/// Methods that give a list or look for something.
fn whole(rt: &mut Interp<'_, '_>, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    Ok(Some(match (name, args) {
        ("to_a" | "entries", _) => Rv::array(rt.items(this)?),
        ("to_set", []) => {
            let items = rt.items(this)?;
            Rv::Set(Rc::new(RefCell::new(items.iter().map(|item| (Key::of(item), Rv::Bool(true))).collect())))
        }
        ("to_h", []) => {
            let mut map = Map::default();
            // Only a list says which of its elements it is.
            let listed = matches!(this, Rv::Array(_));
            for (at, item) in rt.items(this)?.into_iter().enumerate() {
                let item = match block {
                    Some(block) => rt.yield_value(block, item)?,
                    None => item,
                };
                let pair = match &item {
                    Rv::Array(pair) => pair.borrow().clone(),
                    other => {
                        let class = rt.class_name(other);
                        let place = if listed { format!(" at {at}") } else { String::new() };
                        return rt.raise("TypeError", format!("wrong element type {class}{place} (expected array)"));
                    }
                };
                let [key, value] = pair.as_slice() else {
                    let n = pair.len();
                    let text = if listed {
                        format!("wrong array length at {at} (expected 2, was {n})")
                    } else {
                        format!("element has wrong array length (expected 2, was {n})")
                    };
                    return rt.raise("ArgumentError", text);
                };
                map.insert(Key::of(key), value.clone());
            }
            Rv::hash(map)
        }
        ("first", []) => rt.items(this)?.into_iter().next().unwrap_or(Rv::Nil),
        ("first" | "take" | "drop", [n]) => {
            let Ok(n) = usize::try_from(rt.expect_int(n)?) else {
                let words = match name {
                    "first" if matches!(this, Rv::Array(_)) => "negative array size",
                    "drop" => "attempt to drop negative size",
                    _ => "attempt to take negative size",
                };
                return rt.raise("ArgumentError", words);
            };
            let items = rt.items(this)?.into_iter();
            Rv::array(if name == "drop" { items.skip(n).collect() } else { items.take(n).collect() })
        }
        ("include?" | "member?", [value]) => Rv::Bool(rt.items(this)?.iter().any(|item| compare::equal(item, value))),
        ("find_index" | "index", [value]) => {
            let at = rt.items(this)?.iter().position(|item| compare::equal(item, value));
            at.map_or(Rv::Nil, Rv::int)
        }
        ("sort", []) => {
            let mut items = rt.items(this)?;
            rt.sort(&mut items, block)?;
            Rv::array(items)
        }
        ("min" | "max", []) => {
            let items = rt.items(this)?;
            extreme(rt, this, items, name == "max", block)?.unwrap_or(Rv::Nil)
        }
        ("min" | "max", [n]) => {
            let n = rt.expect_int(n)?;
            let Ok(n) = usize::try_from(n) else {
                return rt.raise("ArgumentError", format!("negative size ({n})"));
            };
            let mut items = rt.items(this)?;
            rt.sort(&mut items, block)?;
            if name == "max" {
                items.reverse();
            }
            items.truncate(n);
            Rv::array(items)
        }
        ("minmax", []) => {
            let items = rt.items(this)?;
            let low = extreme(rt, this, items.clone(), false, block)?.unwrap_or(Rv::Nil);
            let high = extreme(rt, this, items, true, block)?.unwrap_or(Rv::Nil);
            Rv::array(vec![low, high])
        }
        ("uniq", []) => {
            let mut seen = Map::default();
            let mut found = Vec::new();
            for item in rt.items(this)? {
                let key = match block {
                    Some(block) => rt.yield_value(block, item.clone())?,
                    None => item.clone(),
                };
                if seen.insert(Key::of(&key), Rv::Nil).is_none() {
                    found.push(item);
                }
            }
            Rv::array(found)
        }
        ("tally", []) => {
            let mut map = Map::default();
            for item in rt.items(this)? {
                let count = match map.get(&Lookup(&item)) {
                    Some(Rv::Int(n)) => n + 1,
                    _ => 1,
                };
                map.insert(Key::of(&item), Rv::Int(count));
            }
            Rv::hash(map)
        }
        ("zip", _) => {
            let mut lists = Vec::with_capacity(args.len());
            for arg in args {
                lists.push(rt.to_list(arg)?);
            }
            let items = rt.items(this)?;
            let zipped = items.into_iter().enumerate().map(|(at, item)| {
                let mut row = vec![item];
                row.extend(lists.iter().map(|list| list.get(at).cloned().unwrap_or(Rv::Nil)));
                Rv::array(row)
            });
            Rv::array(zipped.collect())
        }
        ("grep" | "grep_v", [pattern]) => {
            let mut found = Vec::new();
            for item in rt.items(this)? {
                if rt.case_equal(pattern, &item)? == (name == "grep") {
                    found.push(match block {
                        Some(block) => rt.yield_value(block, item)?,
                        None => item,
                    });
                }
            }
            Rv::array(found)
        }
        _ => return Ok(None),
    }))
}

/// Methods that fold everything into one value.
fn folded(rt: &mut Interp<'_, '_>, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "any?" | "all?" | "none?" | "one?" => {
            let mut count = 0;
            let items = rt.items(this)?;
            let total = items.len();
            for item in items {
                let holds = match (args.first(), block) {
                    (Some(pattern), _) => rt.case_equal(pattern, &item)?,
                    (None, Some(block)) => rt.yield_value(block, item)?.truthy(),
                    (None, None) => item.truthy(),
                };
                count += usize::from(holds);
                // The rest is not asked once the answer is known.
                match name {
                    "any?" if holds => return Ok(Some(Rv::Bool(true))),
                    "all?" if !holds => return Ok(Some(Rv::Bool(false))),
                    "none?" if holds => return Ok(Some(Rv::Bool(false))),
                    _ => {}
                }
            }
            Rv::Bool(match name {
                "any?" => false,
                "one?" => count == 1,
                "none?" => count == 0,
                _ => count == total,
            })
        }
        "count" => match (args.first(), block) {
            (Some(value), _) => Rv::int(rt.items(this)?.iter().filter(|item| compare::equal(item, value)).count()),
            (None, Some(block)) => {
                let mut count = 0;
                for item in rt.items(this)? {
                    count += usize::from(rt.yield_value(block, item)?.truthy());
                }
                Rv::int(count)
            }
            (None, None) => Rv::int(rt.items(this)?.len()),
        },
        "inject" | "reduce" => {
            let mut items = rt.items(this)?.into_iter();
            let (start, operator) = match (args, block) {
                ([start, operator], _) => (Some(start.clone()), Some(operator)),
                ([only], None) => (None, Some(only)),
                ([start], Some(_)) => (Some(start.clone()), None),
                _ => (None, None),
            };
            let Some(mut memo) = start.or_else(|| items.next()) else { return Ok(Some(Rv::Nil)) };
            for item in items {
                memo = match (operator, block) {
                    (Some(operator), _) => {
                        let operator = operator.text().unwrap_or_default();
                        rt.call_method(&memo, &operator, &[item], None)?
                    }
                    (None, Some(block)) => rt.yield_values(block, &[memo, item])?,
                    (None, None) => return rt.raise("LocalJumpError", "no block given"),
                };
            }
            memo
        }
        "sum" => {
            let mut sum = args.first().cloned().unwrap_or(Rv::Int(0));
            for item in rt.items(this)? {
                let item = match block {
                    Some(block) => rt.yield_value(block, item)?,
                    None => item,
                };
                sum = rt.call_method(&sum, "+", &[item], None)?;
            }
            sum
        }
        _ => return Ok(None),
    }))
}
