//! Values that Rhai has no type for, and strings.

use rhai::Dynamic;
use rhai::ImmutableString;

use crate::api::Fallible;
use crate::api::fail;
use crate::api::to_value;
use crate::bridge;
use crate::bridge::Opaque;
use crate::bridge::SensitiveHandle;
use crate::callers;
use crate::host;
use crate::host::HostFailure;
use crate::stand_in;
use crate::state;
use crate::table::Item;
use crate::table::function;
use crate::table::method;
use crate::table::phase;
use crate::table::property;
use catwalk_base::meter;
use catwalk_regexp::Regexp;
use catwalk_value::Value;
use catwalk_value::secret;

/// Parses a type; types of the site are only available while a catalog is compiled.
fn parse_type(text: &str) -> Fallible<Value> {
    if let Some(parsed) = host::call(|host| host.parse_type(text)) {
        return parsed.map_err(host::raise);
    }
    catwalk_value::parse_type(text, &mut catwalk_value::NoAliases)
        .map(Value::Type)
        .or_else(|reason| fail(reason.message))
}

fn type_of(dynamic: Dynamic) -> Fallible<Opaque> {
    let value = to_value(dynamic)?;
    if let Some(data_type) = host::call(|host| host.type_of(&value)) {
        return data_type.map(Opaque).map_err(host::raise);
    }
    Ok(Opaque(Value::Type(catwalk_value::infer_set(&value))))
}

fn is_a(dynamic: Dynamic, data_type: &Value) -> Fallible<bool> {
    let value = to_value(dynamic)?;
    if let Value::Type(_) | Value::Object(_) = data_type
        && let Some(answer) = host::call(|host| host.is_a(&value, data_type))
    {
        return answer.map_err(host::raise);
    }
    match data_type {
        Value::Type(data_type) => Ok(catwalk_value::is_instance(data_type, &value)),
        _ => fail(NOT_A_TYPE),
    }
}

/// The message for an argument that is not a type.
pub(crate) const NOT_A_TYPE: &str = "is_a() needs a type: puppet_type(\"Integer[1]\") or its string";

/// Whether a string matches a regular expression. Each thread keeps the expressions that it compiled last.
fn matches(text: &str, pattern: &str) -> Fallible<bool> {
    state::patterns(|cache| {
        if let Some((_, compiled)) = cache.iter().find(|(text, _)| text == pattern) {
            return Ok(compiled.is_match(text));
        }
        let compiled = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build();
        let compiled = compiled.or_else(|why| fail(format!("bad regular expression: {why}")))?;
        let is_match = compiled.is_match(text);
        if cache.len() >= 32 {
            cache.remove(0);
        }
        cache.push((pattern.to_owned(), compiled));
        Ok(is_match)
    })
}

/// The parts of a string that a Ruby regular expression and its groups match; `()` if it does not match.
fn captures(text: &str, pattern: &str) -> Fallible<Dynamic> {
    meter::tick(text.len() / 64);
    let captures = Regexp::new(pattern)
        .captures(text)
        .or_else(|why| fail(format!("bad regular expression: {}", why.message())))?;
    let Some(captures) = captures else { return Ok(Dynamic::UNIT) };
    let group = |at| captures.get(at).map_or(Dynamic::UNIT, |part: &str| part.into());
    Ok(Dynamic::from_array((0..captures.len()).map(group).collect()))
}

