//! `with`, `then`, `lest`, `call`: run a block or another function.

use crate::Function;
use catwalk_base::names::Name;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::Strict;
use catwalk_eval::runtime3;
use catwalk_value::Value;

/// `with`
pub(super) const WITH: Function = Function {
    name: "with",
    signatures: &[("Any *$arg, Callable &$block", |call| call.call_block(call.args))],
    doc: "Calls a block with the arguments and returns its result. Use it for short-lived variables.",
    examples: &[("with(1, 2) |$a, $b| { $a + $b }", "3"), ("with('x') |$a| { upcase($a) }", "'X'")],
};

/// `then`
pub(super) const THEN: Function = Function {
    name: "then",
    signatures: &[("Any $arg, Callable[1,1] &$block", |call| match call.arg(0) {
        Value::Undef => Ok(Value::Undef),
        value => call.call_block(std::slice::from_ref(value)),
    })],
    doc: "Calls a block with the value and returns its result; returns `undef` for `undef`, without calling the block. \
          `false` and the empty string are values. The counterpart of `lest`.",
    examples: &[("1.then |$x| { $x + 1 }", "2"), ("undef.then |$x| { 1 }", "undef")],
};

/// `lest`
pub(super) const LEST: Function = Function {
    name: "lest",
    signatures: &[("Any $arg, Callable[0,0] &$block", |call| match call.arg(0) {
        Value::Undef => call.call_block(&[]),
        value => Ok(value.clone()),
    })],
    doc: "Returns the value, or the result of a block without parameters if the value is `undef`. `false` and the \
          empty string are values. The counterpart of `then`.",
    examples: &[
        ("1.lest || { 2 }", "1"),
        ("undef.lest || { 2 }", "2"),
        ("{'a' => {}}.dig('a', 'b').lest || { 'none' }", "'none'"),
    ],
};

/// `call`
pub(super) const CALL: Function = Function {
    name: "call",
    signatures: &[
        ("String $function_name, Any *$arguments, Optional[Callable] &$block", call_by_name),
        ("Deferred $deferred", call_deferred),
    ],
    doc: "Calls the function with the given name, which may be computed, and passes on all further arguments and the \
          block. A `Deferred` as the only argument is resolved immediately, on the machine that compiles.",
    examples: &[
        ("call('join', ['a', 'b'], '-')", "'a-b'"),
        ("call('map', [1, 2]) |$x| { $x + 1 }", "[2, 3]"),
        ("call(Deferred('upcase', ['x']))", "'X'"),
    ],
};

fn call_by_name(call: &mut Call<'_, '_>) -> Res<Value> {
    call_named(call, call.str(0), call.args.get(1..).unwrap_or_default())
}

fn call_named(call: &mut Call<'_, '_>, name: &str, args: &[Value]) -> Res<Value> {
    match call.ev.try_call(Name::new(name), args, call.block, call.span) {
        // Puppet catches `return` here, both from the function and from its block.
        Some(Err(Stop::Return(jump))) => Ok(jump.0),
        Some(result) => result,
        None if name.is_empty() => call.fail("undefined method `empty?' for nil:NilClass"),
        None => call.fail(format!("Unknown function '{name}'")),
    }
}

/// A deferred call, or a variable with keys (`$facts`, `os`, `family`).
fn call_deferred(call: &mut Call<'_, '_>) -> Res<Value> {
    let value = call.arg(0).clone();
    resolve(call, &value, 0)
}

/// The result of `Scope#lookupvar` for an unknown variable.
fn report_unknown_variable(call: &mut Call<'_, '_>, variable: &str) -> Res<Value> {
    let message = format!("Undefined variable '{variable}'; ");
    match call.ev.settings.strict {
        Strict::Off => {}
        Strict::Warning => runtime3::warn_once_without_position(call, &message),
        Strict::Error => return call.fail(message),
    }
    Ok(Value::Undef)
}

fn resolve(call: &mut Call<'_, '_>, value: &Value, depth: u32) -> Res<Value> {
    if depth > 200 {
        return call.fail("stack level too deep");
    }
    match value {
        Value::Object(object) if object.object_type.name.as_deref() == Some("Deferred") => {
            let name = object.get("name").unwrap_or(Value::Undef);
            let name = name.as_str().unwrap_or("").to_owned();
            let arguments = match object.get("arguments") {
                Some(Value::Array(items)) => items,
                _ => Default::default(),
            };
            let mut args = Vec::with_capacity(arguments.len() + 1);
            if let Some(variable) = name.strip_prefix('$') {
                // The variable is looked up at top scope.
                let qualified_name =
                    if variable.contains("::") { variable.to_owned() } else { format!("::{variable}") };
                args.push(match call.ev.variable_named(&qualified_name)? {
                    Ok(value) => value,
                    Err(_) => report_unknown_variable(call, variable)?,
                });
            }
            for arg in arguments.iter() {
                args.push(resolve(call, arg, depth + 1)?);
            }
            call_named(call, if name.starts_with('$') { "dig" } else { &name }, &args)
        }
        Value::Array(items) => {
            let resolved = items.iter().map(|item| resolve(call, item, depth + 1)).collect::<Res<Vec<_>>>()?;
            Ok(Value::array(resolved))
        }
        Value::Hash(entries) => {
            let mut resolved = catwalk_value::Hash::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                resolved.insert(key.clone(), resolve(call, value, depth + 1)?);
            }
            Ok(Value::hash(resolved))
        }
        Value::Sensitive(inner) => Ok(Value::Sensitive(std::sync::Arc::new(resolve(call, inner, depth + 1)?))),
        other => Ok(other.clone()),
    }
}
