//! One group: its members as data, checked and made ready.
//!
//! In: a group object as the service exports it. Out: [`Group`], or what does not conform to the schema. Must not: know
//! other groups.

use std::path::Path;
use std::sync::Arc;

use sha1::Digest;

use crate::problem::object;
use crate::rule::Rule;
use crate::rule::ScriptRule;
use crate::values::Source;
use crate::values::Values;
use crate::values::entries;
use catwalk_value::Hash;
use catwalk_value::Value;

/// The root, "All Nodes", whose parent is itself.
pub(crate) const ROOT_ID: &str = "00000000-0000-4000-8000-000000000000";

/// The name of the root if no file defines it.
pub(crate) const ROOT_NAME: &str = "All Nodes";

/// The environment of a group without one.
pub(crate) const DEFAULT_ENVIRONMENT: &str = "production";

/// The environment of groups that leave the choice to the agent.
pub const AGENT_SPECIFIED: &str = "agent-specified";

/// A group of nodes.
#[derive(Clone, Debug)]
pub struct Group {
    /// Unique within its environment.
    pub name: Arc<str>,
    /// A UUID.
    pub id: Arc<str>,
    /// The number of its parent; `None` for the root.
    pub parent: Option<usize>,
    /// The number of its ancestors.
    pub depth: usize,
    /// The rule that selects nodes. Without a rule, no node matches, but the group does not block its children.
    pub rule: Option<Rule>,
    /// The environment of its nodes.
    pub environment: Arc<str>,
    /// Whether its environment wins over those of other groups.
    pub environment_trumps: bool,
    /// The values that it assigns. Their source is the group's number.
    pub values: Values,
    /// The group object as it was read, with missing members added.
    pub document: Value,
    /// The location of its definition.
    pub location: Option<DefinitionLocation>,
}

/// The location of a part of a classification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DefinitionLocation {
    /// A value in a document.
    Value {
        /// The document, JSON or YAML.
        file: Arc<Path>,
        /// The path to the value: keys, and numbers of list items.
        keys: Vec<Arc<str>>,
    },
    /// A value in the output of a command.
    Output {
        /// The command with its arguments.
        command: Arc<str>,
        /// The output, JSON or YAML.
        text: Arc<str>,
        /// The path to the value: keys, and numbers of list items.
        keys: Vec<Arc<str>>,
    },
    /// A call in a script.
    Call {
        /// The script.
        file: Arc<Path>,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
}

impl DefinitionLocation {
    /// The location of a value below this one. A call in a script has no locations below it.
    #[must_use]
    pub fn below<'a>(&self, further: impl IntoIterator<Item = &'a str>) -> DefinitionLocation {
        match self {
            DefinitionLocation::Value { file, keys } => {
                let keys = keys.iter().cloned().chain(further.into_iter().map(Arc::from)).collect();
                DefinitionLocation::Value { file: file.clone(), keys }
            }
            DefinitionLocation::Output { command, text, keys } => {
                let keys = keys.iter().cloned().chain(further.into_iter().map(Arc::from)).collect();
                DefinitionLocation::Output { command: command.clone(), text: text.clone(), keys }
            }
            call @ DefinitionLocation::Call { .. } => call.clone(),
        }
    }
}

/// A group as it was read, before its parent is looked up.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The location of its definition.
    pub location: Option<DefinitionLocation>,
    /// The group object with an id.
    pub document: Arc<Hash>,
    /// Id or name of the parent.
    pub parent: Arc<str>,
    /// A rule in code, instead of one in data.
    pub script: Option<Arc<dyn ScriptRule>>,
}

/// The schema, as `details` of a schema violation show it.
#[must_use]
pub fn schema() -> Value {
    object([
        ("name", Value::str("text")),
        ("id", Value::str("UUID; optional")),
        ("parent", Value::str("UUID or name of a group; optional: the root")),
        ("rule", Value::str("condition or null; optional")),
        ("environment", Value::str("text; optional: production")),
        ("environment_trumps", Value::str("boolean; optional: false")),
        ("description", Value::str("text; optional")),
        ("classes", Value::str("{class: {parameter: any}}")),
        ("variables", Value::str("{variable: any}; optional")),
        ("config_data", Value::str("{class: {parameter: any}}; optional")),
    ])
}

