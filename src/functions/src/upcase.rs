//! `downcase`, `upcase`: for strings and, recursively, for arrays and hashes of strings.

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const DOWNCASE: Function = Function {
    name: "downcase",
    signatures: &[("Numeric $arg", downcase), ("String $arg", downcase), (ARRAY, downcase), (HASH, downcase)],
    doc: "Converts a string to lower case. In an array or iterable every element is converted, in a hash every key and \
          value, at any depth; values that are not strings stay unchanged.",
    examples: &[("downcase('AbC')", "'abc'"), ("downcase({'A' => ['B', 1]})", "{'a' => ['b', 1]}")],
};

pub(super) const UPCASE: Function = Function {
    name: "upcase",
    signatures: &[("Numeric $arg", upcase), ("String $arg", upcase), (ARRAY, upcase), (HASH, upcase)],
    doc: "Converts a string to upper case. In an array or iterable every element is converted, in a hash every key and \
          value, at any depth; values that are not strings stay unchanged.",
    examples: &[("upcase('abc')", "'ABC'"), ("upcase(['a', 1])", "['A', 1]")],
};

const ARRAY: &str = "Array[StringData] $arg";
const HASH: &str = "Hash[StringData, StringData] $arg";

fn downcase(call: &mut Call<'_, '_>) -> Res<Value> {
    change_case(call.arg(0), ruby::downcase, 0)
}

fn upcase(call: &mut Call<'_, '_>) -> Res<Value> {
    change_case(call.arg(0), ruby::upcase, 0)
}

fn change_case(value: &Value, change: fn(&str) -> String, depth: usize) -> Res<Value> {
    if depth > 1000 {
        return fail("the value is nested too deeply");
    }
    Ok(match value {
        Value::Str(string) => Value::derived(string, change(string)),
        Value::Array(items) => {
            Value::array(items.iter().map(|item| change_case(item, change, depth + 1)).collect::<Res<_>>()?)
        }
        Value::Hash(entries) => Value::hash(
            entries
                .iter()
                .map(|(key, value)| Ok((change_case(key, change, depth + 1)?, change_case(value, change, depth + 1)?)))
                .collect::<Res<_>>()?,
        ),
        number @ (Value::Int(_) | Value::BigInt(_) | Value::Float(_)) => number.clone(),
        other => {
            let found = catwalk_value::type_label(&catwalk_value::infer(other));
            return fail(format!("expects text, numbers, arrays and hashes of them, got {found}"));
        }
    })
}
