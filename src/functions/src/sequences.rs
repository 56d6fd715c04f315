//! `step`, `reverse_each`, `tree_each`: lazy sequences, iterated at once if there is a block.

use std::sync::Arc;

use crate::Function;
use crate::iterate::sequence;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Hash;
use catwalk_value::Iter;
use catwalk_value::NoAliases;
use catwalk_value::TreeOptions;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::is_assignable;
use catwalk_value::parse_type;

/// `step`
pub(super) const STEP: Function = Function {
    name: "step",
    signatures: &[
        ("Iterable $iterable, Integer[1] $step", step),
        ("Iterable $iterable, Integer[1] $step, Callable[1,1] &$block", step),
    ],
    doc: "Returns every nth item of an iterable, beginning with the first. Without a block the result is an Iterator, \
          which other functions or an array constructor read.",
    examples: &[
        ("Array([1, 2, 3, 4, 5].step(2))", "[1, 3, 5]"),
        ("Integer[0, 9].step(4).map |$x| { $x }", "[0, 4, 8]"),
    ],
};

fn step(call: &mut Call<'_, '_>) -> Res<Value> {
    let n = call.arg(1).as_big().unwrap_or_default();
    match sequence(call, call.arg(0))?.step(&n) {
        Ok(iter) => iterate_or_return(call, iter),
        Err(no_range) => call.fail(no_range),
    }
}

/// `reverse_each`
pub(super) const REVERSE_EACH: Function = Function {
    name: "reverse_each",
    signatures: &[
        ("Iterable $iterable", |call| reverse_each(call)),
        ("Iterable $iterable, Callable[1,1] &$block", |call| reverse_each(call)),
    ],
    doc: "Iterates from last to first. Without a block the result is an Iterator, which does nothing until another \
          function or an array constructor reads it; with a block, calls it with each item and returns `undef`.",
    examples: &[("Array([1, 2].reverse_each)", "[2, 1]"), ("[1, 2, 3].reverse_each.map |$x| { $x * 2 }", "[6, 4, 2]")],
};

fn reverse_each(call: &mut Call<'_, '_>) -> Res<Value> {
    let iter = sequence(call, call.arg(0))?.reverse();
    iterate_or_return(call, iter)
}

/// The sequence itself, or `undef` after the block was called with its items.
fn iterate_or_return(call: &mut Call<'_, '_>, iter: Iter) -> Res<Value> {
    if !call.has_block() {
        return Ok(Value::Iterator(Arc::new(iter)));
    }
    // A block that accepts more than one argument receives the elements of each item. (Iterator#step)
    let is_splat = call.block_arity().is_some_and(|arity| arity.exact() != Some(1));
    for item in iter.remaining() {
        let items = if is_splat { catwalk_value::splat(item) } else { vec![item] };
        if call.call_block_or_break(&items)?.is_none() {
            break;
        }
    }
    Ok(Value::Undef)
}

macro_rules! tree_options {
    () => {
        "Variant[Iterator, Array, Hash, Object] $tree, OptionsType $options = {}"
    };
}

/// `tree_each`
pub(super) const TREE_EACH: Function = Function {
    name: "tree_each",
    signatures: &[
        (concat!(tree_options!(), ", Callable[2,2] &$block"), |call| tree_each(call, true)),
        (concat!(tree_options!(), ", Callable[1,1] &$block"), |call| tree_each(call, false)),
        (tree_options!(), |call| {
            let options = options(call)?;
            Ok(Value::Iterator(Arc::new(Iter::tree(call.arg(0).clone(), options))))
        }),
    ],
    doc: "Visits all values in nested arrays and hashes with the path to each, outermost first. The block takes a pair \
          `[path, value]`, or path and value. Options: `include_root`, `include_containers`, `include_values`, \
          `include_refs`, `order` (`depth_first`, `breadth_first`), `container_type`, `containers`. Without a block \
          the result is an Iterator.",
    examples: &[
        ("[1, [2]].tree_each.map |$pair| { \"${pair[0]}\" }", "['[]', '[0]', '[1]', '[1, 0]']"),
        ("Array({'a' => {'b' => 1}}.tree_each({'include_containers' => false}))", "[[['a', 'b'], 1]]"),
    ],
};

fn tree_each(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let iter = Iter::tree(call.arg(0).clone(), options(call)?);
    for pair in iter.values() {
        let Value::Array(parts) = pair else { continue };
        let args = if two { parts.as_slice() } else { parts.get(1..).unwrap_or_default() };
        if call.call_block_or_break(args)?.is_none() {
            return Ok(call.arg(0).clone());
        }
    }
    if let Value::Iterator(_) = call.arg(0) {
        // Puppet treats an iterator as a container, but without items.
        return call.fail("undefined method `next' for nil:NilClass");
    }
    Ok(call.arg(0).clone())
}

/// Whether values of a type may contain others (TreeIterator#initialize).
fn can_contain(t: &Type) -> bool {
    parse_type("Variant[Array, Hash, Object]", &mut NoAliases).is_ok_and(|all| is_assignable(&all, t))
}

fn options(call: &Call<'_, '_>) -> Res<TreeOptions> {
    let mut options = TreeOptions::default();
    let Some(arguments) = call.hash(1) else { return Ok(options) };
    let flag = |arguments: &Hash, name: &str, default: bool| match arguments.get(name) {
        None | Some(Value::Undef) => default,
        Some(value) => value.truthy(),
    };
    options.include_root = flag(arguments, "include_root", true);
    options.include_containers = flag(arguments, "include_containers", true);
    options.include_values = flag(arguments, "include_values", true);
    options.include_refs = flag(arguments, "include_refs", false);
    options.depth_first = arguments.get("order").and_then(Value::as_str) != Some("breadth_first");
    if let Some(Value::Type(t)) = arguments.get("container_type") {
        if !can_contain(t) {
            let message = format!("Only Array, Hash, and Object types can be used as container types. Got {t}");
            return call.fail(message);
        }
        options.containers = Some(t.clone());
    }
    if !options.include_containers && !options.include_values {
        return call.fail("Options 'include_containers' and 'include_values' cannot both be false");
    }
    Ok(options)
}
