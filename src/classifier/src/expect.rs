//! Tests of rules: the expected classification of nodes.
//!
//! In: a document of expectations, groups. Out: which are met, and how the others fail. Must not: read files.
//!
//! ```yaml
//! - name: a web server in production      # optional
//!   node: web1.example.com
//!   facts: {os: {family: Debian}}          # optional: what the site has
//!   trusted: {extensions: {pp_role: web}}  # optional
//!   groups: [Web servers]                  # by name or id: it is in these
//!   not_groups: [Canary]
//!   only_groups: [All Nodes, Web servers]  # it is in these and no others
//!   classes: {role::web: {workers: 4}}     # has these; or a list of names
//!   not_classes: [role::db]
//!   variables: {tier: web}
//!   environment: production
//!   conflict: true                         # its groups conflict
//! ```

use std::sync::Arc;

use crate::classify::NodeClassification;
use crate::groups::Groups;
use crate::problem::object;
use crate::subject::Subject;
use crate::values::Key;
use crate::values::Values;
use crate::values::entries;
use catwalk_base::diag::Diagnostic;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::to_json;
use catwalk_world::World;

/// The keys of an expectation.
pub const KEYS: [&str; 13] = [
    "name",
    "node",
    "facts",
    "fact",
    "trusted",
    "groups",
    "not_groups",
    "only_groups",
    "classes",
    "not_classes",
    "variables",
    "environment",
    "conflict",
];

/// One expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Its name.
    pub name: String,
    /// The node.
    pub node: Arc<str>,
    /// Its facts and trusted facts, where the document has them.
    pub facts: Option<Arc<Hash>>,
    /// Its trusted facts.
    pub trusted: Option<Arc<Hash>>,
    expected: Arc<Hash>,
}

/// The result of checking an expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The name of the expectation.
    pub name: String,
    /// The node.
    pub node: Arc<str>,
    /// The reasons why it is not met; empty when it is.
    pub failures: Vec<String>,
}

impl Verdict {
    /// The verdict as a document.
    #[must_use]
    pub fn document(&self) -> Value {
        let failures = self.failures.iter().map(Value::str).collect();
        object([
            ("name", Value::str(&self.name)),
            ("node", Value::from(self.node.clone())),
            ("ok", Value::Bool(self.failures.is_empty())),
            ("failures", Value::array(failures)),
        ])
    }
}

/// Reads expectations: an array, or a hash with `tests`.
///
/// # Errors
/// Returns a message with the number of the first item that is not an expectation or has an unknown key.
pub fn read(document: &Value) -> Result<Vec<Expectation>, String> {
    let items = match document {
        Value::Hash(hash) => hash.get("tests").unwrap_or(document),
        other => other,
    };
    let Value::Array(items) = items else { return Err("expectations must be an array".to_owned()) };
    (1..).zip(items.iter()).map(|(number, item)| expectation(number, item)).collect()
}

fn expectation(number: usize, item: &Value) -> Result<Expectation, String> {
    let fail = |why: String| Err(format!("expectation {number}: {why}"));
    let Value::Hash(hash) = item else { return fail("it must be a hash".to_owned()) };
    for key in hash.keys() {
        if !key.as_str().is_some_and(|key| KEYS.contains(&key)) {
            return fail(format!("unknown key {}, known are {}", to_json(key), KEYS.join(", ")));
        }
    }
    let Some(Value::Str(node)) = hash.get("node") else { return fail("`node` must be the name of a node".to_owned()) };
    let part = |names: &[&str]| -> Result<Option<Arc<Hash>>, String> {
        match names.iter().find_map(|name| hash.get(name)) {
            None | Some(Value::Undef) => Ok(None),
            Some(Value::Hash(part)) => Ok(Some(part.clone())),
            Some(_) => Err(format!("expectation {number}: `{}` must be a hash", names.first().unwrap_or(&""))),
        }
    };
    let (facts, trusted) = (part(&["facts", "fact"])?, part(&["trusted"])?);
    let name = hash.get("name").and_then(Value::as_str).unwrap_or(node).to_owned();
    Ok(Expectation { name, node: node.to_shared(), facts, trusted, expected: hash.clone() })
}

