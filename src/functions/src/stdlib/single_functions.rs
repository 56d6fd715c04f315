//! `sprintf_hash`, `time`, `type_of`, `type3x`, `stdlib::has_function`, `stdlib::sort_by`, `stdlib::str2resource`,
//! `stdlib::validate_…`: single functions.

use std::sync::Arc;

use crate::Function;
use crate::iterable;
use crate::stdlib::checks;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::check_reference_tag;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const SPRINTF_HASH: Function = Function {
    name: "sprintf_hash",
    signatures: &[("String $format, Hash $arguments", |call| {
        checks::warn_deprecated(
            call,
            "sprintf_hash",
            "This method is deprecated. From Puppet 4.10.10/5.3.4 please use the built-in sprintf instead",
        )?;
        runtime3::check_symbol_keys(call.arg(1))?;
        let Value::Hash(arguments) = call.arg(1) else { return Ok(Value::Undef) };
        let symbol = |key: &Value| key.as_str().map_or_else(|| key.clone(), |name| Value::Symbol(Arc::from(name)));
        let named = arguments.iter().map(|(key, value)| (symbol(key), value.clone())).collect();
        let formatted = catwalk_value::sprintf::sprintf(call.str(0), &[Value::hash(named)]);
        Ok(Value::from(formatted.map_err(Reason::runtime)?))
    })],
    doc: "Formats a string with directives that name keys of a hash. Deprecated: use `sprintf`.",
    examples: &[
        ("sprintf_hash('%<a>s', {'a' => 1})", "'1'"),
        ("sprintf_hash('%{a}-%{b}', {'a' => 1, 'b' => 'x'})", "'1-x'"),
    ],
};

pub(super) const TIME: Function = Function {
    name: "time",
    signatures: &[("Any *$args", |call| {
        if call.args.len() > 1 {
            return fail(format!("time(): Wrong number of arguments given {} for 0 or 1", call.args.len()));
        }
        // Puppet sets it as the time zone.
        match call.arg(0) {
            Value::Str(_) | Value::Undef | Value::Bool(false) => {}
            Value::Array(items) if items.is_empty() => {}
            Value::Hash(entries) if entries.is_empty() => {}
            zone @ (Value::Array(_) | Value::Hash(_)) => {
                return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(zone)));
            }
            zone => return no_method("empty?", zone),
        }
        Ok(Value::Int(i64::try_from(call.ev.world.now().as_secs()).unwrap_or(i64::MAX)))
    })],
    doc: "Returns the seconds since 1970-01-01 UTC. A time zone is accepted and ignored.",
    examples: &[("time() > 1500000000", "true"), ("time() =~ Integer", "true")],
};

pub(super) const TYPE_OF: Function = Function {
    name: "type_of",
    signatures: &[("Any $value", |call| Ok(Value::Type(catwalk_value::infer_set(call.arg(0)))))],
    doc: "Returns the detailed type of a value; the same as `type`.",
    examples: &[("type_of(true)", "Boolean[true]"), ("type_of(1)", "Integer[1, 1]")],
};

pub(super) const STDLIB_TYPE_OF: Function = Function {
    name: "stdlib::type_of",
    signatures: &[("Any $value", |call| Ok(Value::Type(catwalk_value::infer_set(call.arg(0)))))],
    doc: "Returns the detailed type of a value; the same as `type`.",
    examples: &[("stdlib::type_of('a')", "type('a')"), ("stdlib::type_of(1)", "Integer[1, 1]")],
};

pub(super) const TYPE3X: Function = Function {
    name: "type3x",
    signatures: &[("Any *$args", |call| {
        let args = runtime3::args(call)?;
        match args.as_ref() {
            [Value::Bool(_)] => Ok(Value::from("boolean")),
            [Value::Str(string)] if checks::is_decimal_string(string) => Ok(Value::from("integer")),
            [string @ Value::Str(_)] if checks::is_float(string) => Ok(Value::from("float")),
            [
                value @ (Value::Array(_)
                | Value::Int(_)
                | Value::BigInt(_)
                | Value::Float(_)
                | Value::Hash(_)
                | Value::Str(_)),
            ] => Ok(Value::from(ruby::class_name(value).to_lowercase())),
            [_] => fail("type3x(): Unknown type"),
            args => fail(format!("type3x(): Wrong number of arguments given ({} for 1)", args.len())),
        }
    })],
    doc: "Returns the kind of a value as Puppet 3 named it; a string that contains a number has the kind of that \
          number.",
    examples: &[("type3x('1')", "'integer'"), ("type3x([])", "'array'")],
};

pub(super) const HAS_FUNCTION: Function = Function {
    name: "stdlib::has_function",
    signatures: &[("String[1] $function_name >> Boolean", |call| {
        Ok(Value::Bool(runtime3::has_function(call, call.str(0))?))
    })],
    doc: "Returns whether a function of this name exists.",
    examples: &[("stdlib::has_function('join')", "true"), ("stdlib::has_function('no_such')", "false")],
};

