//! `join_keys_to_values`, `prefix`, `suffix`

use crate::Function;
use crate::flatten::flat;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const JOIN_KEYS_TO_VALUES: Function = Function {
    name: "join_keys_to_values",
    signatures: &[("Any *$args", join_keys_to_values)],
    doc: "Joins each key of a hash to its value with a separator and returns an array of strings; for an array as \
          value, the key is repeated for each element.",
    examples: &[
        ("join_keys_to_values({'a' => 1, 'b' => [2, 3]}, '=')", "['a=1', 'b=2', 'b=3']"),
        ("join_keys_to_values({}, '=')", "[]"),
    ],
};

pub(super) const PREFIX: Function = Function {
    name: "prefix",
    signatures: &[("Any *$args", |call| add_affix(call, |affix, string| format!("{affix}{string}")))],
    doc: "Puts a string before each element of an array, or before each key of a hash; elements are converted to \
          strings.",
    examples: &[("prefix(['a', 1], 'p')", "['pa', 'p1']"), ("prefix({'a' => 1}, 'p')", "{'pa' => 1}")],
};

pub(super) const SUFFIX: Function = Function {
    name: "suffix",
    signatures: &[("Any *$args", |call| add_affix(call, |affix, string| format!("{string}{affix}")))],
    doc: "Puts a string after each element of an array, or after each key of a hash; elements are converted to \
          strings.",
    examples: &[("suffix(['a', 1], 's')", "['as', '1s']"), ("suffix({'a' => 1}, 's')", "{'as' => 1}")],
};

fn add_affix(call: &mut Call<'_, '_>, join: fn(&str, &str) -> String) -> Res<Value> {
    let name = call.name;
    let args = runtime3::args(call)?;
    let Some(values) = args.first() else {
        return fail(format!("{name}(): Wrong number of arguments given (0 for 1)"));
    };
    if !matches!(values, Value::Array(_) | Value::Hash(_)) {
        let inspected = runtime3::inspect(values)?;
        return fail(format!("{name}(): expected first argument to be an Array or a Hash, got {inspected}"));
    }
    let affix = match args.get(1).filter(|affix| affix.truthy()) {
        None => "",
        Some(Value::Str(affix)) => affix,
        Some(other) => {
            let inspected = runtime3::inspect(other)?;
            return fail(format!("{name}(): expected second argument to be a String, got {inspected}"));
        }
    };
    let add_affix = |value: &Value| Value::from(join(affix, &runtime3::to_s(value)));
    Ok(match values {
        Value::Hash(entries) => {
            Value::hash(entries.iter().map(|(key, value)| (add_affix(key), value.clone())).collect())
        }
        Value::Array(items) => Value::array(items.iter().map(add_affix).collect()),
        _ => Value::Undef,
    })
}

fn join_keys_to_values(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let [hash, separator] = args.as_ref() else {
        return fail(format!("join_keys_to_values(): Takes exactly two arguments, but {} given.", args.len()));
    };
    let Value::Hash(entries) = hash else {
        let class = ruby::class_name(hash);
        return fail(format!("join_keys_to_values(): The first argument must be a hash, but a {class} was given."));
    };
    let Value::Str(separator) = separator else {
        let class = ruby::class_name(separator);
        return fail(format!("join_keys_to_values(): The second argument must be a string, but a {class} was given."));
    };
    let mut out = Vec::new();
    for (key, value) in entries.iter() {
        let key = runtime3::to_s(key);
        match value {
            Value::Array(items) => {
                out.extend(items.iter().map(|item| Value::from(format!("{key}{separator}{}", runtime3::to_s(item)))));
            }
            Value::Str(string) if string.as_ref() == "undef" => out.push(Value::from(key.as_ref())),
            value => out.push(Value::from(format!("{key}{separator}{}", runtime3::to_s(value)))),
        }
    }
    Ok(Value::array(flat(&out)))
}
