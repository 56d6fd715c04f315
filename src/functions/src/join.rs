//! `join`

use crate::Function;
use catwalk_base::meter;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "join",
    signatures: &[("Array $arg, String $delimiter = ''", join)],
    doc: "Joins the elements of an array into one string, with a delimiter (none by default). Nested arrays are \
          flattened; hashes are printed as a whole; `undef` is the empty string.",
    examples: &[
        ("join(['a', 'b', ['c']], '-')", "'a-b-c'"),
        ("join([1, undef, 2.5])", "'12.5'"),
        ("['x', 'y'].join(', ')", "'x, y'"),
    ],
};

fn join(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Array(items) = call.arg(0) else { return Ok(Value::Undef) };
    let string = join_strings(items, call.str(1));
    // The first element determines the encoding, unless a later one or the delimiter is not ASCII.
    Ok(match items.first() {
        Some(Value::Str(first)) if string.get(first.len()..).is_some_and(str::is_ascii) => {
            Value::Str(first.with_characters(string))
        }
        _ => Value::from(string),
    })
}

/// `Array#join`
pub(super) fn join_strings(items: &[Value], delimiter: &str) -> String {
    let mut out = String::new();
    push_joined(items, delimiter, 0, &mut out);
    out
}

/// The deepest nesting of arrays; deeper ones are ignored, but no value is nested that deeply.
const MAX_DEPTH: usize = 10_000;

fn push_joined(items: &[Value], delimiter: &str, depth: usize, out: &mut String) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(delimiter);
        }
        match item {
            Value::Array(inner) if depth < MAX_DEPTH => push_joined(inner, delimiter, depth + 1, out),
            item => out.push_str(&ruby::to_s(item)),
        }
        meter::check_string(out.len());
    }
}
