//! Rules as queries to PuppetDB, as the classifier service translates them ("Rules endpoint", `GET /v1/groups/<id>/rules`).
//!
//! In: a rule. Out: a query for PuppetDB's nodes or inventory, or why there is none. Must not: query PuppetDB.
//!
//! PuppetDB compares values of one type, rules compare any scalar as a string: a string that spells a boolean or a number is
//! queried in both forms.

use crate::number::Number;
use crate::problem::object;
use crate::rule::Operator;
use crate::rule::Rule;
use crate::rule::Test;
use crate::subject::Path;
use crate::subject::Segment;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The PuppetDB endpoint of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endpoint {
    /// `/pdb/query/v4/nodes`: facts by name, no parts of facts.
    Nodes,
    /// `/pdb/query/v4/inventory`: facts and trusted data by dotted paths.
    Inventory,
}

/// A rule as a query.
///
/// # Errors
/// Returns a message about the part that cannot be expressed as a query.
pub fn query(rule: &Rule, endpoint: Endpoint) -> Result<Value, String> {
    let many = |word: &str, rules: &[Rule]| -> Result<Value, String> {
        let mut parts = Vec::new();
        for rule in rules {
            // In an `and`, a condition that always holds is redundant.
            if !(word == "and" && rules.len() > 1 && matches_all(rule)) {
                parts.push(query(rule, endpoint)?);
            }
        }
        Ok(match (parts.pop(), parts.is_empty()) {
            (Some(only), true) => only,
            (last, _) => list(std::iter::once(Value::str(word)).chain(parts).chain(last)),
        })
    };
    match rule {
        Rule::And(rules) if rules.iter().all(matches_all) => Ok(match_all_rule()),
        Rule::And(rules) => many("and", rules),
        Rule::Or(rules) => many("or", rules),
        Rule::Not(rule) => Ok(list([Value::str("not"), query(rule, endpoint)?])),
        Rule::Test(test) => translate_test(test, endpoint),
        Rule::Script(script) => Err(format!("the rule at {} is a script", script.location())),
    }
}

/// The document of a group's rules: its own, with those of its ancestors, and these as queries; where there is no query, the
/// service's error replaces it.
#[must_use]
pub fn document(rule: Option<&Rule>, inherited: &[&Rule]) -> Value {
    let rules: Vec<Rule> = rule.into_iter().chain(inherited.iter().copied()).cloned().collect();
    let all = match rules.as_slice() {
        [only] => only.clone(),
        _ => Rule::And(rules),
    };
    let translated = |endpoint| match query(&all, endpoint) {
        Ok(query) => query,
        Err(why) => object([
            ("kind", Value::str("untranslatable-rule")),
            ("msg", Value::from(format!("The rule cannot be translated because {why}"))),
            ("details", all.document()),
        ]),
    };
    let queries = object([
        ("nodes_query_format", translated(Endpoint::Nodes)),
        ("inventory_query_format", translated(Endpoint::Inventory)),
    ]);
    object([
        ("rule", rule.map_or(Value::Undef, Rule::document)),
        ("rule_with_inherited", all.document()),
        ("translated", queries),
    ])
}

/// Whether a document of [`document`] has an error instead of a query.
#[must_use]
pub fn is_untranslatable(document: &Hash) -> bool {
    match document.get("translated") {
        // A query is a list.
        Some(Value::Hash(queries)) => queries.values().any(|query| matches!(query, Value::Hash(_))),
        _ => false,
    }
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::array(items.into_iter().collect())
}

fn match_all_rule() -> Value {
    list([Value::str("~"), Value::str("certname"), Value::str(".*")])
}

/// `["~", "name", ".*"]`, the rule of the root.
fn matches_all(rule: &Rule) -> bool {
    match rule {
        Rule::Test(test) => {
            test.operator == Operator::Match && &*test.literal == ".*" && keys(&test.path) == Some(vec!["name"])
        }
        Rule::And(rules) => rules.iter().all(matches_all),
        _ => false,
    }
}

/// The names of a path that has no index.
fn keys(path: &Path) -> Option<Vec<&str>> {
    path.segments
        .iter()
        .map(|segment| match segment {
            Segment::Key(key) => Some(key.as_ref()),
            Segment::Index(_) => None,
        })
        .collect()
}

