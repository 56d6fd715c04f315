//! The native catalog for reading and comparing: one parameter a line, nothing that changes from run to run.
//!
//! In: a catalog and the directory of the site. Out: JSON with the members of the native form in their order. Left out:
//! `version`, `catalog_uuid`, and the line of a resource, which every edit above it moves. Paths below the site are relative.
//! Secrets are replaced by tokens, wherever they are in the document.

use serde_json::Map;
use serde_json::Value as Json;

use crate::wire::native;
use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_catalog::Catalog;

/// The catalog as text with a final newline. Paths below `root` are written relative to it.
///
/// # Errors
/// A value that JSON has no form for (a float that is not finite).
pub fn write(catalog: &Catalog, root: &str) -> Result<String, Reason> {
    document(catalog, root).map(|document| print(&document))
}

/// What [`write`] prints: the native document without what changes from run to run.
///
/// # Errors
/// As [`write`].
pub fn document(catalog: &Catalog, root: &str) -> Result<Redacted, Reason> {
    let mut document = native::document(catalog)?;
    let Some(members) = document.as_object_mut() else { return Ok(Redacted::new(document, &catalog.secrets)) };
    members.retain(|name, _| name != "version" && name != "catalog_uuid");
    for resource in members.get_mut("resources").and_then(Json::as_array_mut).into_iter().flatten() {
        let Some(members) = resource.as_object_mut() else { continue };
        members.shift_remove("line");
        if let Some(Json::String(file)) = members.get_mut("file")
            && let Some(relative) = file.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'))
        {
            *file = relative.to_owned();
        }
    }
    Ok(Redacted::new(document, &catalog.secrets))
}

/// A document as text with a final newline: a resource's members and parameters each on a line.
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
                ("edges", Json::Array(edges)) => list(edges.iter().map(|edge| format!("    {}", line(edge)))),
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

/// One resource, a member a line and a parameter a line.
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

/// A value on one line, with a space after commas and colons so that it reads well.
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
