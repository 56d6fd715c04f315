//! `concat`, `difference`, `intersection`, `union`: combinations of arrays.

use rustc_hash::FxHashSet;

use crate::Function;
use catwalk_base::meter;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const CONCAT: Function = Function {
    name: "concat",
    signatures: &[("Any *$args", concat)],
    doc: "Appends to an array: the elements of further arrays, and other values as they are.",
    examples: &[("concat([1], [2, 3], 4)", "[1, 2, 3, 4]"), ("concat(['a'], [['b']])", "['a', ['b']]")],
};

pub(super) const DIFFERENCE: Function = Function {
    name: "difference",
    signatures: &[("Any *$args", difference)],
    doc: "Returns the elements of the first array that are not in the second, without duplicates.",
    examples: &[("difference([1, 2, 3, 1], [1])", "[2, 3]"), ("difference(['a'], [])", "['a']")],
};

pub(super) const INTERSECTION: Function = Function {
    name: "intersection",
    signatures: &[("Any *$args", intersection)],
    doc: "Returns the elements of the first array that are also in the second, without duplicates.",
    examples: &[("intersection([1, 2, 2], [2, 3])", "[2]"), ("intersection(['a'], ['b'])", "[]")],
};

pub(super) const UNION: Function = Function {
    name: "union",
    signatures: &[("Any *$args", union)],
    doc: "Returns the elements of all arrays, without duplicates.",
    examples: &[("union([1, 2], [2, 3], [4])", "[1, 2, 3, 4]"), ("union(['a'], [])", "['a']")],
};

fn concat(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 {
        return fail(format!("concat(): Wrong number of arguments given ({} for < 2)", args.len()));
    }
    let Some(Value::Array(first)) = args.first() else { return fail("concat(): Requires array to work with") };
    let mut out = meter::to_vec(first);
    for arg in args.iter().skip(1) {
        match arg {
            Value::Array(items) => out.extend(items.iter().cloned()),
            other => out.push(other.clone()),
        }
    }
    Ok(Value::array(out))
}

fn difference(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [Value::Array(first), Value::Array(second)] => Ok(Value::array(subtract(first, second))),
        [_, _] => fail("difference(): Requires 2 arrays"),
        args => fail(format!("difference(): Wrong number of arguments given ({} for 2)", args.len())),
    }
}

/// `Array#-`
pub(super) fn subtract(first: &[Value], second: &[Value]) -> Vec<Value> {
    let excluded: FxHashSet<&Value> = second.iter().filter(|value| !is_resource(value)).collect();
    first.iter().filter(|value| !excluded.contains(value)).cloned().collect()
}

/// `Array#uniq`
pub(super) fn uniq<'v>(values: impl IntoIterator<Item = &'v Value>) -> Vec<Value> {
    let mut seen = FxHashSet::default();
    values.into_iter().filter(|value| is_resource(value) || seen.insert(*value)).cloned().collect()
}

/// Whether a value is a reference, which is a resource here. No two resources are the same object.
fn is_resource(value: &Value) -> bool {
    matches!(value, Value::Type(Type::Resource(_) | Type::Class(_)))
}

fn intersection(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [Value::Array(first), Value::Array(second)] => {
            let second: FxHashSet<&Value> = second.iter().filter(|value| !is_resource(value)).collect();
            Ok(Value::array(uniq(first.iter().filter(|value| second.contains(value)))))
        }
        [first, second] => fail(format!(
            "intersection(): Requires 2 arrays, got {} and {}",
            ruby::class_name(first),
            ruby::class_name(second)
        )),
        args => fail(format!("intersection(): Wrong number of arguments given ({} for 2)", args.len())),
    }
}

fn union(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 {
        return fail(format!("union(): Wrong number of arguments given ({} for < 2)", args.len()));
    }
    let mut all = Vec::new();
    for arg in args.iter() {
        let Value::Array(items) = arg else { return fail("union(): Every parameter must be an array") };
        all.extend(items.iter());
    }
    Ok(Value::array(uniq(all)))
}