pub(super) const SORT_BY: Function = Function {
    name: "stdlib::sort_by",
    signatures: &[
        ("Array $ary, Callable[1,1] &$block", |call| Ok(Value::array(sort_by(call)?))),
        ("String $str, Callable[1,1] &$block", |call| {
            Ok(Value::from(sort_by(call)?.iter().filter_map(Value::as_str).collect::<String>()))
        }),
        ("Hash $hsh, Variant[Callable[1,1], Callable[2,2]] &$block", |call| {
            let pair = |value: Value| match value {
                Value::Array(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
                _ => None,
            };
            Ok(Value::hash(sort_by(call)?.into_iter().filter_map(pair).collect()))
        }),
    ],
    doc: "Sorts the elements of an array, the characters of a string or the entries of a hash by the results of the \
          block; the block of a hash takes a pair `[key, value]`.",
    examples: &[
        ("stdlib::sort_by([3, 1, 2]) |$x| { 0 - $x }", "[3, 2, 1]"),
        ("stdlib::sort_by({'a' => 2, 'b' => 1}) |$pair| { $pair[1] }", "{'b' => 1, 'a' => 2}"),
    ],
};

pub(super) const STR2RESOURCE: Function = Function {
    name: "stdlib::str2resource",
    signatures: &[("String $res_string >> Any", |call| {
        let reference_string = call.str(0);
        let Some(id) = call.ev.find_reference(reference_string)? else {
            let capitalized = catwalk_value::capitalize_segments;
            check_reference_tag(reference_string)?;
            let reference = reference_string.split_once('[').map_or_else(
                || reference_string.to_owned(),
                |(name, title)| match capitalized(name) {
                    class if class == "Class" => format!("{class}[{}", capitalized(title)),
                    name => format!("{name}[{title}"),
                },
            );
            return fail(format!(
                "stdlib::str2resource(): could not find {reference}, this is parse order dependent and values should not be \
                 quoted"
            ));
        };
        let entry = call.ev.state.resources.entries.get(id.0 as usize);
        let reference = entry.map(|entry| Type::resource(entry.type_name.as_str(), Some(entry.title.clone())));
        // The function returns the resource itself.
        call.ev.convert_3x_result(reference.map_or(Value::Undef, Value::Type))
    })],
    doc: "Returns the reference to a declared resource from a string, `Type[title]` with the title unquoted. Fails if \
          the resource has not been declared yet.",
    examples: &[
        ("notify { 'x': }\nstdlib::str2resource('Notify[x]') =~ NotUndef", "true"),
        (
            "stdlib::str2resource('Notify[nothing]')",
            "error: stdlib::str2resource(): could not find Notify[nothing], this is parse order dependent and values should not be quoted",
        ),
    ],
};

pub(super) const VALIDATE_DOMAIN_NAME: Function = Function {
    name: "stdlib::validate_domain_name",
    signatures: &[("Any *$values", |call| check_types(call, "Variant[Stdlib::Fqdn, Stdlib::Dns::Zone]"))],
    doc: "Fails unless all arguments are domain names, by types of the module stdlib, which has to be on the \
          modulepath with its types.",
    examples: &[
        ("defined('stdlib::validate_domain_name')", "false"),
        ("if false { stdlib::validate_domain_name('a') }", "undef"),
    ],
};

pub(super) const VALIDATE_EMAIL_ADDRESS: Function = Function {
    name: "stdlib::validate_email_address",
    signatures: &[("Any *$values", |call| check_types(call, "Stdlib::Email"))],
    doc: "Fails unless all arguments are e-mail addresses, by a type of the module stdlib, which has to be on the \
          modulepath with its types.",
    examples: &[
        ("defined('stdlib::validate_email_address')", "false"),
        ("if false { stdlib::validate_email_address('a') }", "undef"),
    ],
};

/// Checks that all arguments are of a type of the module. Such a type cannot be in a signature, since it is loaded during the call.
fn check_types(call: &mut Call<'_, '_>, expected: &str) -> Res<Value> {
    if call.args.is_empty() {
        return fail(format!("{}(): Wrong number of arguments need at least one", call.name));
    }
    let expected = call.ev.parse_type(expected)?;
    for value in call.args {
        if !catwalk_value::is_instance(&expected, value) {
            let message =
                catwalk_value::mismatch::describe_mismatch("values", &expected, &catwalk_value::infer_set(value));
            return fail(format!("'{}' parameter '{}", call.name, message.replacen("values", "values'", 1)));
        }
    }
    Ok(Value::Undef)
}

fn sort_by(call: &mut Call<'_, '_>) -> Res<Vec<Value>> {
    let list = call.arg(0).clone();
    let mut keyed = Vec::new();
    for item in iterable::items(&list).iter() {
        let key = call.call_block(std::slice::from_ref(item))?;
        keyed.push(Value::array(vec![key, item.clone()]));
    }
    let first = |value: &Value| match value {
        Value::Array(pair) => pair.first().cloned().unwrap_or(Value::Undef),
        _ => Value::Undef,
    };
    let sorted = ruby::sort(keyed, &mut |a, b| {
        let (a, b) = (first(a), first(b));
        ruby::compare(&a, &b).ok_or_else(|| Stop::from(ruby::not_comparable(&a, &b)))
    })?;
    let second = |value: Value| match value {
        Value::Array(pair) => pair.get(1).cloned().unwrap_or(Value::Undef),
        _ => Value::Undef,
    };
    Ok(sorted.into_iter().map(second).collect())
}
