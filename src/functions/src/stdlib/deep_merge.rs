//! `deep_merge`, `merge`, `stdlib::merge`, `stdlib::nested_values`

use std::sync::Arc;

use crate::Function;
use crate::iterable;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const DEEP_MERGE: Function = Function {
    name: "deep_merge",
    signatures: &[("Any *$args", deep_merge)],
    doc: "Merges hashes from left to right; where both sides have a hash under a key, these are merged, too; otherwise \
          the later value wins. The empty string is treated as an empty hash.",
    examples: &[
        ("deep_merge({'a' => {'b' => 1}}, {'a' => {'c' => 2}})", "{'a' => {'b' => 1, 'c' => 2}}"),
        ("deep_merge({'a' => [1]}, {'a' => [2]})", "{'a' => [2]}"),
    ],
};

pub(super) const MERGE: Function = Function {
    name: "merge",
    signatures: MERGE_SIGNATURES,
    doc: "Merges hashes from left to right by their top-level keys: the later value wins. With an iterable and a \
          block, the block receives the hash so far and an item (or the hash, index or key, and value) and returns a \
          hash to merge into it.",
    examples: &[
        ("merge({'a' => 1}, {'a' => 2, 'b' => 3})", "{'a' => 2, 'b' => 3}"),
        ("['a', 'b'].merge |$hash, $value| { {$value => length($hash)} }", "{'a' => 0, 'b' => 1}"),
    ],
};

pub(super) const STDLIB_MERGE: Function = Function {
    name: "stdlib::merge",
    signatures: MERGE_SIGNATURES,
    doc: "Merges hashes from left to right by their top-level keys: the later value wins. With an iterable and a \
          block, the block receives the hash so far and an item (or the hash, index or key, and value) and returns a \
          hash to merge into it.",
    examples: &[
        ("stdlib::merge({'a' => 1}, {'a' => 2, 'b' => 3})", "{'a' => 2, 'b' => 3}"),
        ("['a', 'b'].stdlib::merge |$hash, $value| { {$value => length($hash)} }", "{'a' => 0, 'b' => 1}"),
    ],
};

pub(super) const NESTED_VALUES: Function = Function {
    name: "stdlib::nested_values",
    signatures: &[("Hash $hash >> Array", nested_values)],
    doc: "Returns the values of a hash and of the hashes in it, at any depth; arrays are values.",
    examples: &[
        ("stdlib::nested_values({'a' => 1, 'b' => {'c' => [2]}})", "[1, [2]]"),
        ("stdlib::nested_values({})", "[]"),
    ],
};

const MERGE_SIGNATURES: &[(&str, catwalk_eval::Body)] = &[
    ("Variant[Hash[Scalar,Any], Undef, String[0,0]] *$args >> Hash[Scalar,Any]", merge),
    ("Iterable *$args, Callable[3,3] &$block >> Hash", merge_indexed),
    ("Iterable *$args, Callable[2,2] &$block >> Hash", merge_elements),
];

const MAX_DEPTH: usize = 1000;

fn merge_deep(first: &Arc<Hash>, second: &Arc<Hash>, depth: usize) -> Res<Arc<Hash>> {
    if depth > MAX_DEPTH {
        return fail("deep_merge(): the hashes are nested too deeply");
    }
    if second.is_empty() {
        return Ok(Arc::clone(first));
    }
    let mut out = first.as_ref().clone();
    for (key, new) in second.iter() {
        let merged = match (out.get_value(key), new) {
            (Some(Value::Hash(old)), Value::Hash(new)) => Value::Hash(merge_deep(old, new, depth + 1)?),
            _ => new.clone(),
        };
        out.insert(key.clone(), merged);
    }
    Ok(Arc::new(out))
}

fn deep_merge(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 {
        return fail(format!("deep_merge(): wrong number of arguments ({}; must be at least 2)", args.len()));
    }
    let mut result = Arc::new(Hash::new());
    for arg in args.iter() {
        match arg {
            // An empty string means undef.
            Value::Str(string) if string.is_empty() => {}
            Value::Hash(entries) => result = merge_deep(&result, entries, 0)?,
            other => {
                return fail(format!(
                    "deep_merge: unexpected argument type {}, only expects hash arguments",
                    ruby::class_name(other)
                ));
            }
        }
    }
    Ok(Value::Hash(result))
}

fn add_entries(out: &mut Hash, value: &Value) {
    if let Value::Hash(entries) = value {
        for (key, value) in entries.iter() {
            out.insert(key.clone(), value.clone());
        }
    }
}

fn merge(call: &mut Call<'_, '_>) -> Res<Value> {
    let mut out = Hash::new();
    call.args.iter().for_each(|arg| add_entries(&mut out, arg));
    Ok(Value::hash(out))
}

/// With a block, the function accepts only one argument, although its signature allows more.
fn require_one_argument(call: &Call<'_, '_>) -> Res<()> {
    match call.args.len() {
        1 => Ok(()),
        given => fail(format!("wrong number of arguments (given {given}, expected 1)")),
    }
}

fn merge_elements(call: &mut Call<'_, '_>) -> Res<Value> {
    require_one_argument(call)?;
    let list = call.arg(0).clone();
    let mut out = Hash::new();
    for item in iterable::items(&list).iter() {
        let answer = call.call_block(&[Value::hash(out.clone()), item.clone()])?;
        add_entries(&mut out, &answer);
    }
    Ok(Value::hash(out))
}

fn merge_indexed(call: &mut Call<'_, '_>) -> Res<Value> {
    require_one_argument(call)?;
    let list = call.arg(0).clone();
    let mut out = Hash::new();
    for (at, item) in (0i64..).zip(iterable::items(&list).iter()) {
        let (key, value) = match (&list, item) {
            (Value::Hash(_), Value::Array(pair)) => {
                (pair.first().cloned().unwrap_or(Value::Undef), pair.get(1).cloned().unwrap_or(Value::Undef))
            }
            (_, item) => (Value::Int(at), item.clone()),
        };
        let answer = call.call_block(&[Value::hash(out.clone()), key, value])?;
        add_entries(&mut out, &answer);
    }
    Ok(Value::hash(out))
}

fn nested_values(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Hash(entries) = call.arg(0) else { return Ok(Value::Undef) };
    let mut out = Vec::new();
    collect(entries, 0, &mut out);
    Ok(Value::array(out))
}

fn collect(entries: &Hash, depth: usize, out: &mut Vec<Value>) {
    for value in entries.values() {
        match value {
            Value::Hash(inner) if depth < MAX_DEPTH => collect(inner, depth + 1, out),
            other => out.push(other.clone()),
        }
    }
}
