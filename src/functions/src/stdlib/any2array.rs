//! `any2array`

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "any2array",
    signatures: &[("Any *$args", any2array)],
    doc: "Converts its arguments to an array: an array is returned unchanged, a hash becomes its keys and values in \
          turn, several arguments become one array; no argument or the empty string returns the empty array.",
    examples: &[("any2array({'a' => 1})", "['a', 1]"), ("any2array('a', 'b')", "['a', 'b']"), ("any2array('')", "[]")],
};

fn any2array(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    Ok(match args.as_ref() {
        [list @ Value::Array(_)] => list.clone(),
        [Value::Str(string)] if string.is_empty() => Value::array(Vec::new()),
        [Value::Hash(entries)] => {
            Value::array(entries.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect())
        }
        args => Value::array(args.to_vec()),
    })
}
