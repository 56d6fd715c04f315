//! `delete`, `delete_at`, `delete_regex`, `delete_undef_values`, `delete_values`

use catwalk_base::meter;
use std::borrow::Cow;

use num_bigint::Sign;

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_regexp::Regexp;
use catwalk_value::Hash;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const DELETE: Function = Function {
    name: "delete",
    signatures: &[("Any *$args", delete)],
    doc: "Removes everything equal to the second argument, or to one of its elements: elements of an array, keys of a \
          hash, substrings of a string.",
    examples: &[
        ("delete(['a', 'b', 'a'], 'a')", "['b']"),
        ("delete({'a' => 1, 'b' => 2}, ['a'])", "{'b' => 2}"),
        ("delete('abracadabra', 'bra')", "'acada'"),
    ],
};

pub(super) const DELETE_AT: Function = Function {
    name: "delete_at",
    signatures: &[("Any *$args", delete_at)],
    doc: "Removes the element at an index of an array.",
    examples: &[("delete_at(['a', 'b', 'c'], 1)", "['a', 'c']"), ("delete_at(['a'], 0)", "[]")],
};

pub(super) const DELETE_REGEX: Function = Function {
    name: "delete_regex",
    signatures: &[("Any *$args", delete_regex)],
    doc: "Removes elements of an array or keys of a hash that match a regular expression given as a string, or one of \
          several.",
    examples: &[
        ("delete_regex(['abf', 'ab', 'ac'], '^ab.*')", "['ac']"),
        ("delete_regex({'ab' => 1, 'c' => 2}, ['a.'])", "{'c' => 2}"),
    ],
};

pub(super) const DELETE_UNDEF_VALUES: Function = Function {
    name: "delete_undef_values",
    signatures: &[("Any *$args", delete_undef_values)],
    doc: "Removes `undef` elements of an array, or entries of a hash whose value is `undef`.",
    examples: &[
        ("delete_undef_values({'a' => 1, 'b' => undef})", "{'a' => 1}"),
        ("delete_undef_values([1, undef])", "[1]"),
    ],
};

pub(super) const DELETE_VALUES: Function = Function {
    name: "delete_values",
    signatures: &[("Any *$args", delete_values)],
    doc: "Removes the entries with a given value from a hash.",
    examples: &[
        ("delete_values({'a' => 1, 'b' => 2}, 1)", "{'b' => 2}"),
        ("delete_values({'a' => 1}, 'x')", "{'a' => 1}"),
    ],
};

/// `Array(value)`
fn to_list(value: Option<&Value>) -> Vec<Value> {
    match value {
        // A resource is converted to its parameters, of which a reference has none.
        None | Some(Value::Undef | Value::Type(Type::Resource(_) | Type::Class(_))) => Vec::new(),
        Some(Value::Array(items)) => meter::to_vec(items),
        Some(Value::Hash(entries)) => {
            entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect()
        }
        Some(other) => runtime3::enumerable_items(other).map_or_else(|| vec![other.clone()], Cow::into_owned),
    }
}

fn delete(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() != 2 {
        return fail(format!("delete(): Wrong number of arguments given {} for 2", args.len()));
    }
    let mut collection = args.first().cloned().unwrap_or(Value::Undef);
    for item in to_list(args.get(1)) {
        collection = match &collection {
            Value::Array(items) => Value::array(items.iter().filter(|value| *value != &item).cloned().collect()),
            Value::Hash(entries) => Value::hash(
                entries.iter().filter(|(key, _)| *key != &item).map(|(k, v)| (k.clone(), v.clone())).collect(),
            ),
            Value::Str(string) => match &item {
                Value::Str(part) if part.is_empty() => Value::Str(string.clone()),
                Value::Str(part) => Value::from(string.replace(part.as_ref(), "")),
                other => {
                    return fail(format!("wrong argument type {} (expected Regexp)", ruby::conversion_name(other)));
                }
            },
            other => {
                return fail(format!(
                    "delete(): First argument must be an Array, String, or Hash. Given an argument of class {}.",
                    ruby::class_name(other)
                ));
            }
        };
    }
    Ok(collection)
}