impl Groups {
    /// Checks whether a node is classified as expected.
    ///
    /// # Errors
    /// Returns the error of a rule in code.
    pub fn check_expectation(
        &self,
        expected: &Expectation,
        node: &Subject,
        world: &dyn World,
    ) -> Result<Verdict, Box<Diagnostic>> {
        let classified = self.classify(node, world)?;
        let mut failures = Vec::new();
        self.check_groups(expected, &classified, &mut failures);
        let conflicts = classified.outcome.conflict_lines(self);
        match (expected.expected.get("conflict"), &classified.values) {
            (Some(Value::Bool(true)), Some(_)) => failures.push("its groups do not conflict".to_owned()),
            (Some(Value::Bool(true)), None) => {}
            (_, None) => failures.extend(conflicts.iter().map(|line| format!("conflict: {line}"))),
            (_, Some(values)) => check_values(&expected.expected, values, &mut failures),
        }
        Ok(Verdict { name: expected.name.clone(), node: expected.node.clone(), failures })
    }

    fn check_groups(&self, expected: &Expectation, classified: &NodeClassification, failures: &mut Vec<String>) {
        let mut find_groups = |key: &str| -> Vec<usize> {
            let mut found = Vec::new();
            for name in strings(expected.expected.get(key)) {
                match self.find(&name) {
                    Some(group) => found.push(group),
                    None => failures.push(format!("there is no group '{name}'")),
                }
            }
            found
        };
        let (expected_groups, excluded_groups, only_groups) =
            (find_groups("groups"), find_groups("not_groups"), find_groups("only_groups"));
        let name = |group: &usize| self.get(*group).map_or("", |group| group.name.as_ref());
        let is_in = |group: &usize| classified.matching.contains(group);
        for group in expected_groups.iter().chain(&only_groups).filter(|group| !is_in(group)) {
            failures.push(format!("it is not in group '{}'", name(group)));
        }
        for group in excluded_groups.iter().filter(|group| is_in(group)) {
            failures.push(format!("it is in group '{}'", name(group)));
        }
        if expected.expected.get("only_groups").is_some() {
            for group in classified.matching.iter().filter(|group| !only_groups.contains(group)) {
                failures.push(format!("it is in group '{}'", name(group)));
            }
        }
    }
}

fn check_values(expected: &Hash, values: &Values, failures: &mut Vec<String>) {
    if let Some(environment) = expected.get("environment").filter(|expected| expected.as_str() != values.environment())
    {
        let got = values.environment().unwrap_or("none");
        failures.push(format!("its environment is {got}, expected {}", environment.as_str().unwrap_or("text")));
    }
    let mut compare = |key: &Key, expected: &Value| match values.values.get(key) {
        Some(got) if got.value == *expected => {}
        Some(got) => {
            failures.push(format!(
                "{} is {}, expected {}",
                key.to_display_string(),
                to_json(&got.value),
                to_json(expected)
            ));
        }
        None => failures.push(format!("{} is not set, expected {}", key.to_display_string(), to_json(expected))),
    };
    for (name, expected) in entries(expected.get("variables")) {
        compare(&Key::Variable(name), expected);
    }
    for (class, parameters) in entries(expected.get("classes")) {
        for (name, expected) in entries(Some(parameters)) {
            compare(&Key::Parameter(class.clone(), name), expected);
        }
    }
    for class in strings(expected.get("classes")).iter().filter(|class| !values.classes.contains_key(*class)) {
        failures.push(format!("it has no class '{class}'"));
    }
    for class in strings(expected.get("not_classes")).iter().filter(|class| values.classes.contains_key(*class)) {
        failures.push(format!("it has class '{class}'"));
    }
}

/// A string, an array of strings, or the keys of a hash.
fn strings(value: Option<&Value>) -> Vec<Arc<str>> {
    let string = |value: &Value| match value {
        Value::Str(text) => Some(text.to_shared()),
        _ => None,
    };
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(string).collect(),
        Some(Value::Hash(hash)) => hash.keys().filter_map(string).collect(),
        Some(one) => string(one).into_iter().collect(),
        None => Vec::new(),
    }
}
