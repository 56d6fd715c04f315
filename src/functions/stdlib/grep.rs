//! `grep`, `reject`

use crate::diag::Reason;
use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::functions::runtime3::fail;
use crate::regexp::Regexp;
use crate::value::Value;

pub(super) const GREP: Function = Function {
    name: "grep",
    signatures: &[("Any *$args", |call| filtered(call, true))],
    doc: "Gives the elements of an array that match a regular expression given as text.",
    examples: &[("grep(['aaa', 'bbb', 'aab'], '^aa')", "['aaa', 'aab']"), ("grep(['a'], 'b')", "[]")],
};

pub(super) const REJECT: Function = Function {
    name: "reject",
    signatures: &[("Any *$args", |call| filtered(call, false))],
    doc: "Gives the elements of an array that do not match a regular expression given as text.",
    examples: &[("reject(['aaa', 'bbb', 'aab'], 'aa')", "['bbb']"), ("reject(['a'], 'b')", "['a']")],
};

fn filtered(call: &mut Call<'_, '_>, wanted: bool) -> Res<Value> {
    let name = call.name;
    let args = runtime3::args(call)?;
    let [items, pattern] = args.as_ref() else {
        return fail(format!("{name}(): Wrong number of arguments given {} for 2", args.len()));
    };
    let Value::Str(source) = pattern else {
        return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(pattern)));
    };
    if wanted && matches!(items, Value::Hash(_)) {
        // Pairs match no pattern.
        return Ok(Value::array(Vec::new()));
    }
    let Value::Array(items) = items else {
        let shown = ruby::inspect(items);
        return fail(format!("undefined method `{name}' for {shown}:{}", ruby::class_name(items)));
    };
    let regexp = Regexp::new(source.as_ref());
    let mut out = Vec::new();
    for item in items.iter() {
        let hit = match item {
            Value::Str(text) => regexp.is_match(text).map_err(|error| Reason::runtime(error.message().to_owned()))?,
            _ => false,
        };
        if hit == wanted {
            out.push(item.clone());
        }
    }
    Ok(Value::array(out))
}
