//! `camelcase`, `capitalize`, `chomp`, `chop`, `lstrip`, `rstrip`, `strip`: one change of text, for a text or each text of
//! a list; numbers stay as they are.

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::iterable;
use crate::functions::ruby;
use crate::value::Value;

pub(super) const CAMELCASE: Function = Function {
    name: "camelcase",
    signatures: &[("Numeric $arg", camelcase), ("String $arg", camelcase), (LIST, camelcase)],
    doc: "Words joined by underscores written without them, each word capitalized.",
    examples: &[("camelcase('hello_my_world')", "'HelloMyWorld'"), ("camelcase(['a_b', 'c'])", "['AB', 'C']")],
};

pub(super) const CAPITALIZE: Function = Function {
    name: "capitalize",
    signatures: &[("Numeric $arg", capitalize), ("String $arg", capitalize), (LIST, capitalize)],
    doc: "Text with its first character in upper case and the rest in lower case.",
    examples: &[("capitalize('aBC')", "'Abc'"), ("capitalize(['ab', 'cd'])", "['Ab', 'Cd']")],
};

pub(super) const CHOMP: Function = Function {
    name: "chomp",
    signatures: &[("Numeric $arg", chomp), ("String $arg", chomp), (LIST, chomp)],
    doc: "Text without its line end.",
    examples: &[("chomp(\"a\\r\\n\")", "'a'"), ("chomp(\"a\\n\\n\")", "\"a\\n\"")],
};

pub(super) const CHOP: Function = Function {
    name: "chop",
    signatures: &[("Numeric $arg", chop), ("String $arg", chop), (LIST, chop)],
    doc: "Text without its last character; CRLF counts as one.",
    examples: &[("chop('abc')", "'ab'"), ("chop(\"ab\\r\\n\")", "'ab'")],
};

pub(super) const LSTRIP: Function = Function {
    name: "lstrip",
    signatures: &[("Numeric $arg", lstrip), ("String $arg", lstrip), (LIST, lstrip)],
    doc: "Text without white space at its start.",
    examples: &[("lstrip(' a ')", "'a '")],
};

pub(super) const RSTRIP: Function = Function {
    name: "rstrip",
    signatures: &[("Numeric $arg", rstrip), ("String $arg", rstrip), (LIST, rstrip)],
    doc: "Text without white space at its end.",
    examples: &[("rstrip(' a ')", "' a'")],
};

pub(super) const STRIP: Function = Function {
    name: "strip",
    signatures: &[("Numeric $arg", strip), ("String $arg", strip), (LIST, strip)],
    doc: "Text without white space at its start and end.",
    examples: &[("strip(' a ')", "'a'"), ("strip([' a', 'b '])", "['a', 'b']")],
};

const LIST: &str = "Iterable[Variant[String, Numeric]] $arg";

fn changed(call: &mut Call<'_, '_>, change: fn(&str) -> String) -> Res<Value> {
    let one = |value: &Value| match value {
        Value::Str(text) => Value::from(change(text)),
        other => other.clone(),
    };
    Ok(match call.arg(0) {
        value @ (Value::Str(_) | Value::Int(_) | Value::Float(_)) => one(value),
        list => Value::array(iterable::items(list).iter().map(one).collect()),
    })
}

fn camelcase(call: &mut Call<'_, '_>) -> Res<Value> {
    changed(call, |text| ruby::split_text(text, "_").into_iter().map(ruby::capitalize).collect())
}

fn capitalize(call: &mut Call<'_, '_>) -> Res<Value> {
    changed(call, ruby::capitalize)
}

fn chomp(call: &mut Call<'_, '_>) -> Res<Value> {
    changed(call, |text| ruby::chomp(text).to_owned())
}

fn chop(call: &mut Call<'_, '_>) -> Res<Value> {
    changed(call, |text| ruby::chop(text).to_owned())
}

fn lstrip(call: &mut Call<'_, '_>) -> Res<Value> {
    changed(call, |text| text.trim_start_matches(ruby::is_space).to_owned())
}

fn rstrip(call: &mut Call<'_, '_>) -> Res<Value> {
    changed(call, |text| text.trim_end_matches(ruby::is_space).to_owned())
}

fn strip(call: &mut Call<'_, '_>) -> Res<Value> {
    changed(call, |text| text.trim_matches(ruby::is_space).to_owned())
}
