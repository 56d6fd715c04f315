//! Normalizes catalogs of different sources, so that they can be compared.
//!
//! In: a JSON document: a server's response to an agent, a payload for PuppetDB (also inside its command), or a response of PuppetDB.
//! Out: a [`ComparableCatalog`], whose resources are as in native documents, and whose edges have strings as ends. Catalogs of
//! different forms cannot be compared: the other catalog must be converted to the same [`Form`].

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::metaparameters::UNORDERED;
use catwalk_catalog::DeclaredResources;
use catwalk_catalog::split_reference;

/// The kind of a catalog document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The response of a server to an agent: it has only containment edges, and contains sensitive parameters.
    Native,
    /// A catalog of PuppetDB: it has aliases and edges of relationships, and no sensitive parameters.
    Wire,
}

/// A catalog that can be compared with others of the same form.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparableCatalog {
    /// The form of the document.
    pub form: Form,
    /// The node, if the document names it.
    pub certname: Option<String>,
    /// Resources and edges.
    pub document: Value,
}

impl ComparableCatalog {
    /// Whether the catalog has its edges: all resources except the stage `main` have a container. PuppetDB returns no edges if its
    /// setting `include_catalog_edges` is off.
    #[must_use]
    pub fn has_edges(&self) -> bool {
        let count = |key: &str| self.document.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        count("edges") > 0 || count("resources") < 2
    }

    /// Removes the edges, to compare the catalog with one that has no edges.
    pub fn remove_edges(&mut self) {
        if let Some(edges) = self.document.get_mut("edges").and_then(Value::as_array_mut) {
            edges.clear();
        }
    }
}

impl ComparableCatalog {
    /// Checks that no resource occurs twice and that all edges lead to resources, which a comparison does not notice.
    ///
    /// # Errors
    /// The first violation with its JSON pointer.
    pub fn check(&self) -> Result<(), String> {
        let list = |name: &str| self.document.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut declared = DeclaredResources::default();
        for (at, resource) in list("resources").iter().enumerate() {
            let string = |name: &str| resource.get(name).and_then(Value::as_str).unwrap_or_default();
            declared.add(at, string("type"), string("title"))?;
        }
        for (at, edge) in list("edges").iter().enumerate() {
            for name in ["source", "target"] {
                let end = edge.get(name).and_then(Value::as_str).unwrap_or_default();
                declared.end_of_edge(at, name, split_reference(end).unwrap_or((end, "")))?;
            }
        }
        Ok(())
    }
}

/// Normalizes a catalog document.
///
/// # Errors
/// The document is not a catalog.
pub fn normalize(document: Value) -> Result<ComparableCatalog, String> {
    let mut catalog = unwrap_document(document)?;
    let string = |catalog: &Map<String, Value>, key: &str| Some(catalog.get(key)?.as_str()?.to_owned());
    let certname = string(&catalog, "certname").or_else(|| string(&catalog, "name"));
    let mut resources = list(catalog.remove("resources"), "resources")?;
    let edges = match catalog.remove("edges") {
        None | Some(Value::Null) => Vec::new(),
        edges => list(edges, "edges")?,
    };
    let form = match edges.first() {
        Some(edge) if edge.get("source").is_some_and(Value::is_string) => Form::Native,
        None if catalog.contains_key("catalog_format") => Form::Native,
        _ => Form::Wire,
    };
    for resource in &mut resources {
        let Some(resource) = resource.as_object_mut() else { return Err("a resource is not a hash".to_owned()) };
        if !["type", "title"].iter().all(|key| resource.get(*key).is_some_and(Value::is_string)) {
            return Err("a resource has no type or no title".to_owned());
        }
        if let Some(Value::Object(parameters)) = resource.get_mut("parameters") {
            normalize_parameters(parameters, form);
        }
    }
    let edges =
        edges.into_iter().map(edge).collect::<Option<Vec<Value>>>().ok_or("an edge has no source or no target")?;
    Ok(ComparableCatalog { form, certname, document: json!({ "resources": resources, "edges": edges }) })
}

/// The catalog inside its command or response.
fn unwrap_document(document: Value) -> Result<Map<String, Value>, String> {
    let mut document = document;
    // A PuppetDB command, a document of an old server, and a list of one result may wrap each other, each at most once.
    for _ in 0..3 {
        document = match document {
            Value::Array(mut items) if items.len() == 1 => items.remove(0),
            Value::Object(mut members) if members.contains_key("payload") && members.contains_key("command") => {
                match members.remove("payload") {
                    Some(Value::String(text)) => {
                        serde_json::from_str(&text).map_err(|error| format!("payload: {error}"))?
                    }
                    payload => payload.unwrap_or_default(),
                }
            }
            Value::Object(mut members) if !members.contains_key("resources") && members.contains_key("data") => {
                members.remove("data").unwrap_or_default()
            }
            other => other,
        };
    }
    match document {
        Value::Object(members) if members.contains_key("resources") => Ok(members),
        _ => Err("not a catalog: there are no `resources`".to_owned()),
    }
}

