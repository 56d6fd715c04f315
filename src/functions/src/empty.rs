//! `empty`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "empty",
    signatures: &[
        ("Collection $coll", empty),
        ("Sensitive[String] $str", empty),
        ("String $str", empty),
        ("Numeric $num", empty),
        ("Binary $bin", empty),
        ("Undef $x", empty),
    ],
    doc: "Returns whether an array, hash, string or Binary has no elements, or a Sensitive string is empty. `undef` is \
          empty and a number is not, both with a deprecation warning.",
    examples: &[("empty([])", "true"), ("empty('a')", "false"), ("empty(undef)", "true"), ("empty(0)", "false")],
};

fn empty(call: &mut Call<'_, '_>) -> Res<Value> {
    let is_empty = match call.arg(0) {
        Value::Array(items) => items.is_empty(),
        Value::Hash(entries) => entries.is_empty(),
        Value::Str(string) => string.is_empty(),
        Value::Sensitive(inner) => inner.as_str() == Some(""),
        Value::Binary(bytes) => bytes.is_empty(),
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
            runtime3::warn_once(call, "Calling function empty() with Numeric value is deprecated.");
            false
        }
        other => other.is_undef(),
    };
    Ok(Value::Bool(is_empty))
}
