//! The JSON Schema of test files, which `matrix` and `expect` read key by key. A test compares the keys.
//!
//! In: the structures below. Out: a schema for editors. Must not: read files.
#![allow(dead_code, reason = "the structures describe files")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value as Json;

/// Any hash.
type Hash = BTreeMap<String, Json>;

/// One value or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum OneOrMany<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

/// A case: what is compiled, for which facts, and what is expected.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CaseKeys {
    /// The class to include, or to declare with `parameters`.
    class: Option<String>,
    /// The defined type to declare.
    define: Option<String>,
    /// The title for `define`; `test` by default.
    title: Option<String>,
    /// Puppet code to compile.
    code: Option<String>,
    /// Puppet code before it.
    before: Option<String>,
    /// Parameters of the class or the defined type.
    parameters: Option<Hash>,
    /// Fact sets: names, patterns, `metadata`, or hashes of facts. The case is compiled for each.
    fact_sets: Option<OneOrMany<FactSetSelector>>,
    /// Facts, over those of the fact set.
    facts: Option<Hash>,
    /// Members of `$trusted`.
    trusted: Option<Hash>,
    /// Hiera data, above all levels.
    data: Option<Hash>,
    /// The certname.
    node: Option<String>,
    /// Expectations besides the snapshot.
    expect: Option<Expectations>,
    /// Whether the case has a snapshot.
    snapshot: Option<bool>,
    /// Classes that a classifier assigns.
    classes: Option<OneOrMany<String>>,
    /// Top-scope variables that a classifier assigns.
    variables: Option<Hash>,
    /// Systems of `metadata.json` to leave out.
    except: Option<OneOrMany<String>>,
}

/// The keys of a test file besides those of its cases.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct FileKeys {
    /// Cases by name.
    cases: Option<BTreeMap<String, Option<CaseKeys>>>,
    /// Axes of variants: each case is compiled for each combination of one variant of each axis.
    matrix: Option<BTreeMap<String, BTreeMap<String, Option<CaseKeys>>>>,
    /// Files and folders of further fact sets, relative to the site.
    facts_from: Option<OneOrMany<String>>,
    /// Expected classifications of nodes.
    classify: Option<Classifications>,
    /// The file of node groups for `classify`; that of the site by default.
    groups: Option<String>,
}

/// A selection of fact sets.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum FactSetSelector {
    /// A name or a pattern.
    Name(String),
    /// Facts that the sets have.
    Facts(Hash),
}

/// What a catalog must have.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Expectations {
    /// Whether the code compiles.
    compiles: Option<bool>,
    /// The error: a part of its message, `/a regular expression/`, or true for any error.
    fails: Option<Failure>,
    /// Resources that are in the catalog, with values of their parameters; null: not set.
    contains: Option<OneOrMany<Resources>>,
    /// Resources that are not in the catalog.
    lacks: Option<OneOrMany<Resources>>,
    /// Numbers of resources by type; `*`: all.
    count: Option<BTreeMap<String, i64>>,
    /// Resources in the order in which they are applied: 'Package[ntp] -> Service[ntp]'.
    order: Option<OneOrMany<Chain>>,
    /// Messages that are logged: parts, or `/regular expressions/`.
    logs: Option<OneOrMany<String>>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Failure {
    Any(bool),
    Pattern(String),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Resources {
    Reference(String),
    Parameters(BTreeMap<String, Option<Hash>>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Chain {
    Text(String),
    References(Vec<String>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Classifications {
    List(Vec<Classification>),
    Tests { tests: Vec<Classification> },
}

/// The expected classification of a node.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Classification {
    /// A name for the expectation.
    name: Option<String>,
    /// The node.
    node: String,
    /// Its facts; those of the site by default.
    facts: Option<Hash>,
    /// Another spelling of `facts`.
    fact: Option<Hash>,
    /// Its trusted data.
    trusted: Option<Hash>,
    /// Groups that it is in.
    groups: Option<OneOrMany<String>>,
    /// Groups that it is not in.
    not_groups: Option<OneOrMany<String>>,
    /// All groups that it is in.
    only_groups: Option<OneOrMany<String>>,
    /// Classes that it has: names, or parameters by class.
    classes: Option<Classes>,
    /// Classes that it does not have.
    not_classes: Option<OneOrMany<String>>,
    /// Variables that it has.
    variables: Option<Hash>,
    /// Its environment.
    environment: Option<String>,
    /// Whether its groups conflict.
    conflict: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Classes {
    Names(OneOrMany<String>),
    Parameters(BTreeMap<String, Option<Hash>>),
}

/// The JSON Schema of test files (draft 7). The keys of a case may also be at the top of the file, for all of its cases.
#[must_use]
pub fn schema() -> Json {
    let mut generator = SchemaSettings::draft07().into_generator();
    let keys = generator.subschema_for::<CaseKeys>().to_value();
    let mut file = generator.into_root_schema_for::<FileKeys>().to_value();
    let name = keys.get("$ref").and_then(Json::as_str).and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let of_case = file.pointer(&format!("/definitions/{name}/properties")).cloned();
    if let (Some(Json::Object(of_case)), Some(Json::Object(properties))) = (of_case, file.get_mut("properties")) {
        properties.extend(of_case);
    }
    if let Some(members) = file.as_object_mut() {
        members.insert("title".to_owned(), Json::from("A test file of catwalk"));
        members.insert(
            "description".to_owned(),
            Json::from("Cases of catalogs with their expectations: tests/NAME.yaml."),
        );
    }
    file
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::expect;
    use crate::matrix;

    /// The schema has the keys that the readers have.
    #[test]
    fn the_keys_are_those_of_the_readers() {
        let schema = schema();
        let keys = |pointer: &str| -> Vec<String> {
            let mut keys: Vec<String> = schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        let sorted = |keys: &[&str]| -> Vec<String> {
            let mut keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
            keys.sort();
            keys
        };
        assert_eq!(keys("/properties"), sorted(&[&matrix::KEYS[..], &matrix::FILE_KEYS[..]].concat()));
        assert_eq!(keys("/definitions/CaseKeys/properties"), sorted(&matrix::KEYS));
        assert_eq!(keys("/definitions/Expectations/properties"), sorted(&expect::KEYS));
        assert_eq!(keys("/definitions/Classification/properties"), sorted(&catwalk_classifier::expect::KEYS));
    }
}
