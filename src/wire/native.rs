//! The catalog that compiler and agent exchange (format 2, rich data on).

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use crate::catalog::Catalog;
use crate::catalog::Resource;
use crate::catalog::Version;
use crate::diag::Reason;
use crate::wire::rich;

/// The catalog as indented JSON with a newline at the end.
///
/// # Errors
/// A value that JSON has no form for (a float that is not finite).
pub fn write(catalog: &Catalog) -> Result<String, Reason> {
    let document = document(catalog)?;
    let mut text = serde_json::to_string_pretty(&document).map_err(|error| Reason::runtime(error.to_string()))?;
    text.push('\n');
    Ok(text)
}

/// The catalog as a JSON document; keys in the reference's order.
///
/// # Errors
/// As [`write`].
pub fn document(catalog: &Catalog) -> Result<Json, Reason> {
    let resources = catalog.resources.iter().map(resource).collect::<Result<Vec<_>, _>>()?;
    let name = |at: usize| catalog.resources.get(at).map_or_else(String::new, Resource::reference);
    let edge = |(from, to): &(usize, usize)| json!({"source": name(*from), "target": name(*to)});
    let mut document = Map::new();
    document.insert("tags".to_owned(), texts(catalog.tags.iter()));
    document.insert("name".to_owned(), Json::from(catalog.name.as_ref()));
    document.insert(
        "version".to_owned(),
        match &catalog.version {
            Version::Seconds(seconds) => Json::from(*seconds),
            Version::Text(text) => Json::from(text.as_ref()),
        },
    );
    document.insert("code_id".to_owned(), Json::Null);
    document.insert("catalog_uuid".to_owned(), Json::from(catalog.uuid.as_ref()));
    document.insert("catalog_format".to_owned(), Json::from(2));
    document.insert("environment".to_owned(), Json::from(catalog.environment.as_ref()));
    document.insert("resources".to_owned(), Json::Array(resources));
    document.insert("edges".to_owned(), catalog.edges.iter().map(edge).collect());
    document.insert("classes".to_owned(), texts(catalog.classes.iter()));
    Ok(Json::Object(document))
}

fn texts<'a>(items: impl Iterator<Item = &'a std::sync::Arc<str>>) -> Json {
    items.map(|item| Json::from(item.as_ref())).collect()
}

/// One resource.
pub(crate) fn resource(resource: &Resource) -> Result<Json, Reason> {
    let mut parameters = Map::new();
    for (name, value) in &resource.parameters {
        if !resource.is_title(*name, value) {
            parameters.insert(name.as_str().to_owned(), rich::to_json(value)?);
        }
    }
    let mut entry = Map::new();
    entry.insert("type".to_owned(), Json::from(resource.type_name.as_str()));
    entry.insert("title".to_owned(), Json::from(resource.title.as_ref()));
    entry.insert("tags".to_owned(), texts(resource.tags.iter()));
    if let Some(file) = &resource.file {
        entry.insert("file".to_owned(), Json::from(file.as_ref()));
    }
    if let Some(line) = resource.line {
        entry.insert("line".to_owned(), Json::from(line));
    }
    if let Some(exported) = resource.exported {
        entry.insert("exported".to_owned(), Json::from(exported));
    }
    entry.insert("kind".to_owned(), Json::from(resource.kind.as_str()));
    entry.entry("exported").or_insert(Json::from(false));
    if !parameters.is_empty() {
        entry.insert("parameters".to_owned(), Json::Object(parameters));
    }
    if !resource.sensitive.is_empty() {
        let names = resource.sensitive.iter().map(|name| Json::from(name.as_str()));
        entry.insert("sensitive_parameters".to_owned(), names.collect());
    }
    Ok(Json::Object(entry))
}
