//! `grep`, `reject`

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_regexp::Regexp;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const GREP: Function = Function {
    name: "grep",
    signatures: &[("Any *$args", |call| filter(call, true))],
    doc: "Returns the elements of an array that match a regular expression given as a string.",
    examples: &[("grep(['aaa', 'bbb', 'aab'], '^aa')", "['aaa', 'aab']"), ("grep(['a'], 'b')", "[]")],
};

pub(super) const REJECT: Function = Function {
    name: "reject",
    signatures: &[("Any *$args", |call| filter(call, false))],
    doc: "Returns the elements of an array that do not match a regular expression given as a string.",
    examples: &[("reject(['aaa', 'bbb', 'aab'], 'aa')", "['bbb']"), ("reject(['a'], 'b')", "['a']")],
};

/// 9.x uses `Array#grep_v`, which treats a hash as its pairs.
pub(super) const REJECT_9: Function = Function {
    name: "reject",
    signatures: &[("Any *$args", |call| match call.arg(0) {
        Value::Hash(entries) if call.args.len() == 2 && call.arg(1).as_str().is_some() => {
            let pair = |(key, value): (&Value, &Value)| Value::array(vec![key.clone(), value.clone()]);
            Ok(Value::array(entries.iter().map(pair).collect()))
        }
        other if call.args.len() == 2 && call.arg(1).as_str().is_some() && !matches!(other, Value::Array(_)) => {
            let receiver = if other.is_undef() { Value::from("") } else { other.clone() };
            no_method("grep_v", &receiver)
        }
        _ => filter(call, false),
    })],
    doc: REJECT.doc,
    examples: REJECT.examples,
};

fn filter(call: &mut Call<'_, '_>, keep_matches: bool) -> Res<Value> {
    let name = call.name;
    let args = runtime3::args(call)?;
    let [items, pattern] = args.as_ref() else {
        return fail(format!("{name}(): Wrong number of arguments given {} for 2", args.len()));
    };
    let Value::Str(source) = pattern else {
        return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(pattern)));
    };
    let regexp = Regexp::new(source.as_ref());
    regexp.check().map_err(|error| Reason::runtime(error.message().to_owned()))?;
    let is_match = |string: &str| regexp.is_match(string).map_err(|error| Reason::runtime(error.message().to_owned()));
    let matches = |item: &Value| match item {
        Value::Str(string) => is_match(string),
        Value::Symbol(name) => is_match(name),
        // `default` is a symbol in Ruby.
        Value::Default => is_match("default"),
        _ => Ok(false),
    };
    match items {
        // Pairs match no pattern.
        Value::Hash(_) if keep_matches => Ok(Value::array(Vec::new())),
        // Ruby's code compares only the keys.
        Value::Hash(entries) => {
            let mut out = Hash::new();
            for (key, value) in entries.iter() {
                if !matches(key)? {
                    out.insert(key.clone(), value.clone());
                }
            }
            Ok(Value::hash(out))
        }
        items if let Some(items) = runtime3::enumerable_items(items) => {
            let mut out = Vec::new();
            for item in items.iter() {
                if matches(item)? == keep_matches {
                    out.push(item.clone());
                }
            }
            Ok(Value::array(out))
        }
        other => no_method(name, other),
    }
}
