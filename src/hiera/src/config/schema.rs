//! The types of Hiera's configurations (`HieraConfigV5.config_type`, `HieraConfigV4.config_type`), as checks and as Puppet prints them in
//! messages.
//!
//! In: a configuration as data. Out: whether it fits; the type as a string. Must not: read files.

use crate::merge::is_data;
use catwalk_value::Hash;
use catwalk_value::Value;

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

/// The keys and indexes that lead to an invalid part of a configuration.
type KeyPath = Vec<String>;

/// The first key whose value does not fit; one that is no string has no name.
fn invalid_key(hash: &Hash, fits: impl Fn(&str, &Value) -> bool) -> Option<KeyPath> {
    let invalid = hash.iter().find(|(key, value)| !key.as_str().is_some_and(|key| fits(key, value)));
    invalid.map(|(key, _)| key.as_str().map(str::to_owned).into_iter().collect())
}

/// The first invalid entry of a hierarchy, or the invalid key of it.
fn invalid_entry(key: &str, value: &Value, invalid: impl Fn(&Hash) -> Option<KeyPath>) -> Option<KeyPath> {
    let Value::Array(items) = value else { return Some(vec![key.to_owned()]) };
    items.iter().enumerate().find_map(|(number, item)| {
        let rest = match item {
            Value::Hash(entry) => invalid(entry)?,
            _ => KeyPath::new(),
        };
        Some([key.to_owned(), number.to_string()].into_iter().chain(rest).collect())
    })
}

/// The part of a configuration of version 5 that does not fit its type; `None` if all fits.
pub(super) fn invalid5(config: &Hash) -> Option<KeyPath> {
    let invalid_level = |entry: &Hash| {
        if entry.get("name").is_none() {
            return Some(KeyPath::new());
        }
        invalid_key(entry, |key, value| match key {
            "options" => are_options(value),
            "paths" | "globs" | "uris" => is_name_list(value, 1, usize::MAX),
            "mapped_paths" => is_name_list(value, 3, 3),
            "name" | "data_hash" | "lookup_key" | "hiera3_backend" | "v4_data_hash" | "data_dig" | "path" | "glob"
            | "uri" | "datadir" => is_filled_string(value),
            _ => false,
        })
    };
    let invalid_default = |defaults: &Hash| {
        invalid_key(defaults, |key, value| match key {
            "data_hash" | "lookup_key" | "data_dig" | "datadir" => is_filled_string(value),
            "options" => are_options(value),
            _ => false,
        })
    };
    config.iter().find_map(|(key, value)| match key.as_str().unwrap_or_default() {
        "version" if *value == Value::Int(5) => None,
        "defaults" => match value {
            Value::Hash(defaults) => {
                invalid_default(defaults).map(|rest| std::iter::once("defaults".to_owned()).chain(rest).collect())
            }
            _ => Some(vec!["defaults".to_owned()]),
        },
        key @ ("hierarchy" | "plan_hierarchy" | "default_hierarchy") => invalid_entry(key, value, invalid_level),
        key => Some(vec![key.to_owned()]),
    })
}

/// The part of a configuration of version 4 that does not fit its type; `None` if all fits.
pub(super) fn invalid4(config: &Hash) -> Option<KeyPath> {
    let invalid_level = |entry: &Hash| {
        if ["name", "backend"].iter().any(|key| entry.get(key).is_none()) {
            return Some(KeyPath::new());
        }
        invalid_key(entry, |key, value| match key {
            "name" | "backend" | "datadir" | "path" => is_filled_string(value),
            "paths" => is_name_list(value, 0, usize::MAX),
            _ => false,
        })
    };
    config.iter().find_map(|(key, value)| match key.as_str().unwrap_or_default() {
        "version" if *value == Value::Int(4) => None,
        "datadir" if is_filled_string(value) => None,
        "hierarchy" => invalid_entry("hierarchy", value, invalid_level),
        key => Some(vec![key.to_owned()]),
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
