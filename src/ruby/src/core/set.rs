//! `Set`.

use std::cell::RefCell;
use std::rc::Rc;

use super::common_methods;
use super::enumerable;
use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::compare;
use crate::object::Class;
use crate::object::Method;
use crate::value::Callable;
use crate::value::Key;
use crate::value::Lookup;
use crate::value::Map;
use crate::value::Rv;
use crate::value::Set;
use crate::value::share;

pub(crate) static CLASS: Class = Class {
    name: "Set",
    parent: None,
    includes: &[&super::enumerable::MODULE],
    extends: &[],
    methods: &[
        Method::new("&", 1, intersection),
        Method::new("+", 1, union),
        Method::new("-", 1, difference),
        Method::new("<", 1, is_proper_subset),
        Method::new("<<", 1, add).changes_receiver(),
        Method::new("<=", 1, is_subset),
        Method::new("<=>", 1, order),
        Method::new("==", 1, common_methods::equal),
        Method::new("===", 1, include),
        Method::new(">", 1, is_proper_superset),
        Method::new(">=", 1, is_superset),
        Method::new("^", 1, symmetric_difference),
        Method::new("add", 1, add).changes_receiver(),
        Method::new("add?", 1, add_new).changes_receiver(),
        Method::new("classify", 0, classify).returns_enumerator(),
        Method::new("clear", 0, clear).changes_receiver(),
        Method::new("collect!", 0, map).changes_receiver().returns_enumerator(),
        Method::new("delete", 1, delete).changes_receiver(),
        Method::new("delete?", 1, delete_existing).changes_receiver(),
        Method::new("delete_if", 0, delete_if).changes_receiver().returns_enumerator(),
        Method::new("difference", 1, difference),
        Method::new("disjoint?", 1, is_disjoint),
        Method::new("each", 0, enumerable::list::each_entry).returns_enumerator(),
        Method::new("empty?", 0, is_empty),
        Method::new("eql?", 1, common_methods::eql),
        Method::new("filter!", 0, select).changes_receiver().returns_enumerator(),
        Method::new("hash", 0, common_methods::hash),
        Method::new("include?", 1, include),
        Method::new("inspect", 0, common_methods::inspect),
        Method::new("intersect?", 1, intersects),
        Method::new("intersection", 1, intersection),
        Method::between("join", 0, 1, join),
        Method::new("keep_if", 0, keep_if).changes_receiver().returns_enumerator(),
        Method::new("length", 0, length),
        Method::new("map!", 0, map).changes_receiver().returns_enumerator(),
        Method::new("member?", 1, include),
        Method::new("merge", 1, merge).changes_receiver(),
        Method::new("proper_subset?", 1, is_proper_subset),
        Method::new("proper_superset?", 1, is_proper_superset),
        Method::new("reject!", 0, reject).changes_receiver().returns_enumerator(),
        Method::new("replace", 1, replace).changes_receiver(),
        Method::new("select!", 0, select).changes_receiver().returns_enumerator(),
        Method::new("size", 0, length),
        Method::new("subset?", 1, is_subset),
        Method::new("subtract", 1, subtract).changes_receiver(),
        Method::new("superset?", 1, is_superset),
        Method::new("to_a", 0, enumerable::list::to_a),
        Method::new("to_s", 0, common_methods::inspect),
        Method::at_least("to_set", 0, common_methods::itself),
        Method::new("union", 1, union),
        Method::new("|", 1, union),
    ],
    singleton: &[
        Method::at_least("[]", 0, |rt, _, args, block| of_items(rt, args.to_vec(), block)),
        Method::between("new", 0, 1, new),
    ],
};

/// `Set.new(items) { |item| … }`
fn new(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let items = args.first().unwrap_or(&Rv::Nil);
    if let Rv::True | Rv::False | Rv::Int(_) | Rv::Big(_) | Rv::Float(_) | Rv::Str(_) | Rv::Sym(_) = items {
        return rt.raise("ArgumentError", "value must be enumerable");
    }
    let items = rt.to_list(items)?;
    of_items(rt, items, block)
}

