//! `stdlib::end_with`, `stdlib::start_with`, `stdlib::xml_encode`

use crate::Function;
use crate::flatten::flat;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const END_WITH: Function = Function {
    name: "stdlib::end_with",
    signatures: &[("String $test_string, Variant[String[1],Array[String[1], 1]] $suffixes >> Boolean", |call| {
        any(call, |string, affix| string.ends_with(affix))
    })],
    doc: "Returns whether a string ends with a string, or with one of several.",
    examples: &[("stdlib::end_with('foobar', ['baz', 'bar'])", "true"), ("stdlib::end_with('foobar', 'foo')", "false")],
};

pub(super) const START_WITH: Function = Function {
    name: "stdlib::start_with",
    signatures: &[("String $test_string, Variant[String[1],Array[String[1], 1]] $prefixes >> Boolean", |call| {
        any(call, |string, affix| string.starts_with(affix))
    })],
    doc: "Returns whether a string starts with a string, or with one of several.",
    examples: &[("stdlib::start_with('foobar', 'foo')", "true"), ("stdlib::start_with('foobar', ['x', 'y'])", "false")],
};

pub(super) const XML_ENCODE: Function = Function {
    name: "stdlib::xml_encode",
    signatures: &[("String $str, Enum['text','attr'] $type = 'text' >> String", xml_encode)],
    doc: "Escapes a string for XML; with `attr` as second argument it returns a quoted attribute value.",
    examples: &[("stdlib::xml_encode('a<b')", "'a&lt;b'"), ("stdlib::xml_encode('a\"', 'attr')", "'\"a&quot;\"'")],
};

fn any(call: &mut Call<'_, '_>, test: fn(&str, &str) -> bool) -> Res<Value> {
    let string = call.str(0);
    let affixes = flat(std::slice::from_ref(call.arg(1)));
    Ok(Value::Bool(affixes.iter().filter_map(Value::as_str).any(|affix| test(string, affix))))
}

fn xml_encode(call: &mut Call<'_, '_>) -> Res<Value> {
    let is_attribute = call.arg(1).as_str() == Some("attr");
    let mut out = String::new();
    for c in call.str(0).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' if is_attribute => out.push_str("&quot;"),
            '\'' if is_attribute => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    Ok(Value::from(if is_attribute { format!("\"{out}\"") } else { out }))
}
