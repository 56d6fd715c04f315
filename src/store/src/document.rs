//! Catalogs and facts to store, read from JSON.
//!
//! In: a catalog (native, or of wire format 4 to 9, also inside of a PuppetDB command), a facts document. Out: plain data
//! without Sensitive values. Must not: keep a parameter that a resource marks as Sensitive.

use serde_json::Map;
use serde_json::Value;

use catwalk_catalog::DeclaredResources;

/// The catalog of one node. Times are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CatalogDocument {
    pub certname: String,
    pub environment: Option<String>,
    pub version: String,
    pub catalog_uuid: Option<String>,
    pub transaction_uuid: Option<String>,
    pub code_id: Option<String>,
    pub job_id: Option<String>,
    /// The server that compiled it.
    pub producer: Option<String>,
    pub producer_timestamp: Option<i64>,
    pub resources: Vec<ResourceDocument>,
    pub edges: Vec<EdgeDocument>,
}

/// A resource of a catalog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceDocument {
    pub type_name: String,
    pub title: String,
    pub exported: bool,
    pub file: Option<String>,
    pub line: Option<i64>,
    pub tags: Vec<String>,
    /// Parameters that are not Sensitive.
    pub parameters: Map<String, Value>,
}

/// An edge between two resources, each given as type and title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeDocument {
    pub source: (String, String),
    pub target: (String, String),
    /// `contains`, `before`, `required-by`, `notifies` or `subscription-of`.
    pub relationship: String,
}

/// The facts of one node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactsDocument {
    pub certname: String,
    pub environment: Option<String>,
    pub producer: Option<String>,
    pub producer_timestamp: Option<i64>,
    pub values: Map<String, Value>,
}

