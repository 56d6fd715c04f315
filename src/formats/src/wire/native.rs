//! The format in which a server sends a catalog to an agent (catalog format 2, with rich data).

mod agent;

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use crate::wire::chunks;
use crate::wire::chunks::Chunks;
use crate::wire::chunks::List;
use crate::wire::chunks::PieceSink;
use crate::wire::chunks::Threads;
use crate::wire::rich;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_catalog::Version;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::json;
use catwalk_value::json::Items;
use catwalk_value::rich::Mode;
use catwalk_value::rich::Rich;
use catwalk_value::rich::is_endless;

pub use agent::hash_contents;
pub use agent::run_members;
pub use agent::write_for_agent;

/// The expected size of a resource in bytes: most resources are smaller, so that buffers rarely grow.
pub(super) const RESOURCE_SIZE: usize = 1024;
/// The expected size of an edge in bytes.
pub(super) const EDGE_SIZE: usize = 256;

/// Differences of a native document from that of a current Puppet server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// The version to write instead of the catalog's own.
    pub version: Option<Arc<str>>,
    /// Whether to write catalog format 1, in which resources have no `kind`.
    pub is_format_1: bool,
}

/// The catalog as indented JSON with a newline at the end.
///
/// # Errors
/// A value cannot be represented in JSON (a float that is not finite).
pub fn write(catalog: &Catalog) -> Result<String, Reason> {
    chunks::join_pieces(|take| write_to(catalog, &Variant::default(), Threads::All, take))
}

/// Writes a catalog like [`write()`], or a variant of it, and passes the document to `take` in pieces. Virtual resources are left out.
///
/// # Errors
/// As [`write()`], and the errors of `take`. The document is incomplete then.
pub fn write_to<E: From<Reason> + Send>(
    catalog: &Catalog,
    variant: &Variant,
    threads: Threads,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    let catalog = &*catalog.for_agent();
    let lists = Lists { resources: Resources(&catalog.resources, variant), edges: Edges(catalog) };
    lists.chunks(catalog, variant)?.write_to(threads, &|error| failure(catalog, error).into(), take)
}

/// The long lists of the document.
struct Lists<'a> {
    resources: Resources<'a>,
    edges: Edges<'a>,
}

impl Lists<'_> {
    /// The whole document.
    fn chunks(&self, catalog: &Catalog, variant: &Variant) -> Result<Chunks<'_>, Reason> {
        let mut chunks = Chunks::new();
        chunks.members(&Head(catalog, variant)).map_err(Reason::runtime)?;
        chunks.list("resources", &self.resources);
        chunks.list("edges", &self.edges);
        chunks.members(&Tail(catalog)).map_err(Reason::runtime)?;
        Ok(chunks)
    }
}

struct Resources<'a>(&'a [Resource], &'a Variant);

impl List for Resources<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let (first, expected) = (items.start == 0, RESOURCE_SIZE * items.len());
        let entries = self.0.get(items).unwrap_or_default().iter().map(|resource| Entry(resource, self.1));
        json::pretty_items(entries, first, expected)
    }
}

struct Edges<'a>(&'a Catalog);

impl List for Edges<'_> {
    fn len(&self) -> usize {
        self.0.edges.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let (first, expected) = (items.start == 0, EDGE_SIZE * items.len());
        let documents = self.0.edges.get(items).unwrap_or_default();
        json::pretty_items(documents.iter().map(|edge| Edge(self.0, edge)), first, expected)
    }
}

/// The error of the first resource that cannot be serialized, or `error`.
pub(super) fn failure(catalog: &Catalog, error: String) -> Reason {
    catalog.resources.iter().find_map(|found| resource(found).err()).unwrap_or_else(|| Reason::runtime(error))
}

/// Adds the position of the resource to the error of a type that contains itself.
/// (Puppet::Pops::Serialization::ToDataConverter#serialization_issue)
fn with_position(reason: Reason, resource: &Resource, value: &Value) -> Reason {
    if !holds_type(value) || !is_endless(value) {
        return reason;
    }
    let position = match (&resource.file, resource.line) {
        (Some(file), Some(line)) => format!(" (file: {file}, line: {line})"),
        (None, Some(line)) => format!(" (line: {line})"),
        _ => String::new(),
    };
    Reason::runtime(format!("Evaluation Error: {}{position}", reason.message))
}

