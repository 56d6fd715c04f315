//! The catalog as PuppetDB receives it with version 4 of "replace catalog".
//!
//! In: a catalog. Out: its document: aliases computed, relationships as edges, values as text where JSON of old had no
//! form, sensitive parameters taken out. Where the format's description and what PuppetDB's terminus sends differ, the
//! terminus decides: numbers stay numbers, aliases stand in `parameters.alias`, unknown places are left out.

use hashbrown::HashMap;
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use crate::catalog::Catalog;
use crate::catalog::Resource;
use crate::catalog::Version;
use crate::diag::Reason;
use crate::names::Name;
use crate::value::Value;
use crate::wire::rich;

/// Parameters whose lists are sorted: their order has no meaning.
const SORTED: [&str; 8] = ["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

/// Relationship metaparameters with the name of their edge and whether the resource itself comes first.
const RELATIONSHIPS: [(&str, &str, bool); 4] = [
    ("before", "before", true),
    ("require", "required-by", false),
    ("notify", "notifies", true),
    ("subscribe", "subscription-of", false),
];

/// The catalog as indented JSON with a newline at the end.
///
/// # Errors
/// A relationship to something that is not in the catalog, or is exported but not collected.
pub fn write(catalog: &Catalog) -> Result<String, Reason> {
    let document = document(catalog)?;
    let mut text = serde_json::to_string_pretty(&document).map_err(|error| Reason::runtime(error.to_string()))?;
    text.push('\n');
    Ok(text)
}

/// The catalog as a JSON document.
///
/// # Errors
/// As [`write`].
pub fn document(catalog: &Catalog) -> Result<Json, Reason> {
    let mut parameters = Vec::with_capacity(catalog.resources.len());
    for resource in &catalog.resources {
        parameters.push(stringified(resource)?);
    }
    let edges = edges(catalog, &parameters)?;
    let mut resources = Vec::with_capacity(catalog.resources.len());
    for (resource, parameters) in catalog.resources.iter().zip(parameters) {
        resources.push(entry(resource, parameters));
    }
    let version = match &catalog.version {
        Version::Seconds(seconds) => seconds.to_string(),
        Version::Text(text) => text.to_string(),
    };
    Ok(json!({
        "name": catalog.name.as_ref(),
        "version": version,
        "environment": catalog.environment.as_ref(),
        "transaction-uuid": catalog.uuid.as_ref(),
        "edges": edges,
        "resources": resources,
    }))
}

/// The parameters as printed, with aliases, lists without order sorted.
fn stringified(resource: &Resource) -> Result<Map<String, Json>, Reason> {
    let mut parameters = Map::new();
    for (name, value) in &resource.parameters {
        if !resource.is_title(*name, value) {
            parameters.insert(name.as_str().to_owned(), rich::to_plain_json(value)?);
        }
    }
    if !resource.composite {
        let aliases = aliases(resource, &parameters);
        if !aliases.is_empty() {
            parameters.insert("alias".to_owned(), Json::Array(aliases));
        }
    }
    for name in SORTED {
        if let Some(Json::Array(items)) = parameters.get_mut(name) {
            items.sort_by_cached_key(text);
        }
    }
    Ok(parameters)
}

fn aliases(resource: &Resource, parameters: &Map<String, Json>) -> Vec<Json> {
    let mut aliases = Vec::new();
    if let Some(given) = parameters.get("alias") {
        flatten(given, &mut aliases);
    }
    if resource.builtin && !resource.isomorphic {
        return aliases;
    }
    let name = resource.parameters.get(&resource.namevar);
    if let Some(Value::Str(name)) = name
        && (resource.title_is_main || *name != resource.title)
        && !aliases.iter().any(|alias| alias.as_str() == Some(name))
    {
        aliases.push(Json::from(name.as_ref()));
    }
    aliases
}

fn flatten(value: &Json, into: &mut Vec<Json>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| flatten(item, into)),
        other => into.push(other.clone()),
    }
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn edges(catalog: &Catalog, parameters: &[Map<String, Json>]) -> Result<Vec<Json>, Reason> {
    let mut names: HashMap<(Name, String), usize, FxBuildHasher> = HashMap::default();
    for (at, (resource, parameters)) in catalog.resources.iter().zip(parameters).enumerate() {
        if let Some(Json::Array(aliases)) = parameters.get("alias") {
            for alias in aliases {
                names.entry((resource.type_name, text(alias))).or_insert(at);
            }
        }
    }
    for (at, resource) in catalog.resources.iter().enumerate() {
        names.insert((resource.type_name, resource.title.to_string()), at);
    }
    let mut edges = Vec::with_capacity(catalog.edges.len());
    let mut known = HashSet::new();
    let spec = |at: usize| match catalog.resources.get(at) {
        Some(resource) => json!({"type": resource.type_name.as_str(), "title": resource.title.as_ref()}),
        None => Json::Null,
    };
    for (from, to) in &catalog.edges {
        if known.insert((*from, *to, "contains")) {
            edges.push(json!({"source": spec(*from), "target": spec(*to), "relationship": "contains"}));
        }
    }
    for (at, (resource, parameters)) in catalog.resources.iter().zip(parameters).enumerate() {
        if resource.is_virtual {
            continue;
        }
        for (parameter, relationship, forward) in RELATIONSHIPS {
            let Some(value) = parameters.get(parameter) else { continue };
            let mut targets = Vec::new();
            flatten(value, &mut targets);
            for target in targets {
                let other = target_of(catalog, &names, resource, parameter, &text(&target))?;
                let (from, to) = if forward { (at, other) } else { (other, at) };
                if known.insert((from, to, relationship)) {
                    edges.push(json!({"relationship": relationship, "source": spec(from), "target": spec(to)}));
                }
            }
        }
    }
    Ok(edges)
}