/// A set of the items, or of the results of the block for them.
fn of_items(rt: &mut Interp<'_>, items: Vec<Rv>, block: Blk<'_>) -> Raise<Rv> {
    let mut map = Map::default();
    for item in items {
        let item = match block {
            Some(block) => rt.yield_value(block, item)?,
            None => item,
        };
        map.insert(Key::from_value(&item), Rv::True);
    }
    Ok(Rv::Set(share(map)))
}

/// A set with these items.
fn set(map: Map) -> Rv {
    Rv::Set(share(map))
}

/// The contents of a set of these items.
fn set_items(items: impl IntoIterator<Item = Rv>) -> Map {
    items.into_iter().map(|item| (Key::from_value(&item), Rv::True)).collect()
}

/// The items of an argument.
fn enumerable_operand(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Vec<Rv>> {
    match args.first() {
        Some(list @ (Rv::Array(_) | Rv::Hash(_) | Rv::Set(_) | Rv::Range(_) | Rv::Enumerator(_))) => rt.items(list),
        Some(object @ Rv::Object(_)) if rt.has_method(object, catwalk_base::name!("each")) => rt.collect_each(object),
        Some(Rv::Object(object)) if let Some(native) = object.native.borrow().clone() => rt.items(&native),
        _ => rt.raise("ArgumentError", "value must be enumerable"),
    }
}

/// The set that is an argument.
fn set_operand(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Set> {
    match args.first().map(Rv::inner_value) {
        Some(Rv::Set(other)) => Ok(other),
        _ => rt.raise("ArgumentError", "value must be a set"),
    }
}

fn length(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::int(items.borrow().len()))
}

fn is_empty(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    Ok(Rv::bool(items.borrow().is_empty()))
}

fn include(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Set(items), [value]) = (this, args) else { return Ok(Rv::Nil) };
    Ok(Rv::bool(items.borrow().contains_key(&Lookup(value))))
}

/// Adds a value; returns whether it was missing.
fn insert(rt: &mut Interp<'_>, this: &Rv, args: &[Rv]) -> Raise<bool> {
    let (Rv::Set(items), [value]) = (this, args) else { return Ok(false) };
    if items.borrow().contains_key(&Lookup(value)) {
        return Ok(false);
    }
    let size = items.borrow().len();
    rt.check_growth(size * 64, 64)?;
    items.borrow_mut().insert(Key::from_value(value), Rv::True);
    Ok(true)
}

fn add(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    insert(rt, this, args)?;
    Ok(this.clone())
}

fn add_new(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(if insert(rt, this, args)? { this.clone() } else { Rv::Nil })
}

/// Removes a value; returns whether it was in the set.
fn remove(this: &Rv, args: &[Rv]) -> bool {
    let (Rv::Set(items), [value]) = (this, args) else { return false };
    items.borrow_mut().shift_remove(&Lookup(value)).is_some()
}

fn delete(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    remove(this, args);
    Ok(this.clone())
}

fn delete_existing(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(if remove(this, args) { this.clone() } else { Rv::Nil })
}

fn clear(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    items.borrow_mut().clear();
    Ok(this.clone())
}

fn merge(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    let more = enumerable_operand(rt, args)?;
    rt.check_size(more.len() * 64)?;
    items.borrow_mut().extend(set_items(more));
    Ok(this.clone())
}

fn subtract(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    let removed = set_items(enumerable_operand(rt, args)?);
    items.borrow_mut().retain(|key, _| !removed.contains_key(key));
    Ok(this.clone())
}

fn replace(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    let new = set_items(enumerable_operand(rt, args)?);
    *items.borrow_mut() = new;
    Ok(this.clone())
}

fn union(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    let more = enumerable_operand(rt, args)?;
    rt.check_size((items.borrow().len() + more.len()) * 64)?;
    let mut map = items.borrow().clone();
    map.extend(set_items(more));
    Ok(set(map))
}

fn intersection(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    let found = enumerable_operand(rt, args)?;
    let map = items.borrow();
    Ok(set(set_items(found.into_iter().filter(|value| map.contains_key(&Lookup(value))))))
}

