//! `join`

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::flatten::flat;
use crate::functions::ruby;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "join",
    signatures: &[("Array $arg, String $delimiter = ''", join)],
    doc: "Puts the elements of an array into one text with the delimiter (nothing unless given) between them. Nested \
          arrays are flattened; hashes are printed as a whole; `undef` is empty text.",
    examples: &[
        ("join(['a', 'b', ['c']], '-')", "'a-b-c'"),
        ("join([1, undef, 2.5])", "'12.5'"),
        ("['x', 'y'].join(', ')", "'x, y'"),
    ],
};

fn join(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Array(items) = call.arg(0) else { return Ok(Value::Undef) };
    Ok(Value::from(joined(items, call.str(1))))
}

/// `Array#join`
pub(super) fn joined(items: &[Value], delimiter: &str) -> String {
    let mut out = String::new();
    for (at, item) in flat(items).iter().enumerate() {
        if at > 0 {
            out.push_str(delimiter);
        }
        out.push_str(&ruby::to_s(item));
    }
    out
}