fn holds_type(value: &Value) -> bool {
    match value {
        Value::Type(_) => true,
        Value::Array(items) => items.iter().any(holds_type),
        Value::Hash(entries) => entries.iter().any(|(key, value)| holds_type(key) || holds_type(value)),
        _ => false,
    }
}

/// Whether all values of a catalog surely have a form in JSON. `false`: some may have none; only writing them determines this.
pub(super) fn is_surely_writable(catalog: &Catalog) -> bool {
    let values = catalog.resources.iter().flat_map(|resource| resource.parameters.iter());
    values.into_iter().all(|(_, value)| has_json_form(value))
}

fn has_json_form(value: &Value) -> bool {
    match value {
        Value::Float(number) => number.is_finite(),
        Value::Array(items) => items.iter().all(has_json_form),
        Value::Hash(entries) => entries.iter().all(|(key, value)| has_json_form(key) && has_json_form(value)),
        Value::Sensitive(secret) => has_json_form(secret),
        Value::Object(object) => object.attributes.values().all(has_json_form),
        Value::Type(of) => matches!(of, Type::Resource(_)),
        Value::BigInt(_) | Value::Iterator(_) | Value::Ruby(_) => false,
        _ => true,
    }
}

/// The members before the lists of resources and edges.
pub(super) struct Head<'a>(pub(super) &'a Catalog, pub(super) &'a Variant);

impl Serialize for Head<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        head(self.0, self.1, &mut map)?;
        map.end()
    }
}

/// The UUID of a catalog. A catalog from a file may have none; Puppet creates one where it is null.
pub(super) fn uuid(catalog: &Catalog) -> Option<&str> {
    Some(&*catalog.uuid).filter(|uuid| !uuid.is_empty())
}

fn head<M: SerializeMap>(catalog: &Catalog, variant: &Variant, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("tags", &Items(|| catalog.tags.iter().map(|tag| &**tag)))?;
    map.serialize_entry("name", &*catalog.name)?;
    match (&variant.version, &catalog.version) {
        (Some(text), _) | (None, Version::Text(text)) => map.serialize_entry("version", &**text)?,
        (None, Version::Seconds(seconds)) => map.serialize_entry("version", seconds)?,
    }
    map.serialize_entry("code_id", &())?;
    map.serialize_entry("catalog_uuid", &uuid(catalog))?;
    map.serialize_entry("catalog_format", if variant.is_format_1 { &1 } else { &2 })?;
    map.serialize_entry("environment", &*catalog.environment)
}

/// The members after the lists of resources and edges.
pub(super) struct Tail<'a>(pub(super) &'a Catalog);

impl Serialize for Tail<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        tail(self.0, &mut map)?;
        map.end()
    }
}

fn tail<M: SerializeMap>(catalog: &Catalog, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("classes", &Items(|| catalog.classes.iter().map(|class| &**class)))
}

pub(super) struct Edge<'a>(pub(super) &'a Catalog, pub(super) &'a (usize, usize));

impl Serialize for Edge<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Edge(catalog, (from, to)) = self;
        let mut map = serializer.serialize_map(Some(2))?;
        for (key, at) in [("source", from), ("target", to)] {
            match catalog.resources.get(*at) {
                Some(resource) => map.serialize_entry(key, &Reference(resource))?,
                None => map.serialize_entry(key, "")?,
            }
        }
        map.end()
    }
}

struct Reference<'a>(&'a Resource);

impl Serialize for Reference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}[{}]", self.0.type_name, self.0.title))
    }
}

struct Entry<'a>(&'a Resource, &'a Variant);

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Entry(resource, variant) = self;
        let mut map = serializer.serialize_map(None)?;
        members(resource, !variant.is_format_1, &mut map)?;
        if resource.parameters.iter().any(|(name, value)| !resource.is_title(*name, value)) {
            map.serialize_entry("parameters", &Parameters(resource))?;
        }
        if !resource.sensitive.is_empty() {
            map.serialize_entry(
                "sensitive_parameters",
                &Items(|| resource.sensitive.iter().map(|name| name.as_str())),
            )?;
        }
        map.end()
    }
}