fn translate_test(test: &Test, endpoint: Endpoint) -> Result<Value, String> {
    let translate_path = translate_path(&test.path, endpoint)?;
    let compared = |operator: &str, value: Value| list([Value::str(operator), translate_path.clone(), value]);
    let text = Value::from(test.literal.clone());
    let number = Number::parse(&test.literal).and_then(|_| json_number(&test.literal));
    match test.operator {
        Operator::Match => Ok(compared("~", text)),
        Operator::Equal => {
            let typed = match &*test.literal {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => number,
            };
            // A certname is a string.
            Ok(match typed.filter(|_| translate_path != Value::str("certname")) {
                None => compared("=", text),
                Some(typed) => list([Value::str("or"), compared("=", text), compared("=", typed)]),
            })
        }
        Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual => match number {
            Some(number) => Ok(compared(test.operator.as_str(), number)),
            None => Err(format!("'{}' is not a number", test.literal)),
        },
        Operator::Contains | Operator::ContainsNot => {
            Err(format!("PuppetDB has no operator '{}'", test.operator.as_str()))
        }
    }
}

fn json_number(text: &str) -> Option<Value> {
    let text = text.trim();
    text.parse().map(Value::Int).ok().or_else(|| text.parse().ok().filter(|n: &f64| n.is_finite()).map(Value::Float))
}

fn translate_path(path: &Path, endpoint: Endpoint) -> Result<Value, String> {
    let document = || path.document();
    let (first, steps) = match path.segments.split_first() {
        Some((Segment::Key(first), steps)) => (first.as_ref(), steps),
        _ => return Err(format!("a path cannot begin so: {:?}", document())),
    };
    match (first, steps, endpoint) {
        ("name" | "nodename", [], _) => Ok(Value::str("certname")),
        ("fact", [Segment::Key(name)], Endpoint::Nodes) => Ok(list([Value::str("fact"), Value::from(name.clone())])),
        ("fact", [_, _, ..], Endpoint::Nodes) => Err("PuppetDB does not support structured facts.".to_owned()),
        ("trusted", _, Endpoint::Nodes) => Err("PuppetDB does not support trusted facts.".to_owned()),
        ("fact" | "trusted", [_, ..], Endpoint::Inventory) => {
            let mut text = if first == "fact" { "facts".to_owned() } else { "trusted".to_owned() };
            for segment in steps {
                match segment {
                    Segment::Key(key) if is_plain(key) => text.push_str(&format!(".{key}")),
                    Segment::Key(key) if key.contains('"') => return Err(format!("a name with a quote: {key}")),
                    Segment::Key(key) => text.push_str(&format!(".\"{key}\"")),
                    Segment::Index(number) => text.push_str(&format!("[{number}]")),
                }
            }
            Ok(Value::from(text))
        }
        _ => Err(format!("nodes have no field '{first}' in PuppetDB")),
    }
}

/// Whether a name needs no quotes in a dotted path.
fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
    use super::*;
    use catwalk_value::data::json;
    use catwalk_value::json::to_json;

    #[test]
    fn rules_become_queries() {
        for (rule, nodes, inventory) in [
            (r#"["~","name",".*"]"#, r#"["~","certname",".*"]"#, r#"["~","certname",".*"]"#),
            (
                r#"["and",["=",["fact","is_spaceship"],"true"],["~","name",".*"]]"#,
                r#"["or",["=",["fact","is_spaceship"],"true"],["=",["fact","is_spaceship"],true]]"#,
                r#"["or",["=","facts.is_spaceship","true"],["=","facts.is_spaceship",true]]"#,
            ),
            (
                r#"["or",["=","name","a"],["not",["~",["fact","kernel"],"^L"]]]"#,
                r#"["or",["=","certname","a"],["not",["~",["fact","kernel"],"^L"]]]"#,
                r#"["or",["=","certname","a"],["not",["~","facts.kernel","^L"]]]"#,
            ),
            (
                r#"["and",[">=",["fact","cores"],"4"],["=",["fact","vlan"],"30"]]"#,
                r#"["and",[">=",["fact","cores"],4],["or",["=",["fact","vlan"],"30"],["=",["fact","vlan"],30]]]"#,
                r#"["and",[">=","facts.cores",4],["or",["=","facts.vlan","30"],["=","facts.vlan",30]]]"#,
            ),
            (
                r#"["=",["fact","os","family"],"Debian"]"#,
                "PuppetDB does not support structured facts.",
                r#"["=","facts.os.family","Debian"]"#,
            ),
            (
                r#"["=",["trusted","extensions","1.3.6"],"x"]"#,
                "PuppetDB does not support trusted facts.",
                r#"["=","trusted.extensions.\"1.3.6\"","x"]"#,
            ),
            (r#"["<",["fact","version"],"10.4.1"]"#, "'10.4.1' is not a number", "'10.4.1' is not a number"),
        ] {
            let parsed = Rule::parse(&json::parse(rule.as_bytes()).unwrap()).unwrap();
            let printed = |endpoint| match query(&parsed, endpoint) {
                Ok(query) => to_json(&query).to_string(),
                Err(why) => why,
            };
            assert_eq!(printed(Endpoint::Nodes), nodes, "{rule}");
            assert_eq!(printed(Endpoint::Inventory), inventory, "{rule}");
        }
    }
}
