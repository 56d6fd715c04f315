//! Values as source of other languages: `to_python`, `to_ruby`, `to_toml` and their names in `stdlib::`

use crate::Function;
use crate::stdlib::to_json::format_unwrapped;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::runtime3::fail;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::local_refs;
use catwalk_value::ruby;

pub(super) const TO_PYTHON: Function = Function {
    name: "to_python",
    signatures: &[("Any $object", |call| Ok(Value::from(rich_source(call.arg(0), &PYTHON)?)))],
    doc: "Returns a value as a Python expression.",
    examples: &[("to_python({'a' => [true, undef]})", "'{\"a\": [True, None]}'"), ("to_python('x')", "'\"x\"'")],
};
pub(super) const STDLIB_TO_PYTHON: Function = Function {
    name: "stdlib::to_python",
    signatures: &[("Any $object", |call| Ok(Value::from(rich_source(call.arg(0), &PYTHON)?)))],
    doc: "Returns a value as a Python expression.",
    examples: &[("stdlib::to_python(true)", "'True'"), ("stdlib::to_python([undef])", "'[None]'")],
};
pub(super) const TO_RUBY: Function = Function {
    name: "to_ruby",
    signatures: &[("Any $object", |call| Ok(Value::from(rich_source(call.arg(0), &RUBY)?)))],
    doc: "Returns a value as a Ruby expression.",
    examples: &[("to_ruby({'a' => [true, undef]})", "'{\"a\" => [true, nil]}'"), ("to_ruby(1)", "'1'")],
};
pub(super) const STDLIB_TO_RUBY: Function = Function {
    name: "stdlib::to_ruby",
    signatures: &[("Any $object", |call| Ok(Value::from(rich_source(call.arg(0), &RUBY)?)))],
    doc: "Returns a value as a Ruby expression.",
    examples: &[("stdlib::to_ruby(true)", "'true'"), ("stdlib::to_ruby([undef])", "'[nil]'")],
};
pub(super) const TO_TOML: Function = Function {
    name: "to_toml",
    signatures: &[("Hash $data >> String", |call| match call.arg(0) {
        Value::Hash(data) => Ok(Value::from(toml(data)?)),
        _ => Ok(Value::Undef),
    })],
    doc: "Returns a hash as a TOML document.",
    examples: &[
        ("to_toml({'a' => 1, 'b' => {'c' => 'd'}})", "\"a = 1\\n[b]\\nc = \\\"d\\\"\\n\""),
        ("to_toml({'x' => [1]})", "\"x = [1]\\n\""),
    ],
};
pub(super) const STDLIB_TO_TOML: Function = Function {
    name: "stdlib::to_toml",
    signatures: &[("Hash $data >> Variant[String, Sensitive[String]]", |call| {
        format_unwrapped(call, call.arg(0), |data| match data {
            Value::Hash(data) => toml(data),
            _ => Ok(String::new()),
        })
    })],
    doc: "Returns a hash as a TOML document. The result is Sensitive if a Sensitive was inside.",
    examples: &[
        ("stdlib::to_toml({'a' => [1]})", "\"a = [1]\\n\""),
        ("stdlib::to_toml({'a' => Sensitive('b')}).unwrap", "\"a = \\\"b\\\"\\n\""),
    ],
};

struct Syntax {
    true_literal: &'static str,
    false_literal: &'static str,
    nil_literal: &'static str,
    arrow: &'static str,
}

const PYTHON: Syntax = Syntax { true_literal: "True", false_literal: "False", nil_literal: "None", arrow: ": " };
const RUBY: Syntax = Syntax { true_literal: "true", false_literal: "false", nil_literal: "nil", arrow: " => " };
const MAX_DEPTH: usize = 1000;

fn source(value: &Value, syntax: &Syntax, depth: usize) -> Res<String> {
    if depth > MAX_DEPTH {
        return fail("the value is nested too deeply");
    }
    Ok(match value {
        Value::Undef => syntax.nil_literal.to_owned(),
        Value::Bool(true) => syntax.true_literal.to_owned(),
        Value::Bool(false) => syntax.false_literal.to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| source(item, syntax, depth + 1)).collect::<Res<_>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Hash(entries) => {
            let pair = |(key, value): (&Value, &Value)| -> Res<String> {
                Ok(format!("{}{}{}", source(key, syntax, depth + 1)?, syntax.arrow, source(value, syntax, depth + 1)?))
            };
            let pairs: Vec<String> = entries.iter().map(pair).collect::<Res<_>>()?;
            format!("{{{}}}", pairs.join(", "))
        }
        value => ruby::inspect(value),
    })
}

