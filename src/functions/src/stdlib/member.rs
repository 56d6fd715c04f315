//! `count`, `has_key`, `is_a`, `member`

use crate::Function;
use crate::stdlib::concat;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const COUNT: Function = Function {
    name: "count",
    signatures: &[("Any *$args", count)],
    doc: "Returns the number of elements equal to the second argument; without it, the number of elements that are \
          neither `undef` nor the empty string.",
    examples: &[("count(['a', 'b', 'a'], 'a')", "2"), ("count(['a', undef, ''])", "1")],
};

pub(super) const HAS_KEY: Function = Function {
    name: "has_key",
    signatures: &[("Any *$args", has_key)],
    doc: "Returns whether a hash has a key; for strings, the operator `in` does the same.",
    examples: &[("has_key({'a' => 1}, 'a')", "true"), ("has_key({'a' => 1}, 'b')", "false")],
};

pub(super) const IS_A: Function = Function {
    name: "is_a",
    signatures: &[("Any $value, Type $type", |call| {
        let catwalk_value::Value::Type(t) = call.arg(1) else { return Ok(Value::Bool(false)) };
        Ok(Value::Bool(catwalk_value::is_instance(t, call.arg(0))))
    })],
    doc: "Returns whether a value is an instance of a type; the operator `=~` does the same.",
    examples: &[("is_a(1, Integer)", "true"), ("'a'.is_a(Numeric)", "false")],
};

pub(super) const MEMBER: Function = Function {
    name: "member",
    signatures: &[("Any *$args", member)],
    doc: "Returns whether an array has an element, or all elements of another array.",
    examples: &[("member(['a', 'b'], 'b')", "true"), ("member(['a', 'b'], ['a', 'c'])", "false")],
};

fn count(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    if args.len() > 2 {
        return fail(format!("count(): Wrong number of arguments given {} for 1 or 2.", args.len()));
    }
    let element = args.get(1).filter(|item| item.truthy());
    let counted = |values: &mut dyn Iterator<Item = Value>| match element {
        Some(item) => values.filter(|value| catwalk_eval::ruby_equals(value, item)).count(),
        None => values.filter(|v| !v.is_undef() && v.as_str() != Some("")).count(),
    };
    let n = match args.first() {
        Some(Value::Hash(entries)) => {
            counted(&mut entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])))
        }
        Some(Value::Str(_)) if element.is_none() => return fail("wrong number of arguments (given 0, expected 1+)"),
        Some(Value::Str(string)) => {
            // The characters of the string that are in the set of the second argument.
            let Some(Value::Str(set)) = element else {
                let name = ruby::conversion_name(element.unwrap_or(&Value::Undef));
                return fail(format!("no implicit conversion of {name} into String"));
            };
            ruby::count(string, set).map_err(Reason::runtime)?
        }
        other => {
            let other = other.unwrap_or(&Value::Undef);
            match runtime3::enumerable_items(other) {
                Some(items) => counted(&mut items.iter().cloned()),
                None => return no_method("count", other),
            }
        }
    };
    Ok(Value::Int(i64::try_from(n).unwrap_or(i64::MAX)))
}

fn holds_reference(key: &Value) -> bool {
    match key {
        Value::Type(Type::Resource(_) | Type::Class(_)) => true,
        Value::Array(items) => items.iter().any(holds_reference),
        Value::Hash(entries) => entries.iter().any(|(key, value)| holds_reference(key) || holds_reference(value)),
        _ => false,
    }
}

fn has_key(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        // A reference is converted to a new object each time, so it is never found as a key.
        [Value::Hash(entries), key] => Ok(Value::Bool(!holds_reference(key) && entries.contains(key))),
        [other, _] => fail(format!(
            "has_key(): expects the first argument to be a hash, got {} which is of type {}",
            runtime3::inspect(other)?,
            ruby::class_name(other)
        )),
        args => fail(format!("has_key(): wrong number of arguments ({}; must be 2)", args.len())),
    }
}

fn member(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.len() < 2 {
        return fail(format!("member(): Wrong number of arguments given ({} for 2)", args.len()));
    }
    let (Some(Value::Array(array)), Some(item)) = (args.first(), args.get(1)) else {
        return fail("member(): Requires array to work with");
    };
    let elements = match item {
        Value::Str(_) | Value::Int(_) => vec![item.clone()],
        Value::Array(items) => items.to_vec(),
        _ => return fail("member(): Item to search for must be a string, fixnum, or array"),
    };
    if elements.is_empty() {
        return fail("member(): You must provide item to search for within array given");
    }
    Ok(Value::Bool(concat::subtract(&elements, array).is_empty()))
}
