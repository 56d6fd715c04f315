//! `keys`, `values`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const KEYS: Function = Function {
    name: "keys",
    signatures: &[("Hash $hsh", keys)],
    doc: "Returns an array of the keys of a hash, in the order of the hash.",
    examples: &[("keys({'a' => 1, 'b' => 2})", "['a', 'b']"), ("{}.keys", "[]")],
};

pub(super) const VALUES: Function = Function {
    name: "values",
    signatures: &[("Hash $hsh", values)],
    doc: "Returns an array of the values of a hash, in the order of the hash.",
    examples: &[("values({'a' => 1, 'b' => 2})", "[1, 2]"), ("{}.values", "[]")],
};

fn keys(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Hash(entries) = call.arg(0) else { return Ok(Value::Undef) };
    Ok(Value::array(entries.keys().cloned().collect()))
}

fn values(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Hash(entries) = call.arg(0) else { return Ok(Value::Undef) };
    Ok(Value::array(entries.values().cloned().collect()))
}