/// The source of a value as rich data: values that are not data have a tag, repeated ones are references.
fn rich_source(value: &Value, syntax: &Syntax) -> Res<String> {
    match local_refs::to_data(value) {
        Ok(data) => source(&data, syntax, 0),
        Err(message) => fail(message),
    }
}

fn toml(data: &Hash) -> Res<String> {
    let mut out = String::new();
    visit(data, &Prefix::default(), &mut out)?;
    Ok(out)
}

/// The source of a key, and whether Ruby treats the key as true.
struct Key {
    source: String,
    is_true: bool,
}

/// The joined keys of a table, and whether Ruby treats any of them as true.
#[derive(Default)]
struct Prefix {
    source: String,
    depth: usize,
    any: bool,
}

impl Prefix {
    fn join(&self, key: &Key) -> Prefix {
        let source = if self.depth == 0 { key.source.clone() } else { format!("{}.{}", self.source, key.source) };
        Prefix { source, depth: self.depth + 1, any: self.any || key.is_true }
    }
}

/// Entries sorted by key: plain values, hashes, arrays of hashes.
type SortedEntries<'v> = (Vec<(Key, &'v Value)>, Vec<(Key, &'v Hash)>, Vec<(Key, &'v [Value])>);

///
/// # Errors
/// The keys do not compare.
fn sort_entries(data: &Hash) -> Res<SortedEntries<'_>> {
    let entries = ruby::sort(data.iter().collect(), &mut |(a, _): &(&Value, &Value), (b, _)| {
        ruby::compare(a, b).ok_or_else(|| Stop::from(ruby::not_comparable(a, b)))
    })?;
    let (mut plain, mut nested, mut tables) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in entries {
        let string = ruby::to_s(key);
        // One matching line suffices; an empty string after the last line break is not a line.
        let lines = string.strip_suffix('\n').unwrap_or(&string).split('\n');
        let is_bare =
            lines.into_iter().any(|line| line.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')));
        let is_true = !matches!(key, Value::Undef | Value::Bool(false));
        let source = match key {
            _ if is_bare => string.into_owned(),
            Value::Str(string) => format!("\"{}\"", string.replace('"', "\\\"")),
            key => return fail(format!("undefined method `gsub' for {}", ruby::plain_receiver(key))),
        };
        let key = Key { source, is_true };
        match value {
            Value::Hash(inner) => nested.push((key, inner.as_ref())),
            Value::Array(items) if matches!(items.first(), Some(Value::Hash(_))) => {
                tables.push((key, items.as_slice()))
            }
            value => plain.push((key, value)),
        }
    }
    Ok((plain, nested, tables))
}

fn visit(data: &Hash, prefix: &Prefix, out: &mut String) -> Res<()> {
    if prefix.depth > MAX_DEPTH {
        return fail("the value is nested too deeply");
    }
    let parts = sort_entries(data)?;
    if prefix.any && (!parts.0.is_empty() || data.is_empty()) {
        out.push_str(&format!("[{}]\n", prefix.source));
    }
    write_entries(&parts, prefix, out)
}

fn write_entries((plain, nested, tables): &SortedEntries<'_>, prefix: &Prefix, out: &mut String) -> Res<()> {
    for (key, value) in plain {
        let source = match value {
            // Ruby's escapes against interpolation need no backslash here.
            Value::Str(string) => {
                ruby::inspect_string(string).replace("\\#{", "#{").replace("\\#$", "#$").replace("\\#@", "#@")
            }
            Value::Regexp(_) => ruby::inspect_string(&ruby::inspect(value)),
            value => ruby::inspect(value),
        };
        out.push_str(&format!("{} = {source}\n", key.source));
    }
    for (key, inner) in nested {
        visit(inner, &prefix.join(key), out)?;
    }
    for (key, items) in tables {
        let prefix = prefix.join(key);
        for item in *items {
            if let Value::Hash(inner) = item {
                out.push_str(&format!("[[{}]]\n", prefix.source));
                write_entries(&sort_entries(inner)?, &prefix, out)?;
            }
        }
    }
    Ok(())
}
