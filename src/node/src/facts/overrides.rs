//! Facts from the command line, which replace those of a file or a set: `--fact os.family=RedHat`.

use crate::facts::legacy;
use std::sync::Arc;

use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::data::yaml;

/// The depth down to which hashes are merged.
const MAX_DEPTH: u32 = 50;

/// The name of the structured fact that replaces a legacy one: `os.family` for `osfamily`.
#[must_use]
pub fn structured_name(name: &str) -> Option<&'static str> {
    legacy::structured_of_fixed_name(name)
}

/// A fact as manifests read it: `$facts['os']['family']` for `os.family`.
#[must_use]
pub fn manifest_expression(name: &str) -> String {
    let keys: String = name.split('.').map(|key| format!("['{key}']")).collect();
    format!("$facts{keys}")
}

/// A fact from the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct FactOverride {
    /// The name, with dots between the keys of structured facts.
    name: String,
    /// The value as YAML or JSON.
    value: Value,
    /// The value as written on the command line.
    raw: String,
}

impl FactOverride {
    /// Parses `NAME=VALUE`. A value that is neither JSON nor YAML is a string.
    ///
    /// # Errors
    /// The name or the `=` is missing.
    pub fn parse(text: &str) -> Result<FactOverride, String> {
        let Some((name, raw)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(format!("--fact needs NAME=VALUE, got '{text}'"));
        };
        let value = json::parse(raw.as_bytes()).ok().or_else(|| yaml::parse(raw.as_bytes()).ok());
        let value = value.unwrap_or_else(|| Value::str(raw));
        Ok(FactOverride { name: name.to_owned(), value, raw: raw.to_owned() })
    }

    /// The value that replaces `before`. A string is replaced by a string, so that `os.release.major=12` equals '12'.
    fn value_for(&self, before: Option<&Value>) -> Value {
        match (before, &self.value) {
            (Some(Value::Str(_)), Value::Int(_) | Value::Float(_) | Value::Bool(_)) => Value::str(&self.raw),
            _ => self.value.clone(),
        }
    }
}

/// Applies overrides to facts. A structured fact and the legacy fact with the same meaning change together.
#[must_use]
pub fn apply(facts: Arc<Hash>, overrides: &[FactOverride]) -> Arc<Hash> {
    if overrides.is_empty() {
        return facts;
    }
    let mut facts = Arc::unwrap_or_clone(facts);
    for change in overrides {
        let twin = legacy::twin(&change.name);
        let twin = twin.filter(|twin| find(&facts, twin).is_some());
        for name in [change.name.as_str()].into_iter().chain(twin) {
            let value = change.value_for(find(&facts, name));
            if facts.get(name).is_some() {
                facts.insert(Value::str(name), value);
            } else {
                let single = [(Value::str(name), value)].into_iter().collect();
                facts = merge(&facts, &nest_dotted(&single));
            }
        }
    }
    Arc::new(facts)
}

/// The fact of a name such as `os.release.major`.
#[must_use]
pub fn find<'a>(facts: &'a Hash, name: &str) -> Option<&'a Value> {
    if let Some(value) = facts.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    match facts.get(first)? {
        Value::Hash(inner) => find(inner, rest),
        _ => None,
    }
}

/// Merges two hashes and the hashes inside of them; values of `over` win.
#[must_use]
pub fn merge(under: &Hash, over: &Hash) -> Hash {
    merge_to(under, over, MAX_DEPTH)
}

fn merge_to(under: &Hash, over: &Hash, depth: u32) -> Hash {
    let mut all = under.clone();
    for (key, value) in over.iter() {
        let value = match (under.get_value(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) if depth > 0 => Value::hash(merge_to(old, new, depth - 1)),
            _ => value.clone(),
        };
        all.insert(key.clone(), value);
    }
    all
}

/// Merges facts as [`merge`] does; a value `undef` of `over` removes the fact, since no fact of a node is `undef`.
#[must_use]
pub fn merge_facts(under: &Hash, over: &Hash) -> Hash {
    merge_facts_to(under, over, MAX_DEPTH)
}

fn merge_facts_to(under: &Hash, over: &Hash, depth: u32) -> Hash {
    let mut all = under.clone();
    for (key, value) in over.iter() {
        let value = match (under.get_value(key), value) {
            (_, Value::Undef) => {
                all.remove(key);
                continue;
            }
            (Some(Value::Hash(old)), Value::Hash(new)) if depth > 0 => Value::hash(merge_facts_to(old, new, depth - 1)),
            (_, Value::Hash(new)) if depth > 0 => Value::hash(merge_facts_to(&Hash::new(), new, depth - 1)),
            _ => value.clone(),
        };
        all.insert(key.clone(), value);
    }
    all
}

/// Replaces facts with names such as `os.family` by nested hashes.
#[must_use]
pub fn nest_dotted(facts: &Hash) -> Hash {
    let mut all = Hash::new();
    for (key, value) in facts.iter() {
        let mut value = value.clone();
        let Some(name) = key.as_str() else { continue };
        let mut parts: Vec<&str> = name.split('.').take(MAX_DEPTH as usize).collect();
        let first = parts.remove(0);
        for part in parts.into_iter().rev() {
            value = Value::hash([(Value::str(part), value)].into_iter().collect());
        }
        if let Some(before) = all.get(first) {
            let single = |value: Value| -> Hash { [(Value::str(first), value)].into_iter().collect() };
            let both = merge(&single(before.clone()), &single(value.clone()));
            value = both.get(first).cloned().unwrap_or(value);
        }
        all.insert(Value::str(first), value);
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use catwalk_value::json::to_json;

    use super::*;

    #[test]
    fn values_are_yaml_and_strings_stay_strings() {
        let facts =
            r#"{"os": {"name": "Debian", "release": {"major": "12"}}, "operatingsystem": "Debian", "cores": 2}"#;
        let cases = [
            ("cores=4", r#"{"os":{"name":"Debian","release":{"major":"12"}},"operatingsystem":"Debian","cores":4}"#),
            (
                "os.release.major=13",
                r#"{"os":{"name":"Debian","release":{"major":"13"}},"operatingsystem":"Debian","cores":2}"#,
            ),
            (
                "os.name=Rocky",
                r#"{"os":{"name":"Rocky","release":{"major":"12"}},"operatingsystem":"Rocky","cores":2}"#,
            ),
            (
                "a.b=[1, x]",
                r#"{"os":{"name":"Debian","release":{"major":"12"}},"operatingsystem":"Debian","cores":2,"a":{"b":[1,"x"]}}"#,
            ),
            ("os={\"name\": \"X\"}", r#"{"os":{"name":"X"},"operatingsystem":"Debian","cores":2}"#),
        ];
        for (argument, expected) in cases {
            let Ok(Value::Hash(hash)) = json::parse(facts.as_bytes()) else { unreachable!() };
            let result = apply(hash, &[FactOverride::parse(argument).unwrap()]);
            assert_eq!(to_json(&Value::Hash(result)).to_string(), expected, "{argument}");
        }
        assert!(FactOverride::parse("os.name").unwrap_err().contains("NAME=VALUE"));
        assert!(FactOverride::parse("=x").is_err());
    }
}
