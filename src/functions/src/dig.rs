//! `dig`, `get`, `getvar`: values inside values.

use std::sync::Arc;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3::fail;
use catwalk_value::Hash;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const DIG: Function = Function {
    name: "dig",
    signatures: &[("Optional[Collection] $data, Any *$arg", dig)],
    doc: "Follows keys and indexes into nested hashes and arrays and returns the value at the end, or `undef` as soon \
          as a step finds nothing. A step into a value that is neither a hash nor an array is an error.",
    examples: &[
        ("dig({'a' => [10, 20]}, 'a', 1)", "20"),
        ("{'a' => 1}.dig('b', 'c')", "undef"),
        (
            "dig({'a' => 1}, 'a', 'b')",
            "error: The given data does not contain a Collection at [\"a\"], got 'Integer[1, 1]'",
        ),
    ],
};

pub(super) const GET: Function = Function {
    name: "get",
    signatures: &[(
        "Any $value, String $dotted_string, Any $default_value = undef, Optional[Callable[1,1]] &$block",
        get,
    )],
    doc: "Returns the value at a path of keys and indexes joined with dots, such as `'a.0.b'`, or the third argument \
          (`undef` by default) if there is none. Quote a part that contains a dot. A path into a value that cannot be \
          indexed is an error, unless a block receives the error and returns a result.",
    examples: &[
        ("get({'a' => [10, 20]}, 'a.1')", "20"),
        ("get({'a' => 1}, 'b', 5)", "5"),
        ("{'a.b' => 7}.get('\"a.b\"')", "7"),
        ("get({'a' => 1}, 'a.b') |$error| { 'none' }", "'none'"),
    ],
};

pub(super) const GETVAR: Function = Function {
    name: "getvar",
    signatures: &[
        (
            "Pattern[/\\A(?:::)?(?:[a-z]\\w*::)*[a-z_]\\w*(?:\\.|\\Z)/] $get_string, \
             Any $default_value = undef, Optional[Callable[1,1]] &$block",
            getvar,
        ),
        ("! String $get_string, Any $default_value = undef, Optional[Callable] &$block", no_variable),
    ],
    doc: "Returns the value of the variable with the given name, which may be qualified and followed by a path of keys \
          and indexes joined with dots. Returns the second argument (`undef` by default) if there is no value, without \
          the error or warning of an unknown variable. A block receives errors of the path and returns the result.",
    examples: &[
        ("$a = {'b' => [1, 2]}\ngetvar('a.b.1')", "2"),
        ("getvar('no_such_variable', 3)", "3"),
        ("getvar('facts.os.family')", "'Debian'"),
    ],
};

/// The parts of the Error value for a path that cannot be followed.
struct PathError {
    message: String,
    issue: &'static str,
    detail: &'static str,
    walked: Vec<Value>,
    value: Value,
}

fn walk(data: &Value, path: &[Value]) -> Result<Value, PathError> {
    let mut walked: Vec<Value> = Vec::new();
    let mut current = data.clone();
    for key in path {
        if current.is_undef() || key.is_undef() {
            return Ok(Value::Undef);
        }
        let inspect_path = |walked: &[Value]| ruby::inspect(&Value::array(walked.to_vec()));
        let next = match (&current, key) {
            (Value::Array(items), Value::Int(at)) => {
                let at =
                    if *at < 0 { usize::try_from(*at + items.len() as i64).ok() } else { usize::try_from(*at).ok() };
                at.and_then(|at| items.get(at)).cloned().unwrap_or(Value::Undef)
            }
            (Value::Array(_), Value::BigInt(_)) => {
                let message = "bignum too big to convert into `long'".to_owned();
                return Err(PathError { message, issue: "", detail: "", walked, value: Value::Undef });
            }
            (Value::Array(_), key) => {
                let found_type = Value::Type(catwalk_value::infer(key));
                walked.push(key.clone());
                let message = format!(
                    "The given data requires an Integer index at {}, got '{}'",
                    inspect_path(&walked),
                    ruby::to_s(&found_type)
                );
                let (issue, detail) = ("EXPECTED_INTEGER_INDEX", "index_type");
                return Err(PathError { message, issue, detail, walked, value: found_type });
            }
            (Value::Hash(entries), key) => entries.get_value(key).cloned().unwrap_or(Value::Undef),
            (other, _) => {
                let found_type = Value::Type(catwalk_value::infer(other));
                let message = format!(
                    "The given data does not contain a Collection at {}, got '{}'",
                    inspect_path(&walked),
                    ruby::to_s(&found_type)
                );
                let (issue, detail) = ("EXPECTED_COLLECTION", "value_type");
                return Err(PathError { message, issue, detail, walked, value: found_type });
            }
        };
        walked.push(key.clone());
        current = next;
    }
    Ok(current)
}

