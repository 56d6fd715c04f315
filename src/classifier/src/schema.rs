//! The JSON Schema of node groups, which `group` and `read` check key by key.
//!
//! In: the structures below. Out: a schema for editors. Must not: read files.
#![allow(dead_code, reason = "the structures describe files")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::Schema;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use schemars::json_schema;
use serde_json::Value as Json;

use crate::rule::OPERATORS;

type Parameters = BTreeMap<String, Option<BTreeMap<String, Json>>>;

/// Node groups.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Groups {
    /// A list of groups.
    List(Vec<Group>),
    /// Groups, and the classifications of single nodes.
    WithNodes(WithNodes),
    /// A group with its descendants.
    Tree(Box<Group>),
}

/// Groups, and the classifications of single nodes.
#[derive(JsonSchema)]
struct WithNodes {
    /// The groups.
    groups: ListOrTree,
    /// Classifications by certname, applied after all groups.
    nodes: Option<BTreeMap<String, NodeValues>>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum ListOrTree {
    List(Vec<Group>),
    Tree(Box<Group>),
}

/// A node group, as Puppet Enterprise's classifier exports it. Further members are kept.
#[derive(JsonSchema)]
struct Group {
    /// The name, unique in its environment.
    #[schemars(length(min = 1))]
    name: String,
    /// A UUID.
    id: Option<String>,
    /// The id or name of the parent; the root by default.
    parent: Option<String>,
    /// The rule that selects nodes.
    #[schemars(default, schema_with = "rule")]
    rule: Option<Json>,
    /// The environment of its nodes; `agent-specified` keeps the one that the agent requests.
    environment: Option<String>,
    /// Whether its environment wins over those of other groups.
    environment_trumps: Option<bool>,
    /// A description.
    description: Option<String>,
    /// Parameters by class.
    #[schemars(required)]
    classes: Option<Parameters>,
    /// Top-scope variables.
    variables: Option<BTreeMap<String, Json>>,
    /// Data for parameters of classes, by class.
    config_data: Option<Parameters>,
    /// Groups below this one.
    children: Option<Vec<Group>>,
}

/// The classification of a single node.
#[derive(JsonSchema)]
struct NodeValues {
    /// Parameters by class.
    classes: Option<Parameters>,
    /// Top-scope variables.
    variables: Option<BTreeMap<String, Json>>,
    /// Data for parameters of classes, by class.
    config_data: Option<Parameters>,
    /// The environment.
    environment: Option<String>,
}

/// A rule: `["and" | "or", RULE, …]`, `["not", RULE]`, or `[OPERATOR, PATH, STRING]`.
fn rule(_: &mut SchemaGenerator) -> Schema {
    let path = serde_json::json!({
        "anyOf": [
            {"type": "string"},
            {"type": "array", "minItems": 1, "items": {"type": ["string", "integer"]}},
        ],
    });
    let words: Vec<&str> = OPERATORS.iter().map(|(word, _)| *word).collect();
    json_schema!({
        "description": "The rule that selects nodes, such as [\"and\", [\"~\", [\"fact\", \"os\", \"family\"], \"Debian\"]].",
        "anyOf": [
            {"type": "null"},
            {"type": "array", "minItems": 2, "items": [{"enum": ["and", "or", "not"]}], "additionalItems": {"type": "array"}},
            {"type": "array", "minItems": 3, "maxItems": 3, "items": [{"enum": words}, path, {"type": "string"}]},
        ],
    })
}

/// The JSON Schema of files of node groups (draft 7).
#[must_use]
pub fn schema() -> Json {
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<Groups>().to_value();
    if let Some(members) = schema.as_object_mut() {
        members.insert("title".to_owned(), Json::from("Node groups of catwalk"));
    }
    schema
}