pub(super) const ITEMS: &[Item] = &[
    function("sensitive", &["value: Any"], "Sensitive", phase::ANY, "Returns a Sensitive with the value.", |e, n| {
        e.register_fn(n, |dynamic: Dynamic| -> Fallible<SensitiveHandle> {
            let value = to_value(dynamic)?;
            secret::conceal(&value, &*callers::secrets()?);
            Ok(SensitiveHandle(value))
        });
    }),
    method("Sensitive", "unwrap", &[], "Any", "Returns the value itself.", |e, n| {
        e.register_fn(n, |receiver: &mut SensitiveHandle| -> Fallible<Dynamic> {
            secret::reveal(&receiver.0, &*callers::secrets()?);
            Ok(bridge::to_dynamic(&receiver.0))
        });
    }),
    method(
        "Sensitive",
        "to_string",
        &[],
        "String",
        "Returns the placeholder `Sensitive [value redacted]`; also `to_debug()`.",
        |e, n| {
            for name in [n, "to_debug"] {
                e.register_fn(name, |_: &mut SensitiveHandle| "Sensitive [value redacted]");
            }
        },
    ),
    function(
        "puppet_type",
        &["text: String"],
        "PuppetValue",
        phase::ANY,
        "Returns a data type: `puppet_type(\"Array[Integer]\")`. While a catalog is compiled, types of the site are available, too.",
        |e, n| {
            e.register_fn(n, |text: &str| -> Fallible<Opaque> { Ok(Opaque(parse_type(text)?)) });
        },
    ),
    function(
        "type_of_puppet",
        &["value: Any"],
        "PuppetValue",
        phase::ANY,
        "Returns the data type of a value, as Puppet's `type()` infers it.",
        |e, n| {
            e.register_fn(n, type_of);
        },
    ),
    function(
        "is_a",
        &["value: Any", "type: PuppetValue|String"],
        "Boolean",
        phase::ANY,
        "Returns whether a value is an instance of a data type: `is_a(port, \"Integer[1, 65535]\")`.",
        |e, n| {
            e.register_fn(n, |dynamic: Dynamic, data_type: &str| -> Fallible<bool> {
                is_a(dynamic, &parse_type(data_type)?)
            });
            e.register_fn(n, |dynamic: Dynamic, data_type: Opaque| -> Fallible<bool> { is_a(dynamic, &data_type.0) });
        },
    ),
    method(
        "PuppetValue",
        "to_string",
        &[],
        "String",
        "Returns a string as Puppet prints the value; also `to_debug()`.",
        |e, n| {
            for name in [n, "to_debug"] {
                e.register_fn(name, |any: &mut Opaque| stand_in::display_value(&any.0));
            }
        },
    ),
    method(
        "PuppetValue",
        "==",
        &["other: PuppetValue"],
        "Boolean",
        "Returns whether both are equal; also `!=`.",
        |e, _| {
            e.register_fn("==", |a: Opaque, b: Opaque| a.0 == b.0);
            e.register_fn("!=", |a: Opaque, b: Opaque| a.0 != b.0);
        },
    ),
    method(
        "String",
        "matches",
        &["pattern: String"],
        "Boolean",
        "Whether a regular expression matches somewhere in the text: `name.matches(\"^web[0-9]+\")`.",
        |e, n| {
            e.register_fn(n, matches);
        },
    ),
    method(
        "String",
        "captures",
        &["pattern: String"],
        "Array",
        "What a regular expression of Ruby matches: the whole match, then its groups, `()` for one that takes no part; `()` if it does not match. `line.captures(\"^(\\\\w+) = (.*)$\")`.",
        |e, n| {
            e.register_fn(n, captures);
        },
    ),
    function("to_json", &["value: Any"], "String", phase::ANY, "Returns a value as JSON.", |e, n| {
        // Rhai's own version for maps deadlocks when a map contains a closure that captured the map.
        e.register_fn(n, |map: rhai::Map| json(Dynamic::from_map(map)));
        e.register_fn(n, json);
    }),
    property("Error", "message", "String", "Why it failed.", |e, n| {
        e.register_get(n, |error: &mut HostFailure| ImmutableString::from(error.1.as_str()));
    }),
    method("Error", "to_string", &[], "String", "Why it failed; also `to_debug()`.", |e, n| {
        for name in [n, "to_debug"] {
            e.register_fn(name, |error: &mut HostFailure| error.1.clone());
        }
    }),
];

fn json(dynamic: Dynamic) -> Fallible<ImmutableString> {
    Ok(catwalk_value::json::to_json(&to_value(dynamic)?).to_string().into())
}
