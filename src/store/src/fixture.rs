//! Fixtures: handwritten nodes for a store, for tests of manifests with collectors or queries.
//!
//! In: `{"nodes": {CERTNAME: {…}}}` as JSON (the caller converts YAML), or a single catalog or facts document. Out: documents to
//! store. Unknown keys are errors, so that typing mistakes are found.

use serde_json::Value;

use crate::document::CatalogDocument;
use crate::document::EdgeDocument;
use crate::document::FactsDocument;
use crate::document::ResourceDocument;

/// A node in a fixture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeFixture {
    pub certname: String,
    /// When the node was deactivated, in milliseconds since 1970.
    pub deactivated: Option<i64>,
    pub catalog: Option<CatalogDocument>,
    pub facts: Option<FactsDocument>,
}

const KEYS: [&str; 12] = [
    "environment",
    "producer",
    "producer_timestamp",
    "deactivated",
    "version",
    "catalog_uuid",
    "transaction_uuid",
    "code_id",
    "job_id",
    "facts",
    "resources",
    "edges",
];
const RESOURCE_KEYS: [&str; 7] = ["type", "title", "exported", "tags", "file", "line", "parameters"];

/// Reads a fixture, a catalog or a facts document. `certname` is the node's name if the document has none.
///
/// # Errors
/// It is none of these, or a part of it is invalid.
pub fn read(document: &Value, certname: Option<&str>) -> Result<Vec<NodeFixture>, String> {
    if let Some(nodes) = document.get("nodes") {
        let nodes = nodes.as_object().ok_or("`nodes` must be a hash of certnames")?;
        return nodes
            .iter()
            .map(|(name, node)| read_node(name, node).map_err(|why| format!("{name}: {why}")))
            .collect();
    }
    let is_facts = |document: &Value| document.get("values").is_some() && document.get("resources").is_none();
    if is_facts(document) || document.get("payload").is_some_and(is_facts) {
        let facts = FactsDocument::from_json(document, certname)?;
        return Ok(vec![NodeFixture {
            certname: facts.certname.clone(),
            facts: Some(facts),
            ..NodeFixture::default()
        }]);
    }
    let catalog = CatalogDocument::from_json(document, certname)?;
    Ok(vec![NodeFixture { certname: catalog.certname.clone(), catalog: Some(catalog), ..NodeFixture::default() }])
}

fn check_keys(object: &Value, valid: &[&str], description: &str) -> Result<(), String> {
    let object = object.as_object().ok_or_else(|| format!("{description} must be a hash"))?;
    match object.keys().find(|key| !valid.contains(&key.as_str())) {
        Some(key) => Err(format!("unknown key `{key}` of {description}; known keys are {}", valid.join(", "))),
        None => Ok(()),
    }
}

fn read_node(certname: &str, node: &Value) -> Result<NodeFixture, String> {
    check_keys(node, &KEYS, "a node")?;
    let string = |key: &str| match node.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(string)) => Ok(Some(string.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(format!("`{key}` must be a string")),
    };
    let time = |key: &str| match string(key)? {
        Some(time) => crate::time::parse(&time).map(Some).ok_or_else(|| format!("`{key}` is not a time: {time}")),
        None => Ok(None),
    };
    let facts = match node.get("facts") {
        None => None,
        Some(values) => Some(FactsDocument {
            certname: certname.to_owned(),
            environment: string("environment")?,
            producer: string("producer")?,
            producer_timestamp: time("producer_timestamp")?,
            values: values.as_object().ok_or("`facts` must be a hash")?.clone(),
        }),
    };
    let list = |key: &str| match node.get(key) {
        None => Ok(None),
        Some(value) => value.as_array().map(Some).ok_or_else(|| format!("`{key}` must be a list")),
    };
    let catalog = match list("resources")? {
        None => None,
        Some(resources) => Some(CatalogDocument {
            certname: certname.to_owned(),
            environment: string("environment")?,
            version: string("version")?.unwrap_or_else(|| "1".to_owned()),
            catalog_uuid: string("catalog_uuid")?,
            transaction_uuid: string("transaction_uuid")?,
            code_id: string("code_id")?,
            job_id: string("job_id")?,
            producer: string("producer")?,
            producer_timestamp: time("producer_timestamp")?,
            resources: resources.iter().map(read_resource).collect::<Result<_, _>>()?,
            edges: list("edges")?.into_iter().flatten().map(EdgeDocument::from_json).collect::<Result<_, _>>()?,
        }),
    };
    Ok(NodeFixture { certname: certname.to_owned(), deactivated: time("deactivated")?, catalog, facts })
}

/// Reads a resource. If it has no `tags`, adds those that Puppet adds to every resource: its type, and its title if it is a valid tag.
fn read_resource(resource: &Value) -> Result<ResourceDocument, String> {
    check_keys(resource, &RESOURCE_KEYS, "a resource")?;
    let mut document = ResourceDocument::from_json(resource)?;
    if resource.get("tags").is_none() {
        let title = document.title.to_lowercase();
        let first = |c: char| c.is_alphanumeric() || c == '_';
        let valid = title.starts_with(first) && title.chars().all(|c| first(c) || matches!(c, ':' | '.' | '-'));
        document.tags = vec![document.type_name.to_lowercase()];
        document.tags.extend(valid.then_some(title));
    }
    Ok(document)
}
