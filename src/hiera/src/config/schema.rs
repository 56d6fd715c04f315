//! The types of Hiera's configurations (`HieraConfigV5.config_type`, `HieraConfigV4.config_type`), as checks and as Puppet prints them in
//! messages.
//!
//! In: a configuration as data. Out: whether it fits; the type as a string. Must not: read files.

use crate::merge::is_data;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

const NAMES: &str = "Array[String[1],1]";

pub(crate) fn is_filled_string(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_name_list(value: &Value, least: usize, most: usize) -> bool {
    matches!(value, Value::Array(items) if (least..=most).contains(&items.len()) && items.iter().all(is_filled_string))
}

/// Option names start with a letter and end with a letter or digit.
fn are_options(value: &Value) -> bool {
    let name = |key: &Value| {
        key.as_str().is_some_and(|key| {
            let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
            key.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
                && key.bytes().all(|b| inner(b) || b == b':')
                && key.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric)
        })
    };
    matches!(value, Value::Hash(entries) if entries.iter().all(|(key, value)| name(key) && is_data(value)))
}

fn all_keys(hash: &Hash, fits: impl Fn(&str, &Value) -> bool) -> bool {
    hash.iter().all(|(key, value)| key.as_str().is_some_and(|key| fits(key, value)))
}

pub(super) fn is_valid5(config: &Hash) -> bool {
    let entry = |value: &Value| match value {
        Value::Hash(entry) => {
            entry.get("name").is_some()
                && all_keys(entry, |key, value| match key {
                    "options" => are_options(value),
                    "paths" | "globs" | "uris" => is_name_list(value, 1, usize::MAX),
                    "mapped_paths" => is_name_list(value, 3, 3),
                    "name" | "data_hash" | "lookup_key" | "hiera3_backend" | "v4_data_hash" | "data_dig" | "path"
                    | "glob" | "uri" | "datadir" => is_filled_string(value),
                    _ => false,
                })
        }
        _ => false,
    };
    all_keys(config, |key, value| match key {
        "version" => *value == Value::Int(5),
        "defaults" => matches!(value, Value::Hash(defaults) if all_keys(defaults, |key, value| match key {
            "data_hash" | "lookup_key" | "data_dig" | "datadir" => is_filled_string(value),
            "options" => are_options(value),
            _ => false,
        })),
        "hierarchy" | "plan_hierarchy" | "default_hierarchy" => {
            matches!(value, Value::Array(items) if items.iter().all(entry))
        }
        _ => false,
    })
}

pub(super) fn is_valid4(config: &Hash) -> bool {
    let entry = |value: &Value| match value {
        Value::Hash(entry) => {
            ["name", "backend"].iter().all(|key| entry.get(key).is_some())
                && all_keys(entry, |key, value| match key {
                    "name" | "backend" | "datadir" | "path" => is_filled_string(value),
                    "paths" => is_name_list(value, 0, usize::MAX),
                    _ => false,
                })
        }
        _ => false,
    };
    all_keys(config, |key, value| match key {
        "version" => *value == Value::Int(4),
        "datadir" => is_filled_string(value),
        "hierarchy" => matches!(value, Value::Array(items) if items.iter().all(entry)),
        _ => false,
    })
}

pub(super) fn type5() -> String {
    let options = r"Optional[options]=>Hash[Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/],Data]";
    let text =
        |keys: &[&str]| keys.iter().map(|key| format!("Optional[{key}]=>String[1]")).collect::<Vec<_>>().join(",");
    let functions = text(&["data_hash", "lookup_key", "hiera3_backend", "v4_data_hash", "data_dig", "path"]);
    let hierarchy = format!(
        "Array[Struct[{{name=>String[1],{options},{functions},Optional[paths]=>{NAMES},Optional[glob]=>String[1],\
         Optional[globs]=>{NAMES},Optional[uri]=>String[1],Optional[uris]=>{NAMES},\
         Optional[mapped_paths]=>Array[String[1],3,3],Optional[datadir]=>String[1]}}]]"
    );
    let defaults = text(&["data_hash", "lookup_key", "data_dig", "datadir"]);
    format!(
        "Struct[{{version=>Integer[5,5],Optional[defaults]=>Struct[{{{defaults},{options}}}],\
         Optional[hierarchy]=>{hierarchy},Optional[plan_hierarchy]=>{hierarchy},Optional[default_hierarchy]=>{hierarchy}}}]"
    )
}

pub(super) fn type4() -> String {
    "Struct[{version=>Integer[4,4],Optional[datadir]=>String[1],Optional[hierarchy]=>Array[Struct[{backend=>String[1],\
     name=>String[1],Optional[datadir]=>String[1],Optional[path]=>String[1],Optional[paths]=>Array[String[1]]}]]}]"
        .to_owned()
}
