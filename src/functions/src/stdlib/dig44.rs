//! `dig44`, `try_get_value`

use crate::Function;
use catwalk_base::diag::Severity;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const DIG44: Function = Function {
    name: "dig44",
    signatures: &[("Any *$args", |call| {
        let args = runtime3::at_least(call, 1)?;
        dig(&args)
    })],
    doc: "Returns the value at a path, an array of keys and indexes, in nested hashes and arrays; the third argument \
          is the default. Use `dig` or `get` instead.",
    examples: &[("dig44({'a' => [1, 2]}, ['a', 1])", "2"), ("dig44({}, ['a'], 3)", "3")],
};

pub(super) const TRY_GET_VALUE: Function = Function {
    name: "try_get_value",
    signatures: &[("Any *$args", try_get_value)],
    doc: "Returns the value at a path written with slashes, or the third argument. Deprecated: use `dig` or `get`.",
    examples: &[("try_get_value({'a' => [1, 2]}, 'a/1')", "2"), ("try_get_value({}, 'a', 'x')", "'x'")],
};

/// Ruby's error for an index that does not fit into 64 bits.
const INDEX_TOO_LARGE: &str = "bignum too big to convert into `long'";

/// The name of a value's Ruby class; an object of a type defined in Puppet has none.
fn class_name(value: &Value) -> &str {
    match ruby::class_name(value) {
        "Object" if matches!(value, Value::Object(_)) => "",
        name => name,
    }
}

fn dig(args: &[Value]) -> Res<Value> {
    if args.len() < 2 {
        return fail(format!("dig44(): Wrong number of arguments given ({} for at least 2)", args.len()));
    }
    let (data, path) = (args.first().unwrap_or(&Value::Undef), args.get(1).unwrap_or(&Value::Undef));
    if !matches!(data, Value::Hash(_) | Value::Array(_)) {
        let class = class_name(data);
        return fail(format!("dig44(): first argument must be a hash or an array, given {class}"));
    }
    let Value::Array(path) = path else {
        return fail(format!("dig44(): second argument must be an array, given {}", class_name(path)));
    };
    let mut current = data.clone();
    for key in path.iter() {
        current = match &current {
            Value::Array(items) => {
                let index = match key {
                    Value::Int(n) => Some(*n),
                    Value::BigInt(_) => return fail(INDEX_TOO_LARGE),
                    Value::Float(f) if f.is_finite() && f.abs() >= 2.0_f64.powi(63) => return fail(INDEX_TOO_LARGE),
                    #[allow(clippy::cast_possible_truncation, reason = "as Integer() does")]
                    Value::Float(f) if f.is_finite() => Some(*f as i64),
                    Value::Str(string) => match ruby::kernel_number(string) {
                        Some(Value::Int(n)) => Some(n),
                        Some(_) => return fail(INDEX_TOO_LARGE),
                        None => None,
                    },
                    _ => None,
                };
                let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                let index = index.map(|n| if n < 0 { n + length } else { n });
                index
                    .and_then(|n| usize::try_from(n).ok())
                    .and_then(|at| items.get(at))
                    .cloned()
                    .unwrap_or(Value::Undef)
            }
            Value::Hash(entries) => entries.get_value(key).cloned().unwrap_or(Value::Undef),
            _ => Value::Undef,
        };
        if current.is_undef() {
            break;
        }
    }
    Ok(if current.is_undef() { args.get(2).cloned().unwrap_or(Value::Undef) } else { current })
}

fn try_get_value(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::at_least(call, 1)?;
    let source = call.ev.scope_label();
    let message = "try_get_value() DEPRECATED: this function is deprecated, please use dig() instead.";
    call.ev.log_from(&source, Severity::Warning, message.to_owned());
    let data = args.first().cloned().unwrap_or(Value::Undef);
    let path = args.get(1).filter(|path| path.truthy()).cloned().unwrap_or_else(|| Value::from(""));
    let default = args.get(2).cloned().unwrap_or(Value::Undef);
    if !matches!(data, Value::Hash(_) | Value::Array(_)) || path.as_str() == Some("") {
        return Ok(if default.truthy() { default } else { data });
    }
    let Value::Str(path) = path else {
        return no_method("split", &path);
    };
    let separator = args.get(3).filter(|separator| separator.truthy());
    let separator = match separator {
        None => "/",
        Some(Value::Str(separator)) => separator,
        Some(other) => {
            return fail(format!("wrong argument type {} (expected Regexp)", ruby::conversion_name(other)));
        }
    };
    let message = "dig() DEPRECATED: This function has been replaced in Puppet 4.5.0, please use dig44() for backwards \
                compatibility or use the new version.";
    call.ev.log_from(&source, Severity::Warning, message.to_owned());
    let key = |part: &str| {
        let is_index = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if is_index { ruby::to_integer(&Value::from(part)).unwrap_or(Value::Int(0)) } else { Value::from(part) }
    };
    let path = ruby::split_string(&path, separator).into_iter().map(key).collect();
    dig(&[data, Value::array(path), default])
}
