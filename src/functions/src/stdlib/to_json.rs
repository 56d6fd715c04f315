//! `to_json`, `to_json_pretty`, `to_yaml` and their names in `stdlib::`, which unwrap Sensitive values and return a Sensitive
//! result.

use std::sync::Arc;

use crate::Function;
use catwalk_base::secrets::SecretCollection;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::ruby;
use catwalk_value::ruby::Layout;
use catwalk_value::ruby::YamlOptions;
use catwalk_value::secret;

pub(super) const TO_JSON: Function = Function {
    name: "to_json",
    signatures: &[("Any $data", |call| Ok(Value::from(ruby::to_json(call.arg(0), &Layout::compact())?)))],
    doc: "Returns a value as JSON on one line.",
    examples: &[("to_json({'a' => [1, undef]})", "'{\"a\":[1,null]}'"), ("to_json('x')", "'\"x\"'")],
};

pub(super) const STDLIB_TO_JSON: Function = Function {
    name: "stdlib::to_json",
    signatures: &[("Any $data", |call| {
        format_unwrapped(call, call.arg(0), |data| Ok(ruby::to_json(data, &Layout::compact())?))
    })],
    doc: "Returns a value as JSON on one line. The result is Sensitive if a Sensitive was inside.",
    examples: &[
        ("stdlib::to_json({'a' => Sensitive('x')}).unwrap", "'{\"a\":\"x\"}'"),
        ("stdlib::to_json([1])", "'[1]'"),
    ],
};

pub(super) const TO_JSON_PRETTY: Function = Function {
    name: "to_json_pretty",
    signatures: &[(PRETTY, |call| {
        let layout = layout(call.arg(2));
        let json = ruby::to_json(&compact(call.arg(0), call.arg(1)), &layout)?;
        Ok(Value::from(json + "\n"))
    })],
    doc: "Returns an array or hash as JSON over several lines. With `true` as second argument, `undef` at the top \
          level is left out; options as third argument set `indent`, `space`, `space_before`, `object_nl`, `array_nl`.",
    examples: &[
        ("to_json_pretty({'a' => 1})", "\"{\\n  \\\"a\\\": 1\\n}\\n\""),
        ("to_json_pretty({'a' => undef, 'b' => 1}, true)", "\"{\\n  \\\"b\\\": 1\\n}\\n\""),
    ],
};

pub(super) const STDLIB_TO_JSON_PRETTY: Function = Function {
    name: "stdlib::to_json_pretty",
    signatures: &[(PRETTY, |call| {
        let layout = layout(call.arg(2));
        format_unwrapped(call, &compact(call.arg(0), call.arg(1)), |data| Ok(ruby::to_json(data, &layout)? + "\n"))
    })],
    doc: "Returns an array or hash as JSON over several lines, with the options of `to_json_pretty`. The result is \
          Sensitive if a Sensitive was inside.",
    examples: &[
        ("stdlib::to_json_pretty([1])", "\"[\\n  1\\n]\\n\""),
        ("stdlib::to_json_pretty({'a' => undef, 'b' => 1}, true)", "\"{\\n  \\\"b\\\": 1\\n}\\n\""),
    ],
};

pub(super) const TO_YAML: Function = Function {
    name: "to_yaml",
    signatures: &[("Any $data, Hash $options = {}", |call| {
        runtime3::check_symbol_keys(call.arg(1))?;
        Ok(Value::from(ruby::to_yaml(call.arg(0), yaml_options(call.arg(1)))?))
    })],
    doc: "Returns a value as a YAML document. The hash of options may hold `indentation` and `line_width`.",
    examples: &[("to_yaml({'a' => ['b']})", "\"---\\na:\\n- b\\n\""), ("to_yaml('1')", "\"--- '1'\\n\"")],
};

pub(super) const STDLIB_TO_YAML: Function = Function {
    name: "stdlib::to_yaml",
    signatures: &[("Any $data, Hash $options = {}", |call| {
        runtime3::check_symbol_keys(call.arg(1))?;
        let options = yaml_options(call.arg(1));
        format_unwrapped(call, call.arg(0), |data| Ok(ruby::to_yaml(data, options)?))
    })],
    doc: "Returns a value as a YAML document. The result is Sensitive if a Sensitive was inside.",
    examples: &[
        ("stdlib::to_yaml([1])", "\"---\\n- 1\\n\""),
        ("stdlib::to_yaml(Sensitive({'a' => 1})).unwrap", "\"---\\na: 1\\n\""),
    ],
};

