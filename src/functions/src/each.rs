//! `each`, `map`, `filter`, `all`, `any`, `index`: iterate over a value with a block of one or two parameters.

use crate::Function;
use crate::iterate::Step;
use crate::iterate::walk;
use crate::iterate::walk_map;
use crate::iterate::walk_predicate;
use catwalk_base::meter;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_value::Hash;
use catwalk_value::Value;

/// Treats `break()` as the end of the iteration.
fn until_break(result: Res<()>) -> Res<()> {
    match result {
        Err(Stop::Break(_)) => Ok(()),
        result => result,
    }
}

/// `each`
pub(super) const EACH: Function = Function {
    name: "each",
    signatures: &[
        ("Hash[Any, Any] $hash, Callable[2,2] &$block", |call| each(call, true)),
        ("Hash[Any, Any] $hash, Callable[1,1] &$block", |call| each(call, false)),
        ("Iterable $enumerable, Callable[2,2] &$block", |call| each(call, true)),
        ("Iterable $enumerable, Callable[1,1] &$block", |call| each(call, false)),
    ],
    doc: "Calls a block for every item and returns the collection; use it to declare resources or to log. The block of \
          an array takes the value, or index and value; the block of a hash takes a pair `[key, value]`, or key and \
          value; an Integer counts from 0, a String yields its characters.",
    examples: &[
        ("[1, 2].each |$x| { }", "[1, 2]"),
        (
            "['a', 'b'].each |$index, $value| { notify { \"${index}${value}\": } }\n[defined(Notify['0a']), defined(Notify['1b'])]",
            "[true, true]",
        ),
        ("1.5.each |$x| { }", "error: expects an Iterable value, got Float"),
    ],
};

fn each(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let subject = call.arg(0);
    until_break(walk(call, subject, two, |_, _, _, _| Step::Continue))?;
    Ok(subject.clone())
}

/// `map`
pub(super) const MAP: Function = Function {
    name: "map",
    signatures: &[
        ("Hash[Any, Any] $hash, Callable[2,2] &$block", |call| map(call, true)),
        ("Hash[Any, Any] $hash, Callable[1,1] &$block", |call| map(call, false)),
        ("Iterable $enumerable, Callable[2,2] &$block", |call| map(call, true)),
        ("Iterable $enumerable, Callable[1,1] &$block", |call| map(call, false)),
    ],
    doc: "Returns an array of the results of a block for each item. Blocks take the same parameters as for `each`; for \
          a hash, too, the result is an array.",
    examples: &[
        ("[1, 2].map |$x| { $x * 2 }", "[2, 4]"),
        ("{a => 1}.map |$key, $value| { \"${key}${value}\" }", "['a1']"),
        ("3.map |$i| { $i }", "[0, 1, 2]"),
    ],
};

fn map(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut result = Vec::new();
    let walked = walk_map(call, call.arg(0), two, |_, _, _, result_of_block| {
        result.push(result_of_block);
        meter::check_elements(result.len());
        Step::Continue
    });
    until_break(walked)?;
    Ok(Value::array(result))
}

/// `filter`
pub(super) const FILTER: Function = Function {
    name: "filter",
    signatures: &[
        ("Hash[Any, Any] $hash, Callable[2,2] &$block", |call| filter_hash(call, true)),
        ("Hash[Any, Any] $hash, Callable[1,1] &$block", |call| filter_hash(call, false)),
        ("Iterable $enumerable, Callable[2,2] &$block", |call| filter(call, true)),
        ("Iterable $enumerable, Callable[1,1] &$block", |call| filter(call, false)),
    ],
    doc: "Returns the items for which a block returns a true value: an array for an array or iterable, a hash for a \
          hash. Blocks take the same parameters as for `each`. Everything except `undef` and `false` is true, even the \
          empty string.",
    examples: &[
        ("[1, 2, 3].filter |$x| { $x > 1 }", "[2, 3]"),
        ("{a => 1, b => 2}.filter |$key, $value| { $value > 1 }", "{'b' => 2}"),
        ("['a', 'b', 'c'].filter |$index, $value| { $index != 1 }", "['a', 'c']"),
    ],
};

