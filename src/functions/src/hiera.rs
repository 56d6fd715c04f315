//! `hiera`, `hiera_array`, `hiera_hash`, `hiera_include`: Hiera 3's functions, which call `lookup`. Deprecated.

use crate::Function;
use catwalk_base::version::Version;
use catwalk_eval::Body;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_hiera::Answer;
use catwalk_hiera::Failure;
use catwalk_hiera::Request;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const HIERA: Function = Function {
    name: "hiera",
    signatures: &signatures(|call| look_up(call, "first")),
    doc: "Looks up a key in Hiera with the legacy interface: key, default, and a name to put before the hierarchy. \
          Deprecated: use `lookup`. A missing key is an error unless there is a default; merge options in the data are \
          ignored.",
    examples: &[("hiera('example_key')", "'from data'"), ("hiera('no_such_key', 'default')", "'default'")],
};

pub(super) const HIERA_ARRAY: Function = Function {
    name: "hiera_array",
    signatures: &signatures(|call| look_up(call, "unique")),
    doc: "Looks up a key on all levels of Hiera and returns one flat array of all values, without duplicates. \
          Deprecated: use `lookup` with the merge behaviour `unique`.",
    examples: &[("hiera_array('example_list')", "['a', 'b']"), ("hiera_array('no_such_key', [])", "[]")],
};

pub(super) const HIERA_HASH: Function = Function {
    name: "hiera_hash",
    signatures: &signatures(|call| look_up(call, "hash")),
    doc: "Looks up a key on all levels of Hiera and merges the hashes by their top-level keys; the higher level wins. \
          Deprecated: use `lookup` with the merge behaviour `hash`.",
    examples: &[("hiera_hash('example_hash')", "{'x' => 1}"), ("hiera_hash('no_such_key', {})", "{}")],
};

pub(super) const HIERA_INCLUDE: Function = Function {
    name: "hiera_include",
    signatures: &signatures(|call| {
        let classes = look_up(call, "unique")?;
        match &classes {
            Value::Undef => fail(format!("Could not find data item {}", call.str(0))),
            Value::Array(classes) if classes.is_empty() => Ok(Value::Undef),
            Value::Hash(classes) if classes.is_empty() => Ok(Value::Undef),
            Value::Str(class) if class.is_empty() => Ok(Value::Undef),
            // Values with a method `empty?` in Ruby, including symbols.
            Value::Str(_) | Value::Array(_) | Value::Hash(_) | Value::Default => {
                call.call_function("include", std::slice::from_ref(&classes))
            }
            other => fail(format!("undefined method `empty?' for {}", ruby::receiver(other))),
        }
    }),
    doc: "Looks up a key on all levels of Hiera and includes all classes found. Deprecated: use `lookup('classes', \
          {merge => unique}).include`.",
    examples: &[
        ("hiera_include('example_classes')\ndefined(Class['example::web'])", "true"),
        ("hiera_include('no_such_key', ['example'])\ndefined(Class['example'])", "true"),
    ],
};

const fn signatures(body: Body) -> [(&'static str, Body); 5] {
    [
        ("Tuple[String, Any, Any, 1, 3] $args", body),
        ("String $key", body),
        ("String $key, Any $default, Any $override = undef", body),
        ("String $key, Callable[1,1] &$default_block", body),
        ("String $key, Any $override, Callable[1,1] &$default_block", body),
    ]
}

/// The address of the page on deprecated parts of the language, which names the version before OpenVox 9.
fn deprecated_language(version: Version) -> String {
    let address = version.documentation("deprecated_language");
    if version.major >= 9 { address } else { address.replace("latest", version.series()) }
}

fn look_up(call: &mut Call<'_, '_>, merge: &str) -> Res<Value> {
    if let [Value::Array(_)] = call.args {
        // Puppet calls a method that does not exist.
        return fail(format!("undefined method `hiera' for an instance of the function '{}'", call.name));
    }
    if call.ev.settings.strict != catwalk_eval::Strict::Off {
        let message = format!(
            "The function '{}' is deprecated in favor of using 'lookup'. See {}",
            call.name,
            deprecated_language(call.ev.settings.version)
        );
        runtime3::warn_once_without_position(call, &message);
    }
    let args = call.args.to_vec();
    let names = [args.first().and_then(Value::as_str).unwrap_or_default().to_owned()];
    let override_level = if call.has_block() { args.get(1) } else { args.get(2) };
    let mut extra_paths = Vec::new();
    match override_level {
        None | Some(Value::Undef) => {}
        Some(paths) => flatten(paths, &mut extra_paths),
    }
    let merge = Value::from(merge);
    let extra_paths = extra_paths.as_slice();
    let request =
        Request { names: &names, merge: &merge, overrides: None, defaults: None, hiera_call: true, extra_paths };
    let span = call.span;
    if let Answer::Found { value, .. } = call.ev.lookup(&request, span)? {
        return Ok(value);
    }
    if call.has_block() {
        return call.call_block(args.get(..1).unwrap_or_default());
    }
    match args.get(1) {
        Some(default) => Ok(default.clone()),
        None => Err(catwalk_eval::lookup_stop(call.ev, Failure::no_value(&names), Some(span))),
    }
}

fn flatten(value: &Value, flat: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, flat)),
        other => flat.push(other.clone()),
    }
}