fn target_of(
    catalog: &Catalog,
    names: &HashMap<(Name, String), usize, FxBuildHasher>,
    resource: &Resource,
    parameter: &str,
    target: &str,
) -> Result<usize, Reason> {
    let fail = |ending: &str| {
        let reference = resource.reference();
        let text =
            format!("Invalid relationship: {reference} {{ {parameter} => {target} }}, because {target} {ending}");
        Err(Reason::runtime(text))
    };
    let parts = target.strip_suffix(']').and_then(|text| text.split_once('['));
    let is_type = |name: &&str| name.split("::").all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
    let Some((type_name, title)) = parts.filter(|(name, _)| is_type(name)) else {
        return fail(
            "doesn't seem to be in the correct format. Resource references should be formatted as: Classname['title'] or \
             Modulename::Classname['title'] (take care to capitalize the parts of the name).",
        );
    };
    let title = if type_name == "File" && title.len() > 1 { title.trim_end_matches('/') } else { title };
    let find = |title: &str| names.get(&(Name::new(type_name), title.to_owned())).copied();
    let found = find(title).or_else(|| target.strip_suffix(']')?.split_once('[').and_then(|(_, title)| find(title)));
    match found.and_then(|at| catalog.resources.get(at).map(|other| (at, other))) {
        None => fail("doesn't seem to be in the catalog"),
        Some((_, other)) if other.is_virtual => fail("is exported but not collected"),
        Some((at, _)) => Ok(at),
    }
}

fn entry(resource: &Resource, mut parameters: Map<String, Json>) -> Json {
    for name in &resource.sensitive {
        parameters.shift_remove(name.as_str());
    }
    let mut entry = Map::new();
    entry.insert("type".to_owned(), Json::from(resource.type_name.as_str()));
    entry.insert("title".to_owned(), Json::from(resource.title.as_ref()));
    let tags = resource.tags.iter().map(|tag| Json::from(tag.as_ref()));
    entry.insert("tags".to_owned(), tags.collect());
    if let Some(file) = &resource.file {
        entry.insert("file".to_owned(), Json::from(file.as_ref()));
    }
    if let Some(line) = resource.line {
        entry.insert("line".to_owned(), Json::from(line));
    }
    entry.insert("exported".to_owned(), Json::from(resource.exported == Some(true)));
    entry.insert("parameters".to_owned(), Json::Object(parameters));
    Json::Object(entry)
}
