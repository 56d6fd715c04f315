//! `unique`

use indexmap::IndexMap;

use crate::Function;
use crate::iterable;
use crate::iterate::ends_at_break;
use catwalk_base::meter;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_value::Hash;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "unique",
    signatures: &[
        ("String $string, Optional[Callable[String]] &$block", unique_string),
        ("Hash $hash, Optional[Callable[Any]] &$block", unique_hash),
        ("Array $array, Optional[Callable[Any]] &$block", unique_list),
        ("Iterable $iterable, Optional[Callable[Any]] &$block", unique_list),
    ],
    doc: "Removes duplicates from an array or iterable, or from the characters of a string; a block returns the value \
          to compare instead. For a hash it returns a hash of arrays of keys to arrays of the values that they share.",
    examples: &[
        ("unique([1, 2, 1])", "[1, 2]"),
        ("unique('hello')", "'helo'"),
        ("unique(['a', 'A']) |$x| { $x.downcase }", "['a']"),
        ("unique({'a' => 1, 'b' => 1})", "{['a', 'b'] => [1]}"),
    ],
};

fn key(call: &mut Call<'_, '_>, value: &Value) -> Res<Value> {
    if call.block.is_some() { call.call_block(std::slice::from_ref(value)) } else { Ok(value.clone()) }
}

fn uniq(call: &mut Call<'_, '_>, values: &[Value]) -> Res<Vec<Value>> {
    if values.len() < 2 && matches!(call.arg(0), Value::Array(_) | Value::Str(_)) {
        // With fewer than two elements, Ruby compares nothing.
        return Ok(meter::to_vec(values));
    }
    let mut out: IndexMap<Value, Value> = IndexMap::with_capacity(values.len());
    for value in values {
        let key = match key(call, value) {
            Err(Stop::Break(_)) if ends_at_break(call.arg(0)) => break,
            key => key?,
        };
        out.entry(key).or_insert_with(|| value.clone());
    }
    Ok(out.into_values().collect())
}

fn unique_string(call: &mut Call<'_, '_>) -> Res<Value> {
    let string = call.str(0);
    let mut buffer = [0; 4];
    let chars: Vec<Value> = string.chars().map(|c| Value::from(&*c.encode_utf8(&mut buffer))).collect();
    let unique = uniq(call, &chars)?;
    Ok(Value::from(unique.iter().filter_map(Value::as_str).collect::<String>()))
}

fn unique_list(call: &mut Call<'_, '_>) -> Res<Value> {
    let list = call.arg(0).clone();
    Ok(Value::array(uniq(call, &iterable::items(&list))?))
}

fn unique_hash(call: &mut Call<'_, '_>) -> Res<Value> {
    let Value::Hash(entries) = call.arg(0) else { return Ok(Value::Undef) };
    let mut groups: IndexMap<Value, (Vec<Value>, IndexMap<Value, ()>)> = IndexMap::new();
    for (name, value) in entries.iter() {
        let group = groups.entry(key(call, value)?).or_default();
        group.0.push(name.clone());
        group.1.insert(value.clone(), ());
    }
    let inverted: Hash = groups
        .into_values()
        .map(|(keys, values)| (Value::array(keys), Value::array(values.into_keys().collect())))
        .collect();
    Ok(Value::hash(inverted))
}
