//! The canonical format, for reading and comparing: one parameter per line, without data that vary from run to run.
//!
//! In: a catalog and the directory of the site. Out: JSON with the members of the native format in the same order, except `version`,
//! `catalog_uuid`, and the lines of resources, which change with every edit above them. Paths below the site are relative. Secrets are
//! replaced by tokens everywhere in the document.

use std::ops::Range;

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use crate::wire::chunks;
use crate::wire::chunks::Chunks;
use crate::wire::chunks::List;
use crate::wire::chunks::PieceSink;
use crate::wire::chunks::Threads;
use crate::wire::native;
use crate::wire::native::Edge;
use crate::wire::native::Head;
use crate::wire::native::Tail;
use crate::wire::native::Variant;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_catalog::Catalog;

/// The catalog as text with a final newline. Paths below `root` are written relative to it.
///
/// # Errors
/// A value cannot be represented in JSON (a float that is not finite).
pub fn write(catalog: &Catalog, root: &str) -> Result<String, Reason> {
    chunks::join_pieces(|take| write_to(catalog, root, Threads::All, take))
}

/// Writes a catalog like [`write()`], but passes the document to `take` in pieces.
///
/// # Errors
/// As [`write()`], and the errors of `take`. The document is incomplete then.
pub fn write_to<E: From<Reason> + Send>(
    catalog: &Catalog,
    root: &str,
    threads: Threads,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    let (resources, edges) = (Resources(catalog, root), Edges(catalog));
    let members = |members: Json| {
        let mut document = Redacted::new(members, &catalog.secrets);
        remove_varying(&mut document);
        let lines = document.as_object().into_iter().flatten();
        let lines = lines.map(|(name, value)| format!("  {}: {}", line(&Json::from(name.as_str())), line(value)));
        lines.collect::<Vec<_>>().join(",\n")
    };
    let document =
        |members: Result<Json, serde_json::Error>| members.map_err(|error| Reason::runtime(error.to_string()));
    let head = members(document(serde_json::to_value(Head(catalog, &Variant::default())))?);
    let mut chunks = Chunks::plain();
    chunks.text(format!("{{\n{head},\n  \"resources\": [\n"));
    chunks.items(&resources);
    chunks.text("\n  ],\n  \"edges\": [\n");
    chunks.items(&edges);
    let tail = members(document(serde_json::to_value(Tail(catalog)))?);
    chunks.text(format!("\n  ],\n{tail}\n}}\n"));
    chunks.write_to(threads, &|error| native::failure(catalog, error).into(), take)
}

struct Resources<'a>(&'a Catalog, &'a str);

impl List for Resources<'_> {
    fn len(&self) -> usize {
        self.0.resources.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let Resources(catalog, root) = self;
        let is_first = items.start == 0;
        let documents = catalog.resources.get(items).unwrap_or_default().iter().map(|resource| {
            let mut resource = native::resource(resource)?;
            make_comparable(&mut resource, root);
            Ok(resource)
        });
        let documents = documents.collect::<Result<Vec<_>, Reason>>().map_err(|reason| reason.message.to_string())?;
        let document = Redacted::new(json!({ "resources": documents }), &catalog.secrets);
        Ok(list_items(&document, "resources", is_first, resource))
    }
}

struct Edges<'a>(&'a Catalog);

impl List for Edges<'_> {
    fn len(&self) -> usize {
        self.0.edges.len()
    }

    fn serialize_items(&self, items: Range<usize>) -> Result<String, String> {
        let is_first = items.start == 0;
        let documents =
            self.0.edges.get(items).unwrap_or_default().iter().map(|edge| serde_json::to_value(Edge(self.0, edge)));
        let documents = documents.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let document = Redacted::new(json!({ "edges": documents }), &self.0.secrets);
        Ok(list_items(&document, "edges", is_first, edge))
    }
}

/// Some items of a list, separated from the items before them.
fn list_items(document: &Json, name: &str, is_first: bool, print: impl Fn(&Json) -> String) -> String {
    let items = document.get(name).and_then(Json::as_array).into_iter().flatten().map(print);
    format!("{}{}", if is_first { "" } else { ",\n" }, items.collect::<Vec<_>>().join(",\n"))
}

/// The document that [`write()`] writes: the native document without data that vary from run to run.
///
/// # Errors
/// As [`write()`].
pub fn document(catalog: &Catalog, root: &str) -> Result<Redacted, Reason> {
    let mut document = native::document(catalog)?;
    remove_varying(&mut document);
    let resources = document.get_mut("resources").and_then(Json::as_array_mut).into_iter().flatten();
    resources.for_each(|resource| make_comparable(resource, root));
    Ok(Redacted::new(document, &catalog.secrets))
}

/// Removes the members of a catalog that vary from run to run.
fn remove_varying(document: &mut Json) {
    if let Some(members) = document.as_object_mut() {
        members.retain(|name, _| name != "version" && name != "catalog_uuid");
    }
}

/// Removes the line of a resource and makes its path relative to `root`.
fn make_comparable(resource: &mut Json, root: &str) {
    let Some(members) = resource.as_object_mut() else { return };
    members.shift_remove("line");
    if let Some(Json::String(file)) = members.get_mut("file")
        && let Some(relative) = file.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'))
    {
        *file = relative.to_owned();
    }
}

/// Writes a document with a final newline, and with each member and parameter of a resource on a line.
#[must_use]
pub fn print(document: &Json) -> String {
    let mut out = String::from("{\n");
    let lines: Vec<String> = document
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| {
            let text = match (name.as_str(), value) {
                ("resources", Json::Array(resources)) => list(resources.iter().map(resource)),
                ("edges", Json::Array(edges)) => list(edges.iter().map(edge)),
                (_, value) => line(value),
            };
            format!("  {}: {text}", line(&Json::from(name.as_str())))
        })
        .collect();
    out.push_str(&lines.join(",\n"));
    out.push_str("\n}\n");
    out
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[\n{}\n  ]", items.collect::<Vec<_>>().join(",\n"))
}

fn edge(edge: &Json) -> String {
    format!("    {}", line(edge))
}

/// Writes a resource with each member and parameter on a line.
#[must_use]
pub fn resource(resource: &Json) -> String {
    let Json::Object(members) = resource else { return line(resource) };
    let lines: Vec<String> = members
        .iter()
        .map(|(name, value)| {
            let text = match value {
                Json::Object(parameters) if name == "parameters" => object(parameters),
                value => line(value),
            };
            format!("      {}: {text}", line(&Json::from(name.as_str())))
        })
        .collect();
    format!("    {{\n{}\n    }}", lines.join(",\n"))
}

fn object(parameters: &Map<String, Json>) -> String {
    let lines: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!("        {}: {}", line(&Json::from(name.as_str())), line(value)))
        .collect();
    format!("{{\n{}\n      }}", lines.join(",\n"))
}

/// A value on one line, with spaces after commas and colons.
fn line(value: &Json) -> String {
    match value {
        Json::Array(items) => format!("[{}]", items.iter().map(line).collect::<Vec<_>>().join(", ")),
        Json::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{}: {}", Json::from(name.as_str()), line(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
        scalar => scalar.to_string(),
    }
}
