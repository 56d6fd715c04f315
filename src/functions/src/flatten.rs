//! `flatten`

use crate::Function;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "flatten",
    signatures: &[("Any *$args", |call| Ok(Value::array(flat(call.args))))],
    doc: "Returns one array of all arguments, with nested arrays flattened at any depth. Hashes stay as they are.",
    examples: &[("flatten(1, [2, [3, [4]]])", "[1, 2, 3, 4]"), ("flatten({'a' => [1]})", "[{'a' => [1]}]")],
};

/// The elements of nested arrays, in order. Needs no recursion.
pub(super) fn flat(values: &[Value]) -> Vec<Value> {
    let mut out = Vec::with_capacity(values.len());
    let mut open = vec![values.iter()];
    while let Some(level) = open.last_mut() {
        match level.next() {
            Some(Value::Array(items)) => open.push(items.iter()),
            Some(value) => out.push(value.clone()),
            None => {
                open.pop();
            }
        }
    }
    out
}
