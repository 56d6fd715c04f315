//! `camelcase`, `capitalize`, `chomp`, `chop`, `lstrip`, `rstrip`, `strip`: change a string, or each string of a list; numbers are
//! returned unchanged.

use crate::Function;
use crate::iterable;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const CAMELCASE: Function = Function {
    name: "camelcase",
    signatures: &[("Numeric $arg", camelcase), ("String $arg", camelcase), (LIST, camelcase)],
    doc: "Joins words that are separated by underscores into one word and capitalizes each. Numbers are returned \
          unchanged; in an array or iterable, every element is converted.",
    examples: &[("camelcase('hello_my_world')", "'HelloMyWorld'"), ("camelcase(['a_b', 'c'])", "['AB', 'C']")],
};

pub(super) const CAPITALIZE: Function = Function {
    name: "capitalize",
    signatures: &[("Numeric $arg", capitalize), ("String $arg", capitalize), (LIST, capitalize)],
    doc: "Makes the first character upper case and all others lower case. Numbers are returned unchanged; in an array \
          or iterable, every element is converted.",
    examples: &[("capitalize('aBC')", "'Abc'"), ("capitalize(['ab', 'cd'])", "['Ab', 'Cd']")],
};

pub(super) const CHOMP: Function = Function {
    name: "chomp",
    signatures: &[("Numeric $arg", chomp), ("String $arg", chomp), (LIST, chomp)],
    doc: "Removes one line end (`\\n`, `\\r\\n` or `\\r`) from the end of a string, if there is one. Numbers are \
          returned unchanged; in an array or iterable, every element is converted.",
    examples: &[
        ("chomp(\"a\\r\\n\")", "'a'"),
        ("chomp(\"a\\n\\n\")", "\"a\\n\""),
        ("chomp(['a', \"b\\n\"])", "['a', 'b']"),
    ],
};

pub(super) const CHOP: Function = Function {
    name: "chop",
    signatures: &[("Numeric $arg", chop), ("String $arg", chop), (LIST, chop)],
    doc: "Removes the last character of a string; a final `\\r\\n` is removed as a whole, and the empty string stays \
          empty. Numbers are returned unchanged; in an array or iterable, every element is converted.",
    examples: &[("chop('abc')", "'ab'"), ("chop(\"ab\\r\\n\")", "'ab'"), ("chop('')", "''")],
};

pub(super) const LSTRIP: Function = Function {
    name: "lstrip",
    signatures: &[("Numeric $arg", lstrip), ("String $arg", lstrip), (LIST, lstrip)],
    doc: "Removes white space at the start of a string. Numbers are returned unchanged; in an array or iterable, every \
          element is converted.",
    examples: &[("lstrip(' a ')", "'a '"), ("lstrip([\"\\n\\tb\", 'c'])", "['b', 'c']")],
};

pub(super) const RSTRIP: Function = Function {
    name: "rstrip",
    signatures: &[("Numeric $arg", rstrip), ("String $arg", rstrip), (LIST, rstrip)],
    doc: "Removes white space at the end of a string. Numbers are returned unchanged; in an array or iterable, every \
          element is converted.",
    examples: &[("rstrip(' a ')", "' a'"), ("rstrip([\"b\\n\", 'c '])", "['b', 'c']")],
};

pub(super) const STRIP: Function = Function {
    name: "strip",
    signatures: &[("Numeric $arg", strip), ("String $arg", strip), (LIST, strip)],
    doc: "Removes white space at both ends of a string. Numbers are returned unchanged; in an array or iterable, every \
          element is converted.",
    examples: &[("strip(\" a\\n\")", "'a'"), ("strip([' a', 'b '])", "['a', 'b']")],
};

const LIST: &str = "Iterable[Variant[String, Numeric]] $arg";

fn change_strings(call: &mut Call<'_, '_>, change: fn(&str) -> String) -> Res<Value> {
    let change_one = |value: &Value| match value {
        Value::Str(string) => Value::derived(string, change(string)),
        other => other.clone(),
    };
    Ok(match call.arg(0) {
        value @ (Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_)) => change_one(value),
        // Types that can be iterated over have no `map`.
        Value::Type(t) => {
            let class = ruby::class_name(&Value::Type(t.clone()));
            return fail(format!("undefined method `map' for an instance of {class}"));
        }
        list => Value::array(iterable::items(list).iter().map(change_one).collect()),
    })
}

fn camelcase(call: &mut Call<'_, '_>) -> Res<Value> {
    change_strings(call, |string| ruby::split_string(string, "_").into_iter().map(ruby::capitalize).collect())
}

fn capitalize(call: &mut Call<'_, '_>) -> Res<Value> {
    change_strings(call, ruby::capitalize)
}

fn chomp(call: &mut Call<'_, '_>) -> Res<Value> {
    change_strings(call, |string| ruby::chomp(string).to_owned())
}

fn chop(call: &mut Call<'_, '_>) -> Res<Value> {
    change_strings(call, |string| ruby::chop(string).to_owned())
}

fn lstrip(call: &mut Call<'_, '_>) -> Res<Value> {
    change_strings(call, |string| string.trim_start_matches(ruby::is_space).to_owned())
}

fn rstrip(call: &mut Call<'_, '_>) -> Res<Value> {
    change_strings(call, |string| string.trim_end_matches(ruby::is_space).to_owned())
}

fn strip(call: &mut Call<'_, '_>) -> Res<Value> {
    change_strings(call, |string| string.trim_matches(ruby::is_space).to_owned())
}