/// Writes the members of a resource, except its parameters, as in native catalogs and for PuppetDB. `has_kind`: whether to
/// write `kind`.
pub(super) fn members<M: SerializeMap>(resource: &Resource, has_kind: bool, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("type", resource.type_name.as_str())?;
    map.serialize_entry("title", &*resource.title)?;
    map.serialize_entry("tags", &Items(|| resource.tags.iter().map(|tag| &**tag)))?;
    if let Some(file) = &resource.file {
        map.serialize_entry("file", &**file)?;
    }
    if let Some(line) = resource.line {
        map.serialize_entry("line", &line)?;
    }
    if let Some(exported) = resource.exported {
        map.serialize_entry("exported", &exported)?;
    }
    if has_kind {
        map.serialize_entry("kind", resource.kind.as_str())?;
    }
    // Resources of `create_resources` have no `exported`; Puppet writes false for them, after `kind`.
    if resource.exported.is_none() {
        map.serialize_entry("exported", &false)?;
    }
    Ok(())
}

struct Parameters<'a>(&'a Resource);

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.0.parameters {
            if !self.0.is_title(*name, value) {
                map.serialize_entry(name.as_str(), &Rich(value, mode(self.0, *name)))?;
            }
        }
        map.end()
    }
}

/// In a sensitive parameter, types are written as rich data, not as references.
fn mode(resource: &Resource, name: Name) -> Mode {
    if resource.sensitive.contains(&name) { Mode::RICH } else { Mode::CATALOG }
}

/// The catalog as a JSON document, with members in Puppet's order.
///
/// # Errors
/// As [`write()`].
pub fn document(catalog: &Catalog) -> Result<Json, Reason> {
    let resources = catalog.resources.iter().map(resource).collect::<Result<Vec<_>, _>>()?;
    let name = |at: usize| catalog.resources.get(at).map_or_else(String::new, Resource::reference);
    let edge = |(from, to): &(usize, usize)| json!({"source": name(*from), "target": name(*to)});
    let mut document = Map::new();
    document.insert("tags".to_owned(), strings(catalog.tags.iter()));
    document.insert("name".to_owned(), Json::from(catalog.name.as_ref()));
    document.insert(
        "version".to_owned(),
        match &catalog.version {
            Version::Seconds(seconds) => Json::from(*seconds),
            Version::Text(text) => Json::from(text.as_ref()),
        },
    );
    document.insert("code_id".to_owned(), Json::Null);
    document.insert("catalog_uuid".to_owned(), uuid(catalog).map_or(Json::Null, Json::from));
    document.insert("catalog_format".to_owned(), Json::from(2));
    document.insert("environment".to_owned(), Json::from(catalog.environment.as_ref()));
    document.insert("resources".to_owned(), Json::Array(resources));
    document.insert("edges".to_owned(), catalog.edges.iter().map(edge).collect());
    document.insert("classes".to_owned(), strings(catalog.classes.iter()));
    Ok(Json::Object(document))
}

fn strings<'a>(items: impl Iterator<Item = &'a std::sync::Arc<str>>) -> Json {
    items.map(|item| Json::from(item.as_ref())).collect()
}

/// A resource as a JSON document.
///
/// # Errors
/// As [`write()`].
pub fn resource(resource: &Resource) -> Result<Json, Reason> {
    let mut parameters = Map::new();
    for (name, value) in &resource.parameters {
        if !resource.is_title(*name, value) {
            let written =
                rich::to_json(value, mode(resource, *name)).map_err(|reason| with_position(reason, resource, value))?;
            parameters.insert(name.as_str().to_owned(), written);
        }
    }
    let mut entry = serde_json::value::Serializer.serialize_map(None).map_err(unwritable)?;
    members(resource, true, &mut entry).map_err(unwritable)?;
    let Json::Object(mut entry) = entry.end().map_err(unwritable)? else { return Ok(Json::Null) };
    if !parameters.is_empty() {
        entry.insert("parameters".to_owned(), Json::Object(parameters));
    }
    if !resource.sensitive.is_empty() {
        let names = resource.sensitive.iter().map(|name| Json::from(name.as_str()));
        entry.insert("sensitive_parameters".to_owned(), names.collect());
    }
    Ok(Json::Object(entry))
}

fn unwritable(error: serde_json::Error) -> Reason {
    Reason::runtime(error.to_string())
}
