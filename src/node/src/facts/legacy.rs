//! Legacy facts, from before structured facts: agents of Puppet 8 no longer send them (`include_legacy_facts`).
//!
//! In: a name, or the facts of a node. Out: the structured fact in its place; the facts without legacy ones. Must not: know versions.

use std::sync::LazyLock;

use catwalk_value::Hash;
use catwalk_value::Value;

/// A row of the table.
struct Legacy {
    name: &'static str,
    structured: &'static str,
    /// Whether the structured fact has the same value.
    has_same_value: bool,
}

static TABLE: LazyLock<Vec<Legacy>> = LazyLock::new(|| {
    let rows = include_str!("legacy.tsv").lines().filter(|line| !line.starts_with('#'));
    let read = |row: &'static str| {
        let (name, structured) = row.split_once('\t')?;
        let whole = structured.strip_suffix('…');
        Some(Legacy { name, structured: whole.unwrap_or(structured), has_same_value: whole.is_none() })
    };
    rows.filter_map(read).collect()
});

/// Words of the table that stand for one of many names.
const PLACEHOLDERS: [&str; 3] = ["INTERFACE", "DISK", "NUMBER"];

impl Legacy {
    /// What the placeholder of the row stands for in a name; an empty string in rows without one. `None`: the row does not have the name.
    fn matched<'n>(&self, name: &'n str) -> Option<&'n str> {
        let Some(placeholder) = self.placeholder() else { return (self.name == name).then_some("") };
        let (before, after) = self.name.split_once(placeholder)?;
        let found = name.strip_prefix(before)?.strip_suffix(after)?;
        let fits = match placeholder {
            "NUMBER" => found.bytes().all(|byte| byte.is_ascii_digit()),
            _ => true,
        };
        (!found.is_empty() && fits).then_some(found)
    }

    fn placeholder(&self) -> Option<&'static str> {
        PLACEHOLDERS.into_iter().find(|placeholder| self.name.contains(placeholder))
    }
}

/// The structured fact in place of a legacy one, and whether it has the same value: `os.family` for `osfamily`. Names such as
/// `ipaddress_eth0` have one too; a fact of the site's own may have such a name.
#[must_use]
pub fn structured(name: &str) -> Option<(String, bool)> {
    TABLE.iter().find_map(|legacy| {
        let found = legacy.matched(name)?;
        let path = legacy
            .placeholder()
            .map_or_else(|| legacy.structured.to_owned(), |placeholder| legacy.structured.replace(placeholder, found));
        Some((path, legacy.has_same_value))
    })
}

/// As [`structured`], for names without placeholder: any other fact may have a name such as `network_zone`.
pub(super) fn structured_of_fixed_name(name: &str) -> Option<&'static str> {
    TABLE.iter().find(|legacy| legacy.name == name).map(|legacy| legacy.structured)
}

/// The other name of a fact that has two, a structured and a legacy one, with the same value.
pub(super) fn twin(name: &str) -> Option<&'static str> {
    let pairs = TABLE.iter().filter(|legacy| legacy.has_same_value && legacy.placeholder().is_none());
    pairs.into_iter().find_map(|legacy| match () {
        () if legacy.structured == name => Some(legacy.name),
        () if legacy.name == name => Some(legacy.structured),
        () => None,
    })
}

/// The names of the legacy facts among a node's facts.
#[must_use]
pub fn names(facts: &Hash) -> Vec<String> {
    let names = facts.keys().filter_map(Value::as_str);
    names.filter(|name| is_legacy(name, facts)).map(str::to_owned).collect()
}

/// The facts without legacy ones, as an agent of Puppet 8 sends them.
#[must_use]
pub fn without(facts: &Hash) -> Hash {
    let is_kept = |(name, _): &(&Value, &Value)| name.as_str().is_none_or(|name| !is_legacy(name, facts));
    facts.iter().filter(is_kept).map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn is_legacy(name: &str, facts: &Hash) -> bool {
    let is_one_of = |path: &str, wanted: &str| match super::overrides::find(facts, path) {
        // Names of interfaces have underscores in place of other characters.
        Some(Value::Hash(parts)) => parts.keys().filter_map(Value::as_str).any(|part| simple_name(part) == wanted),
        _ => false,
    };
    TABLE.iter().any(|legacy| match (legacy.matched(name), legacy.placeholder()) {
        (None, _) => false,
        (Some(interface), Some("INTERFACE")) => is_one_of("networking.interfaces", interface),
        (Some(disk), Some("DISK")) => is_one_of("disks", disk),
        (Some(_), _) => true,
    })
}

fn simple_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;

    #[test]
    fn each_legacy_fact_has_a_structured_one() {
        assert!(TABLE.len() > 120 && TABLE.iter().all(|legacy| !legacy.structured.is_empty()));
        for (name, expected) in [
            ("osfamily", Some(("os.family", true))),
            ("ipaddress_eth0", Some(("networking.interfaces.eth0.ip", true))),
            ("processor12", Some(("processors.models.12", true))),
            ("processorcount", Some(("processors.count", true))),
            ("blockdevices", Some(("disks", false))),
            ("os", None),
            ("ipaddress_", None),
            ("kernel", None),
        ] {
            let expected = expected.map(|(path, same)| (path.to_owned(), same));
            assert_eq!(structured(name), expected, "{name}");
        }
        assert_eq!((twin("os.family"), twin("osfamily"), twin("os")), (Some("osfamily"), Some("os.family"), None));
    }

    #[test]
    fn facts_of_the_site_with_similar_names_stay() {
        let facts = r#"{"osfamily": "Debian", "os": {"family": "Debian"}, "network_zone": "dmz", "ipaddress_br_lan_1": "192.0.2.1",
            "networking": {"interfaces": {"br-lan.1": {}}}, "disks": {"vda": {}}, "blockdevice_vda_size": 1, "mtu_size": 1}"#;
        let Value::Hash(facts) = catwalk_value::data::json::parse(facts.as_bytes()).unwrap() else { panic!("a hash") };
        assert_eq!(names(&facts), ["osfamily", "ipaddress_br_lan_1", "blockdevice_vda_size"]);
        let kept = without(&facts);
        let kept: Vec<&str> = kept.keys().filter_map(Value::as_str).collect();
        assert_eq!(kept, ["os", "network_zone", "networking", "disks", "mtu_size"]);
    }
}
