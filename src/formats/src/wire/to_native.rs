//! Converts catalogs of PuppetDB's formats to native documents.
//!
//! In: a payload. Out: a document in the native format. The tags and classes of the catalog are derived from its class resources; other
//! members that payloads do not have are missing. Only containment edges are kept, since relationships are also in the parameters.

use indexmap::IndexSet;
use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use catwalk_catalog::DeclaredResources;

/// The native document of a payload.
///
/// # Errors
/// Its resources or edges are invalid.
pub(super) fn document(payload: &Json) -> Result<Json, String> {
    let get = |name: &str, old: &str| payload.get(name).or_else(|| payload.get(old)).cloned().unwrap_or_default();
    let list =
        |name: &str| payload.get(name).and_then(Json::as_array).ok_or(format!("{name} is missing, or not an array"));
    let resource_at = |at: usize, json: &Json| resource(json).map_err(|error| format!("/resources/{at}: {error}"));
    let resources =
        list("resources")?.iter().enumerate().map(|(at, json)| resource_at(at, json)).collect::<Result<Vec<_>, _>>()?;
    let mut declared = DeclaredResources::default();
    for (at, resource) in resources.iter().enumerate() {
        if let Some((type_name, title)) = reference_parts(resource) {
            declared.add(at, type_name, title)?;
        }
    }
    let mut edges = Vec::new();
    for (at, edge) in list("edges")?.iter().enumerate() {
        for name in ["source", "target"] {
            let end = edge.get(name).and_then(reference_parts);
            let end = end.ok_or(format!("/edges/{at}/{name}: it has no type or no title"))?;
            declared.end_of_edge(at, name, end)?;
        }
        edges.extend(containment(edge));
    }
    let classes = classes(&resources);
    let uuid = match get("catalog_uuid", "") {
        Json::Null => get("transaction_uuid", "transaction-uuid"),
        uuid => uuid,
    };
    Ok(json!({
        "tags": tags(&classes).into_iter().collect::<Vec<_>>(),
        "name": get("certname", "name"),
        "version": version(&get("version", "")),
        "code_id": get("code_id", ""),
        "catalog_uuid": uuid,
        "catalog_format": 2,
        "environment": get("environment", ""),
        "resources": resources,
        "edges": edges,
        "classes": classes,
    }))
}

/// A version that is a time in seconds becomes a number.
fn version(version: &Json) -> Json {
    let seconds = version.as_str().and_then(|version| version.parse::<u64>().ok());
    seconds.map_or_else(|| version.clone(), Json::from)
}

fn resource(resource: &Json) -> Result<Json, String> {
    let mut members = resource.as_object().ok_or("a resource is not a hash")?.clone();
    members.shift_remove("aliases");
    if members.get("parameters").and_then(Json::as_object).is_some_and(Map::is_empty) {
        members.shift_remove("parameters");
    }
    // In PuppetDB's responses, an unknown file or line is null.
    members.retain(|_, value| !value.is_null());
    Ok(Json::Object(members))
}

/// The type and title of a resource, or of an end of an edge.
fn reference_parts(json: &Json) -> Option<(&str, &str)> {
    Some((json.get("type")?.as_str()?, json.get("title")?.as_str()?))
}

/// A containment edge in the native format; `None` for a relationship.
fn containment(edge: &Json) -> Option<Json> {
    if edge.get("relationship").and_then(Json::as_str) != Some("contains") {
        return None;
    }
    let end =
        |name: &str| edge.get(name).and_then(reference_parts).map(|(type_name, title)| format!("{type_name}[{title}]"));
    Some(json!({ "source": end("source")?, "target": end("target")? }))
}

/// The names of the classes without `main`, in the order of the resources, like in a compiled catalog.
fn classes(resources: &[Json]) -> Vec<String> {
    let titles = resources
        .iter()
        .filter(|resource| resource["type"] == "Class")
        .filter_map(|resource| resource["title"].as_str());
    titles.map(str::to_lowercase).filter(|class| class != "main").collect()
}

/// The names of classes and their segments.
fn tags(classes: &[String]) -> IndexSet<&str> {
    classes.iter().flat_map(|class| std::iter::once(class.as_str()).chain(class.split("::"))).collect()
}