pub(super) const REWRAP_SENSITIVE_DATA: Function = Function {
    name: "stdlib::rewrap_sensitive_data",
    signatures: &[("Any $data, Optional[Callable[Any]] &$block >> Any", |call| {
        let mut has_sensitive = false;
        let plain = unwrap(call.arg(0), &mut has_sensitive, call.ev.world.secrets(), 0);
        let result = if call.has_block() { call.call_block(&[plain])? } else { plain };
        Ok(if has_sensitive { Value::Sensitive(Arc::new(result)) } else { result })
    })],
    doc: "Unwraps the Sensitives inside a value and passes the result to the block, if there is one. The result is \
          Sensitive if there was one inside.",
    examples: &[
        ("stdlib::rewrap_sensitive_data([Sensitive(1)]).unwrap", "[1]"),
        ("stdlib::rewrap_sensitive_data([1]) |$plain| { length($plain) }", "1"),
    ],
};

const PRETTY: &str = "Variant[Hash, Array] $data, Optional[Boolean] $skip_undef = false, Struct[{\
     indent => Optional[String], space => Optional[String], space_before => Optional[String], \
     object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], \
     max_nesting => Optional[Integer[-1,default]]}] $opts = {}";

fn compact(data: &Value, skip_undef: &Value) -> Value {
    if !skip_undef.truthy() {
        return data.clone();
    }
    match data {
        Value::Array(items) => Value::array(items.iter().filter(|value| !value.is_undef()).cloned().collect()),
        Value::Hash(entries) => {
            let set_entries = entries.iter().filter(|(_, value)| !value.is_undef());
            Value::hash(set_entries.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        other => other.clone(),
    }
}

fn layout(options: &Value) -> Layout {
    let mut layout = Layout::pretty();
    let Value::Hash(options) = options else { return layout };
    let set_string = |name: &str, into: &mut String| {
        if let Some(value) = options.get(name).filter(|value| value.truthy()) {
            *into = ruby::to_s(value).into_owned();
        }
    };
    set_string("indent", &mut layout.indent);
    set_string("space", &mut layout.space);
    set_string("space_before", &mut layout.space_before);
    set_string("object_nl", &mut layout.object_nl);
    set_string("array_nl", &mut layout.array_nl);
    layout.allow_nan = options.get("allow_nan").is_some_and(Value::truthy);
    if let Some(Value::Int(depth)) = options.get("max_nesting") {
        layout.max_nesting = usize::try_from(*depth).unwrap_or(0);
    }
    layout
}

fn yaml_options(options: &Value) -> YamlOptions {
    let Value::Hash(options) = options else { return YamlOptions::default() };
    let number = |name: &str| match options.get(name) {
        Some(Value::Int(n)) => Some(*n),
        _ => None,
    };
    YamlOptions {
        indentation: number("indentation"),
        line_width: number("line_width"),
        canonical: options.get("canonical").is_some_and(Value::truthy),
    }
}

/// Formats a value with its Sensitive parts unwrapped; the result is Sensitive if there were any.
pub(super) fn format_unwrapped(
    call: &Call<'_, '_>,
    data: &Value,
    format: impl FnOnce(&Value) -> Res<String>,
) -> Res<Value> {
    let mut has_sensitive = false;
    let plain = unwrap(data, &mut has_sensitive, call.ev.world.secrets(), 0);
    let string = Value::from(format(&plain)?);
    Ok(if has_sensitive { Value::Sensitive(Arc::new(string)) } else { string })
}

fn unwrap(value: &Value, has_sensitive: &mut bool, secrets: &SecretCollection, depth: usize) -> Value {
    match value {
        _ if depth > 1000 => value.clone(),
        Value::Sensitive(inner) => {
            *has_sensitive = true;
            secret::reveal(inner, secrets);
            unwrap(inner, has_sensitive, secrets, depth + 1)
        }
        Value::Array(items) => {
            Value::array(items.iter().map(|item| unwrap(item, has_sensitive, secrets, depth + 1)).collect())
        }
        Value::Hash(entries) => {
            let mut out = Hash::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                let key = match key {
                    Value::Sensitive(key) => {
                        *has_sensitive = true;
                        secret::reveal(key, secrets);
                        key.as_ref().clone()
                    }
                    key => key.clone(),
                };
                out.insert(key, unwrap(value, has_sensitive, secrets, depth + 1));
            }
            Value::hash(out)
        }
        other => other.clone(),
    }
}