/// The items of a list, which in PuppetDB's responses is `{"data": […], "href": …}`.
fn list(list: Option<Value>, name: &str) -> Result<Vec<Value>, String> {
    match list {
        Some(Value::Array(items)) => Ok(items),
        Some(Value::Object(mut members)) => match members.remove("data") {
            Some(Value::Array(items)) => Ok(items),
            Some(Value::Null) => Ok(Vec::new()),
            _ => Err(format!("`{name}` are not in the response, only a link to them")),
        },
        _ => Err(format!("`{name}` is not an array")),
    }
}

fn edge(mut edge: Value) -> Option<Value> {
    if let Some(members) = edge.as_object_mut()
        && ["source", "target"].iter().all(|name| members.get(*name).is_some_and(Value::is_string))
    {
        if !members.get("relationship").is_some_and(Value::is_string) {
            members.insert("relationship".to_owned(), Value::from("contains"));
        }
        return Some(edge);
    }
    let end = |name: &str| -> Option<String> {
        let member = |part: &str| edge.get(format!("{name}_{part}")).and_then(Value::as_str);
        match edge.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(end) => Some(format!("{}[{}]", end.get("type")?.as_str()?, end.get("title")?.as_str()?)),
            None => Some(format!("{}[{}]", member("type")?, member("title")?)),
        }
    };
    let relationship = edge.get("relationship").and_then(Value::as_str).unwrap_or("contains");
    Some(json!({ "source": end("source")?, "target": end("target")?, "relationship": relationship }))
}

/// Removes differences without meaning from parameters.
fn normalize_parameters(parameters: &mut Map<String, Value>, form: Form) {
    if form == Form::Wire {
        parameters.retain(|_, value| !value.is_null());
    }
    // A single item equals a list of one item.
    for name in UNORDERED {
        let Some(value) = parameters.get_mut(name) else { continue };
        if let Value::Array(items) = value {
            items.sort_by_cached_key(Value::to_string);
            if items.len() == 1 {
                *value = items.remove(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn wire() -> Value {
        json!({
            "name": "web1", "version": "1", "transaction-uuid": null,
            "resources": [{"type": "File", "title": "/a", "tags": [], "exported": false,
                "parameters": {"require": ["Class[B]", "Class[A]"], "tag": ["x"]}}],
            "edges": [{"source": {"type": "Class", "title": "A"}, "target": {"type": "File", "title": "/a"},
                "relationship": "required-by"}],
        })
    }

    #[test]
    fn payloads_and_responses_of_puppetdb_are_normalized_to_the_same_catalog() {
        let plain = normalize(wire()).unwrap();
        assert_eq!((plain.form, plain.certname.as_deref()), (Form::Wire, Some("web1")));
        let parameters = &plain.document["resources"][0]["parameters"];
        assert_eq!(*parameters, json!({"require": ["Class[A]", "Class[B]"], "tag": "x"}));
        let command = json!({"command": "replace catalog", "version": 4, "payload": wire().to_string()});
        assert_eq!(normalize(command).unwrap(), plain);
        let answer = json!([{
            "certname": "web1",
            "resources": {"href": "/x", "data": [{"type": "File", "title": "/a", "tags": [], "exported": false,
                "parameters": {"require": ["Class[A]", "Class[B]"], "tag": "x", "owner": null}}]},
            "edges": {"href": "/x", "data": [{"source_type": "Class", "source_title": "A", "target_type": "File",
                "target_title": "/a", "relationship": "required-by"}]},
        }]);
        assert_eq!(normalize(answer).unwrap(), plain);
    }

    #[test]
    fn native_catalogs_are_unchanged() {
        let catalog =
            json!({"name": "x", "catalog_format": 2, "resources": [{"type": "A", "title": "b"}], "edges": []});
        assert_eq!(normalize(catalog.clone()).unwrap().form, Form::Native);
        let old = json!({"document_type": "Catalog", "data": catalog});
        assert_eq!(normalize(old).unwrap().certname.as_deref(), Some("x"));
    }

    #[test]
    fn documents_that_are_not_catalogs_are_errors() {
        for (document, why) in [
            (json!({"facts": {}}), "no `resources`"),
            (json!({"resources": {"href": "/pdb"}}), "only a link to them"),
            (json!({"resources": [{"type": "A"}]}), "no title"),
            (json!({"resources": [], "edges": [{"source": "x"}]}), "no target"),
        ] {
            assert!(normalize(document).unwrap_err().contains(why), "{why}");
        }
    }
}