fn difference(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    let removed = set_items(enumerable_operand(rt, args)?);
    let mut map = items.borrow().clone();
    map.retain(|key, _| !removed.contains_key(key));
    Ok(set(map))
}

/// The items of exactly one of two sets.
fn symmetric_difference(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Set(items) = this else { return Ok(Rv::Nil) };
    let mut map = set_items(enumerable_operand(rt, args)?);
    for key in items.borrow().keys() {
        if map.shift_remove(key).is_none() {
            map.insert(key.clone(), Rv::True);
        }
    }
    Ok(set(map))
}

/// Whether all items of one set are in another; with `fewer`, the other must have more.
fn includes_all(less: &RefCell<Map>, more: &RefCell<Map>, fewer: bool) -> bool {
    let (less, more) = (less.borrow(), more.borrow());
    less.keys().all(|key| more.contains_key(key)) && (!fewer || less.len() < more.len())
}

fn is_subset(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Set(items), other) = (this, set_operand(rt, args)?) else { return Ok(Rv::Nil) };
    Ok(Rv::bool(includes_all(items, &other, false)))
}

fn is_proper_subset(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Set(items), other) = (this, set_operand(rt, args)?) else { return Ok(Rv::Nil) };
    Ok(Rv::bool(includes_all(items, &other, true)))
}

fn is_superset(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Set(items), other) = (this, set_operand(rt, args)?) else { return Ok(Rv::Nil) };
    Ok(Rv::bool(includes_all(&other, items, false)))
}

fn is_proper_superset(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Set(items), other) = (this, set_operand(rt, args)?) else { return Ok(Rv::Nil) };
    Ok(Rv::bool(includes_all(&other, items, true)))
}

fn order(_: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Set(items), [Rv::Set(other)]) = (this, args) else { return Ok(Rv::Nil) };
    Ok(if compare::equal(this, &Rv::Set(other.clone())) {
        Rv::Int(0)
    } else if includes_all(items, other, true) {
        Rv::Int(-1)
    } else if includes_all(other, items, true) {
        Rv::Int(1)
    } else {
        Rv::Nil
    })
}

fn intersects(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let (Rv::Set(items), other) = (this, set_operand(rt, args)?) else { return Ok(Rv::Nil) };
    let shared = other.borrow().keys().any(|key| items.borrow().contains_key(key));
    Ok(Rv::bool(shared))
}

fn is_disjoint(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!intersects(rt, this, args, block)?.truthy()))
}

fn join(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let list = Rv::array(rt.items(this)?);
    rt.call_method(&list, "join", args, None)
}

/// Sets of the items with equal results of the block, by these results.
fn classify(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let groups = enumerable::group::group_by(rt, this, args, block)?;
    let Rv::Hash(groups) = groups else { return Ok(Rv::Nil) };
    for group in groups.map.borrow_mut().values_mut() {
        let items = rt.items(group)?;
        *group = set(set_items(items));
    }
    Ok(Rv::Hash(groups))
}

fn map(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mapped = enumerable::list::map(rt, this, args, block)?;
    replace(rt, this, &[mapped], None)
}

/// Keeps the items for which a block returns `expected`; returns whether any was removed.
fn retain_items(rt: &mut Interp<'_>, this: &Rv, block: &Rc<Callable>, expected: bool) -> Raise<bool> {
    let mut removed = Map::default();
    for item in rt.items(this)? {
        if rt.yield_value(block, item.clone())?.truthy() != expected {
            removed.insert(Key(item), Rv::Nil);
        }
    }
    if let Rv::Set(items) = this {
        items.borrow_mut().retain(|key, _| !removed.contains_key(key));
    }
    Ok(!removed.is_empty())
}

fn select(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    Ok(if retain_items(rt, this, block, true)? { this.clone() } else { Rv::Nil })
}

fn reject(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let Some(block) = block else { return Ok(Rv::Nil) };
    Ok(if retain_items(rt, this, block, false)? { this.clone() } else { Rv::Nil })
}

fn keep_if(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    select(rt, this, args, block)?;
    Ok(this.clone())
}

fn delete_if(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    reject(rt, this, args, block)?;
    Ok(this.clone())
}
