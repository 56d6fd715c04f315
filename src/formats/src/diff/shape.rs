//! Catalogs from anywhere in one shape, so that they can be compared.
//!
//! In: a JSON document: a server's response to an agent, what PuppetDB receives (also inside its command), what PuppetDB
//! returns. Out: [`ComparableCatalog`]: resources as in native documents, ends of edges as strings. What only one of the forms
//! has is not compared; the form shows how to convert the other catalog.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use catwalk_catalog::DeclaredResources;
use catwalk_catalog::split_reference;

/// Metaparameters whose lists have no order; a single item equals a list of one.
const UNORDERED: [&str; 8] = ["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

/// Which kind of catalog a document was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As a server sends it to an agent: containment edges, secrets with their names.
    Native,
    /// As PuppetDB has it: aliases, relationships as edges, no secrets.
    Wire,
}

/// A catalog that can be compared with others of its form.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparableCatalog {
    /// Which form it had.
    pub form: Form,
    /// The node, if the document names it.
    pub certname: Option<String>,
    /// Resources and edges.
    pub document: Value,
}

impl ComparableCatalog {
    /// Whether its edges are known: something contains everything but the stage `main`. PuppetDB has none where its setting
    /// `include_catalog_edges` is off.
    #[must_use]
    pub fn has_edges(&self) -> bool {
        let count = |key: &str| self.document.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        count("edges") > 0 || count("resources") < 2
    }

    /// Leaves the edges out, to compare with a catalog whose edges are not known.
    pub fn forget_edges(&mut self) {
        if let Some(edges) = self.document.get_mut("edges").and_then(Value::as_array_mut) {
            edges.clear();
        }
    }
}

impl ComparableCatalog {
    /// Checks that no resource is there twice and that all edges lead to resources, which a comparison does not notice.
    ///
    /// # Errors
    /// The first mistake with its JSON pointer.
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

/// Puts a catalog into shape.
///
/// # Errors
/// The document is not a catalog; the error says why.
pub fn shape(document: Value) -> Result<ComparableCatalog, String> {
    let mut catalog = unwrapped(document)?;
    let text = |catalog: &Map<String, Value>, key: &str| Some(catalog.get(key)?.as_str()?.to_owned());
    let certname = text(&catalog, "certname").or_else(|| text(&catalog, "name"));
    let mut resources = list(catalog.remove("resources"), "resources")?;
    let edges = match catalog.remove("edges") {
        None | Some(Value::Null) => Vec::new(),
        given => list(given, "edges")?,
    };
    let form = match edges.first() {
        Some(edge) if edge.get("source").is_some_and(Value::is_string) => Form::Native,
        None if catalog.contains_key("catalog_format") => Form::Native,
        _ => Form::Wire,
    };
    for resource in &mut resources {
        let Some(resource) = resource.as_object_mut() else { return Err("a resource is no hash".to_owned()) };
        if !["type", "title"].iter().all(|key| resource.get(*key).is_some_and(Value::is_string)) {
            return Err("a resource has no type or no title".to_owned());
        }
        if let Some(Value::Object(parameters)) = resource.get_mut("parameters") {
            evened(parameters, form);
        }
    }
    let edges =
        edges.into_iter().map(edge).collect::<Option<Vec<Value>>>().ok_or("an edge has no source or no target")?;
    Ok(ComparableCatalog { form, certname, document: json!({ "resources": resources, "edges": edges }) })
}

/// The catalog inside its command or response.
fn unwrapped(document: Value) -> Result<Map<String, Value>, String> {
    let mut document = document;
    // A command of PuppetDB, a document of old servers, a list of one answer: at most one in each other.
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
        _ => Err("it is no catalog: there are no `resources`".to_owned()),
    }
}

/// A list, or PuppetDB's form of one: `{"data": […], "href": …}`.
fn list(given: Option<Value>, name: &str) -> Result<Vec<Value>, String> {
    match given {
        Some(Value::Array(items)) => Ok(items),
        Some(Value::Object(mut members)) => match members.remove("data") {
            Some(Value::Array(items)) => Ok(items),
            Some(Value::Null) => Ok(Vec::new()),
            _ => Err(format!("`{name}` are not in the answer, only where to get them")),
        },
        _ => Err(format!("`{name}` is no list")),
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
        let flat = |part: &str| edge.get(format!("{name}_{part}")).and_then(Value::as_str);
        match edge.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(end) => Some(format!("{}[{}]", end.get("type")?.as_str()?, end.get("title")?.as_str()?)),
            None => Some(format!("{}[{}]", flat("type")?, flat("title")?)),
        }
    };
    let relationship = edge.get("relationship").and_then(Value::as_str).unwrap_or("contains");
    Some(json!({ "source": end("source")?, "target": end("target")?, "relationship": relationship }))
}

/// Takes out differences that mean nothing.
fn evened(parameters: &mut Map<String, Value>, form: Form) {
    if form == Form::Wire {
        parameters.retain(|_, value| !value.is_null());
    }
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
    fn what_puppetdb_receives_and_answers_has_one_shape() {
        let plain = shape(wire()).unwrap();
        assert_eq!((plain.form, plain.certname.as_deref()), (Form::Wire, Some("web1")));
        let parameters = &plain.document["resources"][0]["parameters"];
        assert_eq!(*parameters, json!({"require": ["Class[A]", "Class[B]"], "tag": "x"}));
        let command = json!({"command": "replace catalog", "version": 4, "payload": wire().to_string()});
        assert_eq!(shape(command).unwrap(), plain);
        let answer = json!([{
            "certname": "web1",
            "resources": {"href": "/x", "data": [{"type": "File", "title": "/a", "tags": [], "exported": false,
                "parameters": {"require": ["Class[A]", "Class[B]"], "tag": "x", "owner": null}}]},
            "edges": {"href": "/x", "data": [{"source_type": "Class", "source_title": "A", "target_type": "File",
                "target_title": "/a", "relationship": "required-by"}]},
        }]);
        assert_eq!(shape(answer).unwrap(), plain);
    }

    #[test]
    fn native_catalogs_stay_as_they_are() {
        let catalog =
            json!({"name": "x", "catalog_format": 2, "resources": [{"type": "A", "title": "b"}], "edges": []});
        assert_eq!(shape(catalog.clone()).unwrap().form, Form::Native);
        let old = json!({"document_type": "Catalog", "data": catalog});
        assert_eq!(shape(old).unwrap().certname.as_deref(), Some("x"));
    }

    #[test]
    fn what_is_no_catalog_says_so() {
        for (document, why) in [
            (json!({"facts": {}}), "no `resources`"),
            (json!({"resources": {"href": "/pdb"}}), "only where to get them"),
            (json!({"resources": [{"type": "A"}]}), "no title"),
            (json!({"resources": [], "edges": [{"source": "x"}]}), "no target"),
        ] {
            assert!(shape(document).unwrap_err().contains(why), "{why}");
        }
    }
}
