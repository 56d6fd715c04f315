//! The catalog as PuppetDB receives it with version 4 of "replace catalog".
//!
//! In: a catalog. Out: its document: aliases computed, relationships as edges, values as text where JSON of old had no
//! form, sensitive parameters taken out. Where the format's description and what PuppetDB's terminus sends differ, the
//! terminus decides: numbers stay numbers, aliases stand in `parameters.alias`, unknown places are left out, resources say
//! their `kind`.

use hashbrown::HashMap;
use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;
use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use crate::wire::rich;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_catalog::Version;

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
    let mut text = catwalk_value::value::json::pretty(&document).map_err(Reason::runtime)?;
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
        let aliases = aliases(resource, &parameters)?;
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

/// What else the resource is called: explicit aliases, then the value of its name attribute unless it is the title. Types
/// whose resources may share a name (`exec`, `notify`) have explicit ones only.
fn aliases(resource: &Resource, parameters: &Map<String, Json>) -> Result<Vec<Json>, Reason> {
    let mut aliases = Vec::new();
    if let Some(given) = parameters.get("alias") {
        flatten(given, &mut aliases);
        aliases.retain(|alias| !alias.is_null());
    }
    if resource.builtin && !resource.isomorphic {
        return Ok(aliases);
    }
    if let Some(name) = resource.parameters.get(&resource.namevar)
        && (resource.title_is_main || name.as_str() != Some(&resource.title))
    {
        let name = rich::to_plain_json(name)?;
        if !aliases.contains(&name) {
            aliases.push(name);
        }
    }
    Ok(aliases)
}

fn flatten(value: &Json, into: &mut Vec<Json>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| flatten(item, into)),
        other => into.push(other.clone()),
    }
}

fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn edges(catalog: &Catalog, parameters: &[Map<String, Json>]) -> Result<Vec<Json>, Reason> {
    let names = Names::of(catalog, parameters);
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

/// Resources by title and by alias. Of several with one alias the last is meant.
struct Names<'a> {
    titles: HashMap<(Name, &'a str), usize, FxBuildHasher>,
    aliases: HashMap<(Name, &'a str), usize, FxBuildHasher>,
}

impl<'a> Names<'a> {
    fn of(catalog: &'a Catalog, parameters: &'a [Map<String, Json>]) -> Names<'a> {
        let mut names = Names { titles: HashMap::default(), aliases: HashMap::default() };
        for (at, (resource, parameters)) in catalog.resources.iter().zip(parameters).enumerate() {
            names.titles.insert((resource.type_name, resource.title.as_ref()), at);
            let aliases = match parameters.get("alias") {
                Some(Json::Array(aliases)) => aliases.as_slice(),
                Some(alias) => std::slice::from_ref(alias),
                None => &[],
            };
            for alias in aliases.iter().filter_map(Json::as_str) {
                names.aliases.insert((resource.type_name, alias), at);
            }
        }
        names
    }

    fn find(&self, type_name: &str, title: &str) -> Option<usize> {
        let key = (Name::new(type_name), title);
        self.titles.get(&key).or_else(|| self.aliases.get(&key)).copied()
    }
}

/// The resource that a relationship leads to.
fn target_of(
    catalog: &Catalog,
    names: &Names<'_>,
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
    let Some((type_name, title)) = parts.filter(|(name, _)| is_type(name)) else {
        return fail(
            "doesn't seem to be in the correct format. Resource references should be formatted as: Classname['title'] or \
             Modulename::Classname['title'] (take careful note of the capitalization).",
        );
    };
    // Files are known without trailing slashes. The root becomes nothing by this: nothing can be related to it.
    let title = if type_name == "File" { title.trim_end_matches('/') } else { title };
    match names.find(type_name, title).and_then(|at| catalog.resources.get(at).map(|other| (at, other))) {
        None => fail("doesn't seem to be in the catalog"),
        Some((_, other)) if other.is_virtual => fail("is exported but not collected"),
        Some((at, _)) => Ok(at),
    }
}

/// `Foo::Bar`: every segment with a capital, then lower-case letters, digits and `_`.
fn is_type(name: &str) -> bool {
    name.split("::").all(|part| {
        let mut chars = part.chars();
        chars.next().is_some_and(|first| first.is_ascii_uppercase())
            && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    })
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
    // Some resources do not say it (those of `create_resources`): false, but after `kind`.
    if let Some(exported) = resource.exported {
        entry.insert("exported".to_owned(), Json::from(exported));
    }
    entry.insert("kind".to_owned(), Json::from(resource.kind.as_str()));
    entry.entry("exported").or_insert(Json::from(false));
    entry.insert("parameters".to_owned(), Json::Object(parameters));
    Json::Object(entry)
}
