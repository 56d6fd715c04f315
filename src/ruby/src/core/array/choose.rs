//! Choices of items: combinations, permutations, products, random ones.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::random;
use crate::value::Callable;
use crate::value::Instance;
use crate::value::Rv;

/// The kind of choices.
#[derive(Clone, Copy)]
struct Choices {
    /// Whether choices that differ only in order are different.
    ordered: bool,
    /// Whether an item may be chosen again.
    repeated: bool,
}

/// The state of building choices of `size` items.
struct ChoiceBuilder<'a> {
    items: &'a [Rv],
    kind: Choices,
    size: usize,
    chosen: Vec<usize>,
    used: Vec<bool>,
}

impl ChoiceBuilder<'_> {
    /// Calls the block with every choice that begins with the chosen items.
    fn extend(&mut self, rt: &mut Interp<'_>, block: &Rc<Callable>) -> Raise<()> {
        rt.step()?;
        if self.chosen.len() == self.size {
            rt.check_size(self.size.saturating_mul(32))?;
            let choice = self.chosen.iter().filter_map(|at| self.items.get(*at).cloned()).collect();
            return rt.yield_value(block, Rv::array(choice)).map(|_| ());
        }
        let from = match self.chosen.last() {
            Some(last) if !self.kind.ordered => last + usize::from(!self.kind.repeated),
            _ => 0,
        };
        // Skips items after which too few are left.
        let needed = if self.kind.ordered || self.kind.repeated { 1 } else { self.size - self.chosen.len() };
        for at in from..(self.items.len() + 1).saturating_sub(needed) {
            if !self.kind.repeated && self.used.get(at).copied().unwrap_or(false) {
                continue;
            }
            self.mark(at, true);
            self.chosen.push(at);
            self.extend(rt, block)?;
            self.chosen.pop();
            self.mark(at, false);
        }
        Ok(())
    }

    fn mark(&mut self, at: usize, used: bool) {
        if let Some(slot) = self.used.get_mut(at) {
            *slot = used;
        }
    }
}

/// Calls the block with every choice of the kind.
fn choices(rt: &mut Interp<'_>, this: &Rv, size: Option<&Rv>, block: Blk<'_>, kind: Choices) -> Raise<Rv> {
    let (Rv::Array(items), Some(block)) = (this, block) else { return Ok(Rv::Nil) };
    let items = items.borrow().clone();
    let size = match size {
        None | Some(Rv::Nil) => items.len(),
        Some(size) => usize::try_from(rt.expect_int(size)?).unwrap_or(usize::MAX),
    };
    // A size above the number of items or below zero has no choices.
    if size == usize::MAX || (size > items.len() && (!kind.repeated || items.is_empty())) {
        return Ok(this.clone());
    }
    if size > 1000 {
        return rt.unsupported("choices of this many items");
    }
    let used = vec![false; items.len()];
    ChoiceBuilder { items: &items, kind, size, chosen: Vec::with_capacity(size), used }.extend(rt, block)?;
    Ok(this.clone())
}

pub(super) fn combination(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    choices(rt, this, args.first(), block, Choices { ordered: false, repeated: false })
}

pub(super) fn permutation(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    choices(rt, this, args.first(), block, Choices { ordered: true, repeated: false })
}

pub(super) fn repeated_combination(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    choices(rt, this, args.first(), block, Choices { ordered: false, repeated: true })
}

pub(super) fn repeated_permutation(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    choices(rt, this, args.first(), block, Choices { ordered: true, repeated: true })
}

/// All rows with one item of each array; a block receives them instead.
pub(super) fn product(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let mut rows: Vec<Vec<Rv>> = rt.items(this)?.into_iter().map(|item| vec![item]).collect();
    for arg in args {
        let list = super::array_operand(rt, arg)?;
        let width = rows.first().map_or(1, |row| row.len() + 1);
        let count = rows.len().saturating_mul(list.len());
        rt.check_size(count.saturating_mul(64 + 64 * width))?;
        let longer = |row: &Vec<Rv>, item: &Rv| row.iter().chain([item]).cloned().collect();
        rows = rows.iter().flat_map(|row| list.iter().map(move |item| longer(row, item))).collect();
    }
    let Some(block) = block else { return Ok(Rv::array(rows.into_iter().map(Rv::array).collect())) };
    for row in rows {
        rt.yield_value(block, Rv::array(row))?;
    }
    Ok(this.clone())
}

/// The generator of random numbers that `random:` names.
fn generator(rt: &mut Interp<'_>, options: Option<&Rv>, name: &str) -> Raise<Option<Rc<Instance>>> {
    match options {
        None => Ok(None),
        Some(Rv::Hash(options)) => match options.get(&Rv::sym("random")) {
            Some(Rv::Object(random)) => Ok(Some(random)),
            _ => rt.unsupported(&format!("Array#{name}")),
        },
        Some(_) => rt.unsupported(&format!("Array#{name}")),
    }
}

/// `sample`, `sample(count)`, `sample(random: generator)`
pub(super) fn sample(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let items = rt.items(this)?;
    let (count, options) = match args {
        [] => (None, None),
        [options @ Rv::Hash(_)] => (None, Some(options)),
        [count] => (Some(count), None),
        [count, options, ..] => (Some(count), Some(options)),
    };
    let random = generator(rt, options, "sample")?;
    match count {
        Some(count) => random::sample(rt, random.as_ref(), count, items),
        None => random::shuffle_or_sample(rt, random.as_ref(), "sample", items),
    }
}

/// `shuffle`, `shuffle(random: generator)`
pub(super) fn shuffle(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let random = generator(rt, args.first(), "shuffle")?;
    let items = rt.items(this)?;
    random::shuffle_or_sample(rt, random.as_ref(), "shuffle", items)
}
