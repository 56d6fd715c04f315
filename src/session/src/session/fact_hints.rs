//! Hints about facts that code reads and the node lacks: `$facts['os']['famly']`.
//!
//! In: the code of a failed statement, the node's facts. Out: a hint about the first such fact. Must not: evaluate.

use catwalk_base::names::did_you_mean;
use catwalk_node::facts::overrides;
use catwalk_regexp::Regexp;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The number of bytes of a statement that are searched.
const MAX_SEARCHED: usize = 4096;

/// The keys of every `$facts['a']['b']` and `fact('a.b')` in some code.
fn read_facts(code: &str) -> Vec<Vec<String>> {
    let hash = Regexp::new(r#"\$\{?(?:::)?facts((?:\[\s*['"]?[\w.:-]+['"]?\s*\])+)"#);
    let function = Regexp::new(r#"\bfact\(\s*['"]([\w.:-]+)['"]"#);
    let groups = |regexp: &Regexp| -> Vec<String> {
        let captures = regexp.captures_iter(code).map_while(Result::ok);
        captures.filter_map(|captures| captures.get(1).map(str::to_owned)).collect()
    };
    let is_quote = |c: char| matches!(c, '[' | ']' | '\'' | '"') || c.is_whitespace();
    let keys = |text: &str| {
        text.split(']').map(|key| key.trim_matches(is_quote).to_owned()).filter(|key| !key.is_empty()).collect()
    };
    let dotted = |text: &str| text.split('.').map(str::to_owned).collect();
    let mut facts: Vec<Vec<String>> = groups(&hash).iter().map(|text| keys(text)).collect();
    facts.extend(groups(&function).iter().map(|text| dotted(text)));
    facts
}

/// The hint for one fact; `None` if the node has it or no name is similar.
fn missing_fact_hint(keys: &[String], facts: &Hash) -> Option<String> {
    let mut entries = facts;
    for (at, key) in keys.iter().enumerate() {
        match entries.get(key) {
            Some(Value::Hash(inner)) => entries = inner,
            Some(_) => return None,
            None => {
                let name = keys.get(..=at)?.join(".");
                if let Some(structured) = overrides::structured_name(&name) {
                    let fact = overrides::manifest_expression(structured);
                    return Some(format!("'{name}' is a legacy fact that this node does not have: use {fact}"));
                }
                let near = did_you_mean(key, entries.keys().filter_map(Value::as_str))?;
                return Some(format!("this node has no fact '{name}'; {near}"));
            }
        }
    }
    None
}

/// A hint about the first fact that the code reads and the node lacks.
pub(super) fn hint(code: &str, facts: &Hash) -> Option<String> {
    let end = (0..=code.len().min(MAX_SEARCHED)).rev().find(|end| code.is_char_boundary(*end))?;
    read_facts(code.get(..end)?).iter().find_map(|keys| missing_fact_hint(keys, facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_that_a_node_lacks_are_found_in_code() {
        let os: Hash = [(Value::str("family"), Value::str("Debian"))].into_iter().collect();
        let facts: Hash =
            [(Value::str("os"), Value::hash(os)), (Value::str("uptime"), Value::str("1"))].into_iter().collect();
        let near = |name: &str, near: &str| Some(format!("this node has no fact '{name}'; did you mean '{near}'?"));
        for (code, expected) in [
            ("$facts['os']['famly']", near("os.famly", "family")),
            ("\"a ${facts['os']['famly']} b\"", near("os.famly", "family")),
            ("$x = $facts[\"uptme\"] + 1", near("uptme", "uptime")),
            ("fact('os.famly')", near("os.famly", "family")),
            ("$facts['os']['family'] $facts['os'] $facts[os] $facts[$x]", None),
            ("$facts['nothing']['like']['it']", None),
            (
                "$facts['osfamily']",
                Some("'osfamily' is a legacy fact that this node does not have: use $facts['os']['family']".to_owned()),
            ),
        ] {
            assert_eq!(hint(code, &facts), expected, "{code}");
        }
    }
}
