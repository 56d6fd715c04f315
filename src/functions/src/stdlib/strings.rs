//! `dos2unix`, `regexpescape`, `reverse`, `squeeze`, `swapcase`, `unix2dos`, `uriescape`

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_eval::runtime3::no_method;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const DOS2UNIX: Function = Function {
    name: "dos2unix",
    signatures: &[("Any *$args", dos2unix)],
    doc: "Converts line ends from CRLF to LF.",
    examples: &[("dos2unix(\"a\\r\\n\")", "\"a\\n\""), ("dos2unix(\"a\\n\")", "\"a\\n\"")],
};

pub(super) const REGEXPESCAPE: Function = Function {
    name: "regexpescape",
    signatures: &[("Any *$args", |call| map_strings(call, catwalk_regexp::escape))],
    doc: "Escapes the special characters of regular expressions in a string, or in each string of an array.",
    examples: &[("regexpescape('a.b')", "'a\\.b'"), ("regexpescape(['(', 'a'])", "['\\(', 'a']")],
};

pub(super) const REVERSE: Function = Function {
    name: "reverse",
    signatures: &[("Any *$args", reverse)],
    doc: "Reverses an array or a string.",
    examples: &[("reverse([1, 2])", "[2, 1]"), ("reverse('abc')", "'cba'")],
};

pub(super) const SQUEEZE: Function = Function {
    name: "squeeze",
    signatures: &[("Any *$args", squeeze)],
    doc: "Replaces each run of the same character by one; with a second argument only runs of the characters in it. \
          Works on a string or on each string of an array.",
    examples: &[("squeeze('aabbcc')", "'abc'"), ("squeeze('aabbcc', 'a')", "'abbcc'")],
};

pub(super) const SWAPCASE: Function = Function {
    name: "swapcase",
    signatures: &[("Any *$args", |call| map_strings(call, ruby::swapcase))],
    doc: "Swaps upper and lower case in a string, or in each string of an array.",
    examples: &[("swapcase('aBc')", "'AbC'"), ("swapcase(['a', 'B'])", "['A', 'b']")],
};

pub(super) const UNIX2DOS: Function = Function {
    name: "unix2dos",
    signatures: &[("Any *$args", unix2dos)],
    doc: "Converts line ends to CRLF.",
    examples: &[("unix2dos(\"a\\n\")", "\"a\\r\\n\""), ("unix2dos('a')", "'a'")],
};

pub(super) const URIESCAPE: Function = Function {
    name: "uriescape",
    signatures: &[("Any *$args", |call| map_strings(call, escape_uri))],
    doc: "Percent-encodes the characters that a URI cannot contain, in a string or in each string of an array.",
    examples: &[("uriescape('a b/ä')", "'a%20b/%C3%A4'"), ("uriescape(['a b'])", "['a%20b']")],
};

/// In stdlib 9 the function refuses to run with Puppet 8.
pub(super) const URIESCAPE_9: Function = Function { signatures: &[("Any *$args", uriescape_9)], ..URIESCAPE };

fn uriescape_9(call: &mut Call<'_, '_>) -> Res<Value> {
    if !call.ev.settings.version.uri_escape {
        return fail("Puppet: This function is not available in Puppet 8. URI.escape no longer exists as of Ruby 3+.");
    }
    map_strings(call, escape_uri)
}

fn map_strings(call: &mut Call<'_, '_>, change: fn(&str) -> String) -> Res<Value> {
    let name = call.name;
    let args = runtime3::args(call)?;
    match args.first() {
        None => fail(format!("{name}(): Wrong number of arguments given (0 for 1)")),
        Some(Value::Str(string)) => Ok(Value::derived(string, change(string))),
        Some(Value::Array(items)) => Ok(Value::array(
            items
                .iter()
                .map(|item| match item {
                    Value::Str(string) => Value::derived(string, change(string)),
                    other => other.clone(),
                })
                .collect(),
        )),
        Some(_) => fail(format!("{name}(): Requires either array or string to work with")),
    }
}

fn escape_uri(string: &str) -> String {
    let mut out = String::with_capacity(string.len());
    for byte in string.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => out.push(char::from(byte)),
            _ if b"-_.!~*'();/?:@&=+$,[]".contains(&byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn require_one_string<'a>(call: &Call<'a, '_>) -> Res<std::borrow::Cow<'a, [Value]>> {
    let args = runtime3::exactly(call, 1)?;
    if matches!(args.first(), Some(Value::Str(_))) {
        return Ok(args);
    }
    fail(format!("{}(): Requires string as argument", call.name))
}

fn dos2unix(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = require_one_string(call)?;
    let string = args.first().and_then(Value::as_str).unwrap_or_default();
    Ok(Value::from(string.replace("\r\n", "\n")))
}

fn unix2dos(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = require_one_string(call)?;
    let string = args.first().and_then(Value::as_str).unwrap_or_default();
    let mut out = String::with_capacity(string.len());
    for line in string.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(body) => {
                out.push_str(body.trim_end_matches('\r'));
                out.push_str("\r\n");
            }
            None => out.push_str(line),
        }
    }
    Ok(Value::from(out))
}

fn reverse(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.first() {
        None => fail("reverse(): Wrong number of arguments given (0 for 1)"),
        Some(Value::Array(items)) => Ok(Value::array(items.iter().rev().cloned().collect())),
        Some(Value::Str(string)) => Ok(Value::from(string.chars().rev().collect::<String>())),
        Some(_) => fail("reverse(): Requires either array or string to work with"),
    }
}

fn squeeze(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    if args.is_empty() || args.len() > 2 {
        return fail(format!("squeeze(): Wrong number of arguments given {} for 2 or 1", args.len()));
    }
    let set = args.get(1).filter(|set| set.truthy());
    let change_one = |value: &Value| match value {
        Value::Str(string) => match set {
            None => Ok(Value::from(ruby::squeeze(string, None).map_err(Reason::runtime)?)),
            Some(Value::Str(set)) => Ok(Value::from(ruby::squeeze(string, Some(set)).map_err(Reason::runtime)?)),
            Some(other) => fail(format!("no implicit conversion of {} into String", ruby::conversion_name(other))),
        },
        other => no_method("squeeze", other),
    };
    match args.first() {
        Some(Value::Array(items)) => Ok(Value::array(items.iter().map(change_one).collect::<Res<_>>()?)),
        Some(value) => change_one(value),
        None => Ok(Value::Undef),
    }
}