fn dig(call: &mut Call<'_, '_>) -> Res<Value> {
    let path = call.args.get(1..).unwrap_or_default();
    walk(call.arg(0), path).or_else(|error| fail(error.message))
}

fn get(call: &mut Call<'_, '_>) -> Res<Value> {
    let path = call.str(1);
    get_from(call, call.arg(0).clone(), path, call.arg(2).clone())
}

fn get_from(call: &mut Call<'_, '_>, value: Value, path: &str, default: Value) -> Res<Value> {
    if value.is_undef() {
        return Ok(default);
    }
    if path.is_empty() {
        return Ok(value);
    }
    let Some(keys) = split_path(path) else { return fail("Syntax error in dotted-navigation string") };
    if !matches!(value, Value::Array(_) | Value::Hash(_)) {
        let args: Vec<Value> = std::iter::once(value).chain(keys).collect();
        return call.call_function("dig", &args);
    }
    match walk(&value, &keys) {
        Ok(Value::Undef) => Ok(default),
        Ok(found) => Ok(found),
        Err(error) if call.block.is_some() => {
            let mut details = Hash::new();
            details.set("walked_path", Value::array(error.walked));
            details.set(error.detail, error.value);
            let mut attributes = Hash::with_capacity(4);
            attributes.set("msg", Value::from(error.message));
            attributes.set("kind", Value::from("SLICE_ERROR"));
            attributes.set("details", Value::hash(details));
            attributes.set("issue_code", Value::from(error.issue));
            // The details may be values that Error.new does not accept.
            let error = Value::Object(Arc::new(Object { object_type: ObjectType::error(), attributes }));
            call.call_block(&[error])
        }
        Err(error) => fail(error.message),
    }
}

/// `a.b."c.d".0` as keys: quoted parts are single keys, integers are indexes. `None` for wrong quoting.
fn split_path(path: &str) -> Option<Vec<Value>> {
    let mut keys = Vec::new();
    let mut rest = path;
    loop {
        let trimmed = rest.trim_start();
        let quote = trimmed.chars().next().filter(|c| matches!(c, '"' | '\''));
        let after = if let Some(quote) = quote {
            let body = &trimmed[1..];
            let end = body.find(quote).filter(|end| *end > 0)?;
            keys.push(Value::from(&body[..end]));
            body[end + 1..].trim_start()
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            let key = &rest[..end];
            if key.is_empty() || key.contains(['"', '\'']) {
                return None;
            }
            let key = key.trim();
            let digits = key.strip_prefix(['+', '-']).unwrap_or(key);
            let index = catwalk_value::big::from_digits(digits, 10, key.starts_with('-'));
            keys.push(index.unwrap_or_else(|| Value::from(key)));
            &rest[end..]
        };
        if after.is_empty() {
            return Some(keys);
        }
        rest = after.strip_prefix('.')?;
    }
}

fn getvar(call: &mut Call<'_, '_>) -> Res<Value> {
    let string = call.str(0);
    let end = string.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':')).unwrap_or(string.len());
    let (name, rest) = string.split_at(end);
    let path = match rest.strip_prefix('.') {
        Some(path) => path,
        None if rest.is_empty() => "",
        None => {
            let odd = rest.chars().next().unwrap_or_default();
            return fail(format!("First character after var name in get string must be a '.' - got {odd}"));
        }
    };
    match call.ev.variable_named(name)? {
        Ok(value) => get_from(call, value, path, call.arg(1).clone()),
        Err(_) => Ok(call.arg(1).clone()),
    }
}

fn no_variable(_call: &mut Call<'_, '_>) -> Res<Value> {
    Ok(Value::from("The given string does not start with a valid variable name"))
}
