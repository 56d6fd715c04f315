//! `keys`, `values`

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::value::Value;

pub(super) const KEYS: Function = Function {
    name: "keys",
    signatures: &[("Hash $hsh", keys)],
    doc: "The keys of a hash, in order.",
    examples: &[("keys({'a' => 1, 'b' => 2})", "['a', 'b']")],
};

pub(super) const VALUES: Function = Function {
    name: "values",
    signatures: &[("Hash $hsh", values)],
    doc: "The values of a hash, in order.",
    examples: &[("values({'a' => 1, 'b' => 2})", "[1, 2]")],
};

fn keys(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Hash(entries) = call.arg(0) else { return Ok(Value::Undef) };
    Ok(Value::array(entries.keys().cloned().collect()))
}

fn values(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Hash(entries) = call.arg(0) else { return Ok(Value::Undef) };
    Ok(Value::array(entries.values().cloned().collect()))
}
