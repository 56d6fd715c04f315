//! `each`, `map`, `filter`, `all`, `any`, `index`: walk an iterable with a block of one or two parameters.

use crate::eval::Call;
use crate::eval::Res;
use crate::eval::Stop;
use crate::functions::Function;
use crate::functions::iterate::Go;
use crate::functions::iterate::walk;
use crate::value::Hash;
use crate::value::Value;

/// What `break()` means: the iteration is over.
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
    doc: "Calls a block for each item of something iterable; gives back what it was called with.",
    examples: &[("[1, 2].each |$x| { }", "[1, 2]")],
};

fn each(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let subject = call.arg(0);
    until_break(walk(call, subject, two, |_, _, _, _| Go::On))?;
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
    doc: "Gives an array of what a block gives for each item.",
    examples: &[("[1, 2].map |$x| { $x * 2 }", "[2, 4]"), ("{a => 1}.map |$k, $v| { \"${k}${v}\" }", "['a1']")],
};

fn map(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut result = Vec::new();
    let walked = walk(call, call.arg(0), two, |_, _, _, given| {
        result.push(given);
        Go::On
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
    doc: "Gives the items, or the entries of a hash, for which a block gives something true.",
    examples: &[
        ("[1, 2, 3].filter |$x| { $x > 1 }", "[2, 3]"),
        ("{a => 1, b => 2}.filter |$k, $v| { $v > 1 }", "{'b' => 2}"),
    ],
};

fn filter(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut result = Vec::new();
    let walked = walk(call, call.arg(0), two, |_, _, item, given| {
        if given.truthy() {
            result.push(item.clone());
        }
        Go::On
    });
    until_break(walked)?;
    Ok(Value::array(result))
}

fn filter_hash(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut result = Hash::new();
    // Ruby's `select` lets `break()` through: it ends the iteration around this one.
    walk(call, call.arg(0), two, |_, key, value, given| {
        if given.truthy() {
            result.insert(key.clone(), value.clone());
        }
        Go::On
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
    doc: "Whether a block gives something true for every item.",
    examples: &[("[1, 2].all |$x| { $x > 0 }", "true"), ("[].all |$x| { false }", "true")],
};

fn all(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut holds = true;
    walk(call, call.arg(0), two, |_, _, _, given| {
        holds = given.truthy();
        if holds { Go::On } else { Go::Stop }
    })?;
    Ok(Value::Bool(holds))
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
    doc: "Whether a block gives something true for at least one item.",
    examples: &[("[1, 2].any |$x| { $x > 1 }", "true"), ("[].any |$x| { true }", "false")],
};

fn any(call: &mut Call<'_, '_>, two: bool) -> Res<Value> {
    let mut holds = false;
    walk(call, call.arg(0), two, |_, _, _, given| {
        holds = given.truthy();
        if holds { Go::Stop } else { Go::On }
    })?;
    Ok(Value::Bool(holds))
}