/// The violations of the schema in a group object, by JSON pointer.
#[must_use]
pub(crate) fn violations(group: &Hash) -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    let mut add = |at: &str, what: &str| wrong.push((format!("/{at}"), what.to_owned()));
    match group.get("name") {
        Some(Value::Str(name)) if !name.is_empty() => {}
        None => add("name", "missing required key"),
        Some(_) => add("name", "must be a string that is not empty"),
    }
    for key in ["id", "parent", "environment", "description"] {
        if !matches!(group.get(key), None | Some(Value::Undef | Value::Str(_))) {
            add(key, "must be a string");
        }
    }
    if !matches!(group.get("environment_trumps"), None | Some(Value::Undef | Value::Bool(_))) {
        add("environment_trumps", "must be true or false");
    }
    if let Some(rule) = group.get("rule").filter(|rule| !rule.is_undef())
        && let Err(why) = Rule::parse(rule)
    {
        add("rule", &format!("The rule is malformed: {why}"));
    }
    if group.get("classes").is_none() {
        add("classes", "missing required key");
    }
    wrong.extend(value_violations(group));
    wrong
}

/// The violations in the members that groups and nodes' own classifications share.
#[must_use]
pub(crate) fn value_violations(members: &Hash) -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    for key in ["classes", "config_data", "variables"] {
        let value = members.get(key).unwrap_or(&Value::Undef);
        if !matches!(value, Value::Undef | Value::Hash(_)) {
            wrong.push((format!("/{key}"), "must be an object".to_owned()));
        }
        for (name, inner) in entries(Some(value)).filter(|_| key != "variables") {
            if !matches!(inner, Value::Undef | Value::Hash(_)) {
                wrong.push((format!("/{key}/{name}"), "must be an object of parameters".to_owned()));
            }
        }
    }
    wrong
}

/// Whether a string is a UUID.
#[must_use]
pub(crate) fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [8, 4, 4, 4, 12] && parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The id of a group that was written without one: a UUID of version 5, computed from environment and name.
#[must_use]
pub(crate) fn derived_id(environment: &str, name: &str) -> Arc<str> {
    let digest = sha1::Sha1::digest(format!("catwalk:group:{environment}:{name}"));
    let mut bytes: Vec<u8> = digest.iter().copied().take(16).collect();
    if let Some(byte) = bytes.get_mut(6) {
        *byte = (*byte & 0x0f) | 0x50;
    }
    if let Some(byte) = bytes.get_mut(8) {
        *byte = (*byte & 0x3f) | 0x80;
    }
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or("");
    Arc::from(format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)))
}

impl Group {
    /// A group from its checked object. `number` is its index among all groups.
    #[must_use]
    pub fn new(draft: &Draft, number: usize, parent: Option<(usize, &str)>, depth: usize) -> Group {
        let object = &draft.document;
        let string = |key: &str| object.get(key).and_then(Value::as_str).map(Arc::<str>::from);
        let (id, name) = (string("id").unwrap_or_default(), string("name").unwrap_or_default());
        let rule = object.get("rule").filter(|rule| !rule.is_undef()).cloned();
        // The root's rule cannot be edited.
        let rule = rule.or_else(|| parent.is_none().then(match_all_rule));
        let parsed = match &draft.script {
            Some(script) => Some(Rule::Script(script.clone())),
            None => rule.as_ref().and_then(|rule| Rule::parse(rule).ok()),
        };
        let environment = string("environment").unwrap_or_else(|| Arc::from(DEFAULT_ENVIRONMENT));
        let mut document = Hash::new();
        document.set("name", Value::from(name.clone()));
        document.set("id", Value::from(id.clone()));
        document.set("parent", Value::str(parent.map_or(id.as_ref(), |(_, id)| id)));
        document.set("rule", parsed.as_ref().map_or(Value::Undef, Rule::document));
        document.set("environment", Value::from(environment.clone()));
        for key in ["variables", "classes"] {
            let value = object.get(key).filter(|value| !value.is_undef()).cloned();
            document.set(key, value.unwrap_or_else(|| Value::hash(Hash::new())));
        }
        // Other members are unchanged, read-only ones included.
        for (key, value) in object.iter() {
            if !document.contains(key) && key.as_str() != Some("children") {
                document.insert(key.clone(), value.clone());
            }
        }
        let values = Values::read(&document, Source::Group(number));
        Group {
            name,
            id,
            parent: parent.map(|(number, _)| number),
            depth,
            rule: parsed,
            environment,
            environment_trumps: object.get("environment_trumps") == Some(&Value::Bool(true)),
            values,
            document: Value::hash(document),
            location: draft.location.clone(),
        }
    }
}

/// The rule of the root, which matches every name.
fn match_all_rule() -> Value {
    Value::array(vec![Value::str("and"), Value::array(vec![Value::str("~"), Value::str("name"), Value::str(".*")])])
}