fn filter(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    if two && matches!(call.arg(0), Value::Iterator(iter) if iter.is_hash()) {
        return filter_entries(call);
    }
    let mut result = Vec::new();
    let walked = walk(call, call.arg(0), two, |_, _, item, result_of_block| {
        if result_of_block.truthy() {
            result.push(item.clone());
            meter::check_elements(result.len());
        }
        Step::Continue
    });
    until_break(walked)?;
    Ok(Value::array(result))
}

/// An iteration over a hash is filtered to a hash by a block of key and value. (`filter.rb`, `hash_style?`)
fn filter_entries(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut result = Hash::new();
    let walked = walk(call, call.arg(0), true, |_, key, pair, result_of_block| {
        if result_of_block.truthy()
            && let Value::Array(parts) = pair
        {
            result.insert(key.clone(), parts.get(1).cloned().unwrap_or(Value::Undef));
        }
        Step::Continue
    });
    until_break(walked)?;
    Ok(Value::hash(result))
}

fn filter_hash(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut result = Hash::new();
    // Ruby's `select` does not catch `break()`: it ends the outer iteration.
    walk(call, call.arg(0), two, |_, key, value, result_of_block| {
        if result_of_block.truthy() {
            result.insert(key.clone(), value.clone());
        }
        Step::Continue
    })?;
    Ok(Value::hash(result))
}

/// `all`
pub(super) const ALL: Function = Function {
    name: "all",
    signatures: &[
        ("Hash[Any, Any] $hash, Callable[2,2] &$block", |call| all(call, true)),
        ("Hash[Any, Any] $hash, Callable[1,1] &$block", |call| all(call, false)),
        ("Iterable $enumerable, Callable[2,2] &$block", |call| all(call, true)),
        ("Iterable $enumerable, Callable[1,1] &$block", |call| all(call, false)),
    ],
    doc: "Returns whether a block returns a true value for every item; it stops at the first item for which it does \
          not. The block of an array takes the value, or index and value; the block of a hash takes a pair `[key, \
          value]`, or key and value. Returns `true` for an empty collection.",
    examples: &[
        ("[1, 2].all |$x| { $x > 0 }", "true"),
        ("{a => 1, b => -1}.all |$key, $value| { $value > 0 }", "false"),
        ("[].all |$x| { false }", "true"),
    ],
};

fn all(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut all_true = true;
    walk_predicate(call, call.arg(0), two, |_, _, _, result_of_block| {
        all_true = result_of_block.truthy();
        if all_true { Step::Continue } else { Step::Stop }
    })?;
    Ok(Value::Bool(all_true))
}

/// `any`
pub(super) const ANY: Function = Function {
    name: "any",
    signatures: &[
        ("Hash[Any, Any] $hash, Callable[2,2] &$block", |call| any(call, true)),
        ("Hash[Any, Any] $hash, Callable[1,1] &$block", |call| any(call, false)),
        ("Iterable $enumerable, Callable[2,2] &$block", |call| any(call, true)),
        ("Iterable $enumerable, Callable[1,1] &$block", |call| any(call, false)),
    ],
    doc: "Returns whether a block returns a true value for at least one item; it stops at the first such item. Blocks \
          take the same parameters as for `all`. Returns `false` for an empty collection.",
    examples: &[
        ("[1, 2].any |$x| { $x > 1 }", "true"),
        ("{a => 1, b => 2}.any |$key, $value| { $key == 'c' }", "false"),
        ("[].any |$x| { true }", "false"),
    ],
};

fn any(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut any_true = false;
    walk_predicate(call, call.arg(0), two, |_, _, _, result_of_block| {
        any_true = result_of_block.truthy();
        if any_true { Step::Stop } else { Step::Continue }
    })?;
    Ok(Value::Bool(any_true))
}