fn delete_at(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 {
        return fail(format!("delete_at(): Wrong number of arguments given ({} for 2)", args.len()));
    }
    let Some(Value::Array(items)) = args.first() else { return fail("delete_at(): Requires array to work with") };
    let index = match args.get(1) {
        Some(Value::Str(string)) => {
            if string.is_empty() || !string.bytes().all(|byte| byte.is_ascii_digit()) {
                return fail("delete_at(): You must provide non-negative numeric index");
            }
            ruby::to_integer(&Value::Str(string.clone()))
        }
        other => ruby::to_integer(other.unwrap_or(&Value::Undef)),
    };
    let Some(index) = index else {
        return no_method("to_i", args.get(1).unwrap_or(&Value::Undef));
    };
    if matches!(&index, Value::BigInt(index) if index.sign() == Sign::Minus) {
        return fail("bignum too big to convert into `long'");
    }
    let index = index.as_int_within().unwrap_or(0);
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    if index > length - 1 {
        return fail("delete_at(): Given index exceeds size of array given");
    }
    let mut out = meter::to_vec(items);
    // A negative index counts from the end; beyond it nothing happens.
    let at = if index < 0 { index + length } else { index };
    if let Ok(at) = usize::try_from(at) {
        out.remove(at);
    }
    Ok(Value::array(out))
}

fn delete_regex(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() != 2 {
        return fail(format!("delete_regex(): Wrong number of arguments given {} for 2", args.len()));
    }
    let mut collection = args.first().cloned().unwrap_or(Value::Undef);
    for item in to_list(args.get(1)) {
        let regexp = Regexp::new(format!("\\b{}\\b", runtime3::to_s(&item)));
        // The regular expression is built for every element, even one that is not a string. `default` is a symbol in Ruby, of which the
        // name is matched.
        let hit = |value: &Value| -> Result<bool, Reason> {
            let string = if matches!(value, Value::Default) { Some("default") } else { value.as_str() };
            let result = regexp.is_match(string.unwrap_or_default());
            let is_match = result.map_err(|error| Reason::runtime(error.message().to_owned()))?;
            Ok(is_match && string.is_some())
        };
        collection = match &collection {
            Value::Array(items) => {
                let mut out = Vec::new();
                for value in items.iter() {
                    if !hit(value)? {
                        out.push(value.clone());
                    }
                }
                Value::array(out)
            }
            // Puppet's block has one parameter, so it receives only the key.
            Value::Hash(entries) => {
                let mut out = Hash::new();
                for (key, value) in entries.iter() {
                    if !hit(key)? {
                        out.insert(key.clone(), value.clone());
                    }
                }
                Value::hash(out)
            }
            Value::Str(string) => {
                let inspected = ruby::inspect_string(string);
                return fail(format!("undefined method `reject!' for {inspected}:String"));
            }
            other => {
                return fail(format!(
                    "delete_regex(): First argument must be an Array, Hash, or String. Given an argument of class {}.",
                    ruby::class_name(other)
                ));
            }
        };
    }
    Ok(collection)
}

fn delete_undef_values(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.first() {
        None => fail("delete_undef_values(): Wrong number of arguments given (0)"),
        Some(Value::Array(items)) => {
            Ok(Value::array(items.iter().filter(|value| !value.is_undef()).cloned().collect()))
        }
        Some(Value::Hash(entries)) => Ok(Value::hash(
            entries.iter().filter(|(_, v)| !v.is_undef()).map(|(k, v)| (k.clone(), v.clone())).collect(),
        )),
        Some(other) => fail(format!(
            "delete_undef_values(): expected an array or hash, got {} type  {} ",
            runtime3::to_s(other),
            ruby::class_name(other)
        )),
    }
}

fn delete_values(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [Value::Hash(entries), item] => {
            Ok(Value::hash(entries.iter().filter(|(_, v)| *v != item).map(|(k, v)| (k.clone(), v.clone())).collect()))
        }
        [other, _] => fail(format!(
            "delete_values(): First argument must be a Hash. Given an argument of class {}.",
            ruby::class_name(other)
        )),
        args => fail(format!("delete_values(): Wrong number of arguments given ({} of 2)", args.len())),
    }
}