/// The value of the first of `keys` that is not null, if it is a string or a number.
fn string(object: &Value, keys: &[&str]) -> Option<String> {
    let value = keys.iter().find_map(|key| object.get(*key).filter(|value| !value.is_null()))?;
    match value {
        Value::String(string) => Some(string.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The time at a key, which older wire formats spell with dashes: `producer_timestamp` or `producer-timestamp`.
fn time(object: &Value, key: &str) -> Result<Option<i64>, String> {
    let string = string(object, &[key, &key.replace('_', "-")]);
    string.map(|time| crate::time::parse(&time).ok_or_else(|| format!("`{key}` is not a time: {time}"))).transpose()
}

/// The document inside of a PuppetDB command or of `{"data": …}`, or `value` itself.
fn payload(value: &Value) -> &Value {
    let inner = |key: &str| value.get(key).filter(|inner| inner.is_object());
    inner("payload").or_else(|| inner("data")).unwrap_or(value)
}

impl CatalogDocument {
    /// Reads a catalog. `certname` is the node's name if the document has none.
    ///
    /// # Errors
    /// It is not a catalog: resources, the name or an end of an edge are missing, or a time is invalid.
    pub fn from_json(document: &Value, certname: Option<&str>) -> Result<CatalogDocument, String> {
        let document = payload(document);
        let certname = string(document, &["certname", "name"]).or_else(|| certname.map(str::to_owned));
        let list = |key: &str| match document.get(key) {
            // The form of lists in PuppetDB's response to a query for catalogs.
            Some(Value::Object(inner)) => inner.get("data").and_then(Value::as_array),
            list => list.and_then(Value::as_array),
        };
        let resources = list("resources").ok_or("not a catalog: it has no resources")?;
        let edges = list("edges").map(Vec::as_slice).unwrap_or_default();
        Ok(CatalogDocument {
            certname: certname.filter(|name| !name.is_empty()).ok_or("the catalog does not name its node")?,
            environment: string(document, &["environment"]),
            version: string(document, &["version"]).unwrap_or_default(),
            catalog_uuid: string(document, &["catalog_uuid", "catalog-uuid", "transaction_uuid", "transaction-uuid"]),
            transaction_uuid: string(document, &["transaction_uuid", "transaction-uuid", "catalog_uuid"]),
            code_id: string(document, &["code_id"]),
            job_id: string(document, &["job_id"]),
            producer: string(document, &["producer"]),
            producer_timestamp: time(document, "producer_timestamp")?,
            resources: resources.iter().map(ResourceDocument::from_json).collect::<Result<_, _>>()?,
            edges: edges.iter().map(EdgeDocument::from_json).collect::<Result<_, _>>()?,
        })
    }
}

impl CatalogDocument {
    /// Checks, as PuppetDB does, that no resource occurs twice and that all edges lead to resources.
    ///
    /// # Errors
    /// The first violation with its JSON pointer.
    pub fn check(&self) -> Result<(), String> {
        let mut declared = DeclaredResources::default();
        for (at, resource) in self.resources.iter().enumerate() {
            declared.add(at, &resource.type_name, &resource.title)?;
        }
        for (at, edge) in self.edges.iter().enumerate() {
            for (name, (type_name, title)) in [("source", &edge.source), ("target", &edge.target)] {
                declared.end_of_edge(at, name, (type_name, title))?;
            }
        }
        Ok(())
    }
}

impl ResourceDocument {
    /// Reads a resource, without its Sensitive parameters.
    ///
    /// # Errors
    /// It has no type or no title.
    pub fn from_json(document: &Value) -> Result<ResourceDocument, String> {
        let required = |key: &str| {
            string(document, &[key])
                .ok_or_else(|| format!("not a catalog: a resource has no {key}: {}", excerpt(document)))
        };
        let list = |key: &str| {
            let items = document.get(key).and_then(Value::as_array);
            items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<String>>()
        };
        let sensitive = list("sensitive_parameters");
        let parameters = document.get("parameters").and_then(Value::as_object);
        let parameters = parameters.into_iter().flatten();
        let public = parameters.filter(|(name, value)| !sensitive.contains(name) && !holds_sensitive(value));
        Ok(ResourceDocument {
            type_name: required("type")?,
            title: required("title")?,
            exported: document.get("exported").and_then(Value::as_bool).unwrap_or(false),
            file: string(document, &["file"]),
            line: document.get("line").and_then(Value::as_i64),
            tags: list("tags"),
            parameters: public.map(|(name, value)| (name.clone(), value.clone())).collect(),
        })
    }
}

/// Whether a value is or contains a Sensitive value of rich data.
fn holds_sensitive(value: &Value) -> bool {
    match value {
        Value::Object(entries) => {
            entries.get("__ptype").and_then(Value::as_str) == Some("Sensitive") || entries.values().any(holds_sensitive)
        }
        Value::Array(items) => items.iter().any(holds_sensitive),
        _ => false,
    }
}

/// Describes a document in a message by its keys, without any value.
fn excerpt(document: &Value) -> String {
    match document {
        Value::Object(entries) => format!("its keys are {}", entries.keys().cloned().collect::<Vec<_>>().join(", ")),
        _ => "it is not an object".to_owned(),
    }
}

impl EdgeDocument {
    /// Reads an edge. Its ends are `{"type", "title"}`, `Type[title]`, or `source_type`, `source_title` and so on, as in PuppetDB's
    /// responses.
    ///
    /// # Errors
    /// An end is missing or is not a reference.
    pub fn from_json(document: &Value) -> Result<EdgeDocument, String> {
        let end = |key: &str| {
            let found = match document.get(key) {
                Some(Value::String(string)) => reference(string),
                Some(object) => string(object, &["type"]).zip(string(object, &["title"])),
                None => string(document, &[&format!("{key}_type")]).zip(string(document, &[&format!("{key}_title")])),
            };
            found.ok_or_else(|| format!("not a catalog: an edge has no {key}"))
        };
        let relationship = string(document, &["relationship"]).unwrap_or_else(|| "contains".to_owned());
        Ok(EdgeDocument { source: end("source")?, target: end("target")?, relationship })
    }
}

/// Splits `Type[title]` into type and title.
pub(crate) fn reference(reference: &str) -> Option<(String, String)> {
    let (type_name, title) = catwalk_catalog::split_reference(reference)?;
    Some((type_name.to_owned(), title.to_owned()))
}

impl FactsDocument {
    /// Reads facts: `{"certname" or "name", "values": {…}}`.
    ///
    /// # Errors
    /// Values or the name are missing, or a time is invalid.
    pub fn from_json(document: &Value, certname: Option<&str>) -> Result<FactsDocument, String> {
        let document = payload(document);
        let certname = string(document, &["certname", "name"]).or_else(|| certname.map(str::to_owned));
        let values = document.get("values").and_then(Value::as_object).ok_or("not facts: they have no values")?;
        Ok(FactsDocument {
            certname: certname.filter(|name| !name.is_empty()).ok_or("the facts do not name their node")?,
            environment: string(document, &["environment"]),
            producer: string(document, &["producer"]),
            producer_timestamp: time(document, "producer_timestamp")?,
            values: values
                .iter()
                .filter(|(_, value)| !holds_sensitive(value))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect(),
        })
    }
}
