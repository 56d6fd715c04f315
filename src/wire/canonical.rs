//! The native catalog for reading and comparing: one parameter a line, nothing that changes from run to run.
//!
//! In: a catalog and the directory of the site. Out: JSON with the members of the native form in their order. Left out:
//! `version`, `catalog_uuid`. Paths below the site are relative. A secret is shown as a digest of its value.

use serde_json::Map;
use serde_json::Value as Json;

use crate::catalog::Catalog;
use crate::diag::Reason;
use crate::wire::native;

/// The catalog as text that ends in a newline. Paths below `root` are written relative to it.
///
/// # Errors
/// A value that JSON has no form for (a float that is not finite).
pub fn write(catalog: &Catalog, root: &str) -> Result<String, Reason> {
    let mut document = native::document(catalog)?;
    let mut out = String::from("{\n");
    let members = document.as_object_mut().map(std::mem::take).unwrap_or_default();
    let members = members.into_iter().filter(|(name, _)| name != "version" && name != "catalog_uuid");
    let lines: Vec<String> = members
        .map(|(name, value)| {
            let text = match (name.as_str(), value) {
                ("resources", Json::Array(resources)) => {
                    list(resources.into_iter().map(|resource| self::resource(resource, root)))
                }
                ("edges", Json::Array(edges)) => list(edges.into_iter().map(|edge| format!("    {}", line(&edge)))),
                (_, value) => line(&value),
            };
            format!("  {}: {text}", line(&Json::from(name)))
        })
        .collect();
    out.push_str(&lines.join(",\n"));
    out.push_str("\n}\n");
    Ok(out)
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[\n{}\n  ]", items.collect::<Vec<_>>().join(",\n"))
}

/// One resource, a member a line and a parameter a line.
fn resource(resource: Json, root: &str) -> String {
    let Json::Object(mut members) = resource else { return line(&resource) };
    if let Some(Json::String(file)) = members.get_mut("file")
        && let Some(relative) = file.strip_prefix(root)
    {
        *file = relative.trim_start_matches('/').to_owned();
    }
    redact(&mut members);
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

/// Secrets do not belong in files that are committed; that one changed does.
fn redact(members: &mut Map<String, Json>) {
    use sha2::Digest;
    let names: Vec<String> = match members.get("sensitive_parameters") {
        Some(Json::Array(names)) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        _ => return,
    };
    let Some(Json::Object(parameters)) = members.get_mut("parameters") else { return };
    for name in names {
        if let Some(value) = parameters.get_mut(&name) {
            let digest = sha2::Sha256::digest(value.to_string().as_bytes());
            let short: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            *value = Json::from(format!("<Sensitive {short}>"));
        }
    }
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
