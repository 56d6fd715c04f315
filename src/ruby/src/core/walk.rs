//! Iteration over collections: each item is passed to a visitor, without building a list first.
//!
//! In: an array, hash, range, set, enumerator, or an object of the program with `each`. Out: its items, one by one, until the
//! visitor stops. If a block changes the collection, the behaviour is Ruby's: arrays are iterated by index, and entries removed
//! from a hash are not visited. Must not: borrow the collection while the visitor runs.

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::value::Array;
use crate::value::Callable;
use crate::value::Enumerator;
use crate::value::HashObject;
use crate::value::Key;
use crate::value::Rv;

/// The result of a visitor for an item: whether to continue.
pub(crate) type Step = ControlFlow<()>;

/// Continue with the next item.
pub(crate) const CONTINUE: Step = ControlFlow::Continue(());

/// Stop.
pub(crate) const STOP: Step = ControlFlow::Break(());

/// An item of a collection, as blocks receive it.
#[derive(Clone)]
pub(crate) enum Item {
    One(Rv),
    /// An entry of a hash: an array for consumers of one value.
    Pair(Rv, Rv),
    /// Two values, such as an item with its index: an array, except for methods that pass on several values.
    Two(Rv, Rv),
}

impl Item {
    /// The item as one value.
    pub(crate) fn value(self) -> Rv {
        match self {
            Item::One(value) => value,
            Item::Pair(first, second) | Item::Two(first, second) => Rv::array(vec![first, second]),
        }
    }

    /// Calls the block with all values of the item (`map`, `count`, `any?`).
    pub(crate) fn yield_to(&self, rt: &mut Interp<'_>, block: &Rc<Callable>) -> Raise<Rv> {
        match self {
            Item::Two(first, second) => rt.yield_values(block, &[first.clone(), second.clone()]),
            other => other.yield_as_one(rt, block),
        }
    }

    /// Calls the block with the item as one value.
    pub(crate) fn yield_as_one(&self, rt: &mut Interp<'_>, block: &Rc<Callable>) -> Raise<Rv> {
        match self {
            Item::One(value) => rt.yield_value(block, value.clone()),
            Item::Pair(first, second) | Item::Two(first, second) => rt.yield_pair(block, first, second),
        }
    }
}

impl Interp<'_> {
    /// Calls a block with two values that form one array; the array is built only if the block does not destructure it.
    pub(crate) fn yield_pair(&mut self, block: &Rc<Callable>, first: &Rv, second: &Rv) -> Raise<Rv> {
        if block.destructures_array() {
            self.yield_values(block, &[first.clone(), second.clone()])
        } else {
            self.yield_value(block, Rv::array(vec![first.clone(), second.clone()]))
        }
    }

    /// The items of any collection.
    pub fn items(&mut self, value: &Rv) -> Raise<Vec<Rv>> {
        match value {
            Rv::Array(items) => Ok(items.borrow().clone()),
            Rv::Hash(hash) => {
                let pairs = hash.map.borrow();
                Ok(pairs.iter().map(|(Key(key), value)| Rv::array(vec![key.clone(), value.clone()])).collect())
            }
            Rv::Set(set) => Ok(set.borrow().keys().map(|Key(key)| key.clone()).collect()),
            Rv::Range(range) => super::range::items(self, range),
            Rv::Enumerator(e) => self.collect_items(e),
            Rv::Object(object) if object.native.borrow().is_none() => self.collect_each(value),
            Rv::Class(class) if self.has_class_method(*class, catwalk_base::name!("each")) => self.collect_each(value),
            other => {
                let inspected = self.inspect(other)?;
                let class = self.class_name(other);
                self.raise("NoMethodError", format!("undefined method `each' for {inspected}:{class}"))
            }
        }
    }
}

/// The item of an array at an index.
pub(crate) fn item_at(items: &Array, index: usize) -> Option<Rv> {
    items.borrow().get(index).cloned()
}

/// Adds an item to a new list; the memory is counted when the list grows.
pub(crate) fn push_item(rt: &mut Interp<'_>, list: &mut Vec<Rv>, value: Rv) -> Raise<()> {
    if list.len() == list.capacity() {
        rt.check_size(list.len().max(4).saturating_mul(32))?;
    }
    list.push(value);
    Ok(())
}

/// Visits the items of any collection.
pub(crate) fn walk(
    rt: &mut Interp<'_>,
    this: &Rv,
    mut visit: impl FnMut(&mut Interp<'_>, Item) -> Raise<Step>,
) -> Raise<()> {
    match this {
        Rv::Enumerator(e) if !rt.tables.reopens_builtins && is_plain(e) => {
            if e.method.as_str() != "each_with_index" {
                return walk_collection(rt, &e.receiver, visit);
            }
            let mut index = 0;
            walk_collection(rt, &e.receiver, |rt, item| {
                index += 1;
                visit(rt, Item::Two(item.value(), Rv::int(index - 1)))
            })
        }
        other => walk_collection(rt, other, visit),
    }
}

/// As [`walk`]; an enumerator produces all its items first.
fn walk_collection(
    rt: &mut Interp<'_>,
    this: &Rv,
    mut visit: impl FnMut(&mut Interp<'_>, Item) -> Raise<Step>,
) -> Raise<()> {
    match this {
        Rv::Array(items) => {
            let mut index = 0;
            while let (Some(item), next) = (item_at(items, index), index + 1) {
                index = next;
                if visit(rt, Item::One(item))?.is_break() {
                    break;
                }
            }
            Ok(())
        }
        Rv::Hash(hash) => walk_entries(rt, hash, |rt, key, value| visit(rt, Item::Pair(key, value))),
        Rv::Range(range) if let Some(numbers) = super::range::integers(range) => {
            for number in numbers {
                rt.step()?;
                if visit(rt, Item::One(Rv::integer(number)))?.is_break() {
                    break;
                }
            }
            Ok(())
        }
        other => {
            for item in rt.items(other)? {
                if visit(rt, Item::One(item))?.is_break() {
                    break;
                }
            }
            Ok(())
        }
    }
}

/// Whether an enumerator yields the items of a collection unchanged, at most with their index.
pub(crate) fn is_plain(e: &Enumerator) -> bool {
    matches!(e.receiver, Rv::Array(_) | Rv::Hash(_) | Rv::Set(_))
        && e.args.is_empty()
        && matches!(e.method.as_str(), "each" | "map" | "collect" | "select" | "filter" | "reject" | "each_with_index")
}

/// Marks the end of an iteration over a hash when dropped.
struct OpenIteration<'h>(&'h HashObject);

impl Drop for OpenIteration<'_> {
    fn drop(&mut self) {
        self.0.iterations.borrow_mut().pop();
    }
}

/// Visits the entries of a hash.
pub(crate) fn walk_entries(
    rt: &mut Interp<'_>,
    hash: &Rc<HashObject>,
    mut visit: impl FnMut(&mut Interp<'_>, Rv, Rv) -> Raise<Step>,
) -> Raise<()> {
    let depth = hash.iterations.borrow().len();
    hash.iterations.borrow_mut().push(0);
    let walk = OpenIteration(hash);
    loop {
        let entry = {
            let mut iterations = walk.0.iterations.borrow_mut();
            let Some(next) = iterations.get_mut(depth) else { return Ok(()) };
            let map = hash.map.borrow();
            let Some((Key(key), value)) = map.get_index(*next) else { return Ok(()) };
            *next += 1;
            (key.clone(), value.clone())
        };
        if visit(rt, entry.0, entry.1)?.is_break() {
            return Ok(());
        }
    }
}
