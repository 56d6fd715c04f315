//! `hash`, `zip`, `values_at`

use crate::Function;
use crate::flatten::flat;
use crate::stdlib::str2bool;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const HASH: Function = Function {
    name: "hash",
    signatures: &[("Any *$args", hash)],
    doc: "Creates a hash from an array of alternating keys and values, or of pairs.",
    examples: &[("hash(['a', 1, 'b', 2])", "{'a' => 1, 'b' => 2}"), ("hash([])", "{}")],
};

pub(super) const VALUES_AT: Function = Function {
    name: "values_at",
    signatures: &[("Any *$args", values_at)],
    doc: "Returns the elements of an array at one or several indexes: integers, or ranges as strings, `'1-3'`, \
          `'0..2'`, `'0...2'`.",
    examples: &[("values_at(['a', 'b', 'c'], [0, '1-2'])", "['a', 'b', 'c']"), ("values_at(['a', 'b'], 1)", "['b']")],
};

pub(super) const ZIP: Function = Function {
    name: "zip",
    signatures: &[("Any *$args", zip)],
    doc: "Returns an array of pairs of the elements of two arrays; with `true` as third argument, one flat array of \
          them.",
    examples: &[("zip([1, 2], ['a', 'b'])", "[[1, 'a'], [2, 'b']]"), ("zip([1], [2], true)", "[1, 2]")],
};

fn hash(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let items = match args.first() {
        None => return fail("hash(): Wrong number of arguments given (0 for 1)"),
        Some(Value::Array(items)) => flat(items),
        Some(_) => return fail("hash(): Requires array to work with"),
    };
    // `Hash[one_hash]` is a copy of it.
    if let [Value::Hash(entries)] = items.as_slice() {
        return Ok(Value::Hash(entries.clone()));
    }
    let mut out = Hash::with_capacity(items.len() / 2);
    for pair in items.chunks(2) {
        let [key, value] = pair else { return fail("hash(): Unable to compute hash from array given") };
        out.insert(key.clone(), value.clone());
    }
    Ok(Value::hash(out))
}

fn zip(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 {
        return fail(format!("zip(): Wrong number of arguments given ({} for 2)", args.len()));
    }
    let (Some(Value::Array(a)), Some(Value::Array(b))) = (args.first(), args.get(1)) else {
        return fail("zip(): Requires array to work with");
    };
    let flatten = match args.get(2).filter(|third| third.truthy()) {
        Some(third) => str2bool::to_bool(third)?,
        None => false,
    };
    let second = |at: usize| b.get(at).cloned().unwrap_or(Value::Undef);
    let pairs: Vec<Value> =
        a.iter().enumerate().map(|(at, first)| Value::array(vec![first.clone(), second(at)])).collect();
    Ok(Value::array(if flatten { flat(&pairs) } else { pairs }))
}

/// `1-3`, `1..3`, `1...3`: first, last, and whether the last is excluded.
fn index_range(string: &str) -> Option<(i64, i64, bool)> {
    let digits = |string: &str| !string.is_empty() && string.bytes().all(|byte| byte.is_ascii_digit());
    let (first, rest) = string.split_at(string.find(|c: char| !c.is_ascii_digit())?);
    let (last, exclusive) = rest
        .strip_prefix("...")
        .map(|last| (last, true))
        .or_else(|| rest.strip_prefix("..").or_else(|| rest.strip_prefix('-')).map(|last| (last, false)))?;
    (digits(first) && digits(last)).then(|| (ruby::to_i(first), ruby::to_i(last), exclusive))
}

fn values_at(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 {
        return fail(format!("values_at(): Wrong number of arguments given ({} for 2)", args.len()));
    }
    let Some(Value::Array(array)) = args.first() else { return fail("values_at(): Requires array to work with") };
    let indexes = flat(args.get(1..2).unwrap_or_default());
    if indexes.is_empty() {
        return fail("values_at(): You must provide at least one positive index to collect");
    }
    let last_index = i64::try_from(array.len()).unwrap_or(i64::MAX) - 1;
    let mut list: Vec<i64> = Vec::new();
    for index in &indexes {
        let string = runtime3::to_s(index);
        if let Some((start, stop, exclusive)) = index_range(&string) {
            if start > stop {
                return fail("values_at(): Stop index in given indices range is smaller than the start index");
            }
            if stop > last_index {
                return fail("values_at(): Stop index in given indices range exceeds array size");
            }
            list.extend(start..=if exclusive { stop - 1 } else { stop });
            continue;
        }
        if string.is_empty() || !string.bytes().all(|byte| byte.is_ascii_digit()) {
            return fail("values_at(): Unknown format of given index");
        }
        let at = ruby::to_i(&string);
        if at > last_index {
            return fail("values_at(): Given index exceeds array size");
        }
        list.push(at);
    }
    let values = list.into_iter().filter_map(|at| usize::try_from(at).ok().and_then(|at| array.get(at)));
    Ok(Value::array(values.filter(|value| !value.is_undef()).cloned().collect()))
}
