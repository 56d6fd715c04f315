//! `length`, `size`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const LENGTH: Function = Function {
    name: "length",
    signatures: &[("Collection $arg", length), ("String $arg", length), ("Binary $arg", length)],
    doc: "Returns the number of elements of an array or hash, of characters of a string, or of bytes of a Binary. \
          Numbers have no length.",
    examples: &[
        ("length('añb')", "3"),
        ("length([1, 2])", "2"),
        ("length({'a' => 1})", "1"),
        ("length(12)", "error: got Integer"),
    ],
};

pub(super) const SIZE: Function = Function {
    name: "size",
    signatures: &[("Variant[Collection, String, Binary] $arg", length)],
    doc: "Returns the number of elements, characters or bytes; an alias of `length`.",
    examples: &[("size('abc')", "3"), ("size([])", "0")],
};

fn length(call: &mut Call<'_, '_>) -> Res<Value> {
    let length = match call.arg(0) {
        Value::Array(items) => items.len(),
        Value::Hash(entries) => entries.len(),
        Value::Str(string) => string.chars().count(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    Ok(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}
