//! Single facts that win over those of a file or a set: `--fact os.family=RedHat`.

use std::sync::Arc;

use catwalk_value::data::json;
use catwalk_value::data::yaml;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

/// Hashes are merged down to this depth.
const DEPTH: u32 = 50;

/// Structured facts and the legacy facts with the same value.
const LEGACY: [(&str, &str); 19] = [
    ("os.name", "operatingsystem"),
    ("os.family", "osfamily"),
    ("os.release.full", "operatingsystemrelease"),
    ("os.release.major", "operatingsystemmajrelease"),
    ("os.architecture", "architecture"),
    ("os.hardware", "hardwaremodel"),
    ("os.distro.codename", "lsbdistcodename"),
    ("networking.hostname", "hostname"),
    ("networking.domain", "domain"),
    ("networking.fqdn", "fqdn"),
    ("networking.ip", "ipaddress"),
    ("networking.ip6", "ipaddress6"),
    ("networking.mac", "macaddress"),
    ("networking.netmask", "netmask"),
    ("networking.network", "network"),
    ("processors.count", "processorcount"),
    ("memory.system.total", "memorysize"),
    ("system_uptime.seconds", "uptime_seconds"),
    ("ruby.version", "rubyversion"),
];

/// The name of the structured fact that replaces a legacy one: `os.family` for `osfamily`.
#[must_use]
pub fn structured(legacy: &str) -> Option<&'static str> {
    LEGACY.iter().find(|(_, name)| *name == legacy).map(|(name, _)| *name)
}

/// A fact as manifests read it: `$facts['os']['family']` for `os.family`.
#[must_use]
pub fn in_manifest(name: &str) -> String {
    let keys: String = name.split('.').map(|key| format!("['{key}']")).collect();
    format!("$facts{keys}")
}

/// A fact with a value that was given by name.
#[derive(Clone, Debug, PartialEq)]
pub struct FactOverride {
    /// The name, with dots between the keys of structured facts.
    name: String,
    /// The value as YAML or JSON.
    value: Value,
    /// The value as it was written.
    written: String,
}

impl FactOverride {
    /// Reads `NAME=VALUE`. The value is JSON or a value of YAML; what is neither is a string.
    ///
    /// # Errors
    /// The name or the `=` is missing.
    pub fn parse(text: &str) -> Result<FactOverride, String> {
        let Some((name, written)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(format!("--fact needs NAME=VALUE, got '{text}'"));
        };
        let value = json::parse(written.as_bytes()).ok().or_else(|| yaml::parse(written.as_bytes()).ok());
        let value = value.unwrap_or_else(|| Value::str(written));
        Ok(FactOverride { name: name.to_owned(), value, written: written.to_owned() })
    }

    /// The value in place of an existing one: a string stays a string, so that `os.release.major=12` compares with '12'.
    fn value_for(&self, before: Option<&Value>) -> Value {
        match (before, &self.value) {
            (Some(Value::Str(_)), Value::Int(_) | Value::Float(_) | Value::Bool(_)) => Value::str(&self.written),
            _ => self.value.clone(),
        }
    }
}

/// Facts with those that were given by name. A legacy fact with the same meaning changes with its structured fact.
#[must_use]
pub fn applied(facts: Arc<Hash>, overrides: &[FactOverride]) -> Arc<Hash> {
    if overrides.is_empty() {
        return facts;
    }
    let mut facts = Arc::unwrap_or_clone(facts);
    for given in overrides {
        let twin = LEGACY.iter().find_map(|(name, legacy)| match () {
            () if *name == given.name => Some(*legacy),
            () if *legacy == given.name => Some(*name),
            () => None,
        });
        let twin = twin.filter(|twin| find(&facts, twin).is_some());
        for name in [given.name.as_str()].into_iter().chain(twin) {
            let value = given.value_for(find(&facts, name));
            if facts.get(name).is_some() {
                facts.insert(Value::str(name), value);
            } else {
                let one = [(Value::str(name), value)].into_iter().collect();
                facts = merged(&facts, &dotted(&one));
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

/// Two hashes as one: what is in `over` wins, hashes below are merged.
#[must_use]
pub fn merged(under: &Hash, over: &Hash) -> Hash {
    merged_to(under, over, DEPTH)
}

fn merged_to(under: &Hash, over: &Hash, depth: u32) -> Hash {
    let mut all = under.clone();
    for (key, value) in over.iter() {
        let value = match (under.get_value(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) if depth > 0 => Value::hash(merged_to(old, new, depth - 1)),
            _ => value.clone(),
        };
        all.insert(key.clone(), value);
    }
    all
}

/// Facts with names such as `os.family` as hashes.
#[must_use]
pub fn dotted(facts: &Hash) -> Hash {
    let mut all = Hash::new();
    for (key, value) in facts.iter() {
        let mut value = value.clone();
        let Some(name) = key.as_str() else { continue };
        let mut parts: Vec<&str> = name.split('.').take(DEPTH as usize).collect();
        let first = parts.remove(0);
        for part in parts.into_iter().rev() {
            value = Value::hash([(Value::str(part), value)].into_iter().collect());
        }
        if let Some(before) = all.get(first) {
            let single = |value: Value| -> Hash { [(Value::str(first), value)].into_iter().collect() };
            let both = merged(&single(before.clone()), &single(value.clone()));
            value = both.get(first).cloned().unwrap_or(value);
        }
        all.insert(Value::str(first), value);
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use catwalk_value::value::json::to_json;

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
        for (given, expected) in cases {
            let Ok(Value::Hash(hash)) = json::parse(facts.as_bytes()) else { unreachable!() };
            let result = applied(hash, &[FactOverride::parse(given).unwrap()]);
            assert_eq!(to_json(&Value::Hash(result)).to_string(), expected, "{given}");
        }
        assert!(FactOverride::parse("os.name").unwrap_err().contains("NAME=VALUE"));
        assert!(FactOverride::parse("=x").is_err());
    }
}
