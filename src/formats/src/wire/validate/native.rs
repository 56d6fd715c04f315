//! The rules of native catalogs.

use serde_json::Map;
use serde_json::Value as Json;

use super::Kind;
use super::Report;
use super::array;
use super::check_titles;
use super::join;
use crate::wire::format::Format;
use catwalk_catalog::DeclaredResources;
use catwalk_catalog::split_reference;

/// The possible values of `kind`.
const KINDS: [&str; 4] = ["class", "defined_type", "compilable_type", "unknown"];

const NO_REFERENCE: &str = "the end of an edge is a string: File[/etc/motd]";

pub(super) fn check(members: &Map<String, Json>, format: Format, report: &mut Report) {
    let required: &[&str] = &["tags", "name", "environment", "resources", "edges"];
    // In canonical catalogs, which contain only some of these members, they are optional.
    let varying: &[&str] = &["version", "code_id", "catalog_uuid", "catalog_format", "classes"];
    let optional: &[&str] = &["metadata", "recursive_metadata"];
    match format {
        Format::Native | Format::Native1 => report.check_members("", members, &[required, varying].concat(), optional),
        _ => report.check_members("", members, required, &[varying, optional].concat()),
    }
    let kinds = [
        ("tags", Kind::Strings),
        ("name", Kind::String),
        ("version", Kind::StringOrInteger),
        ("code_id", Kind::StringOrNull),
        ("catalog_uuid", Kind::UuidOrNull),
        ("catalog_format", Kind::Integer),
        ("environment", Kind::String),
        ("resources", Kind::Array),
        ("edges", Kind::Array),
        ("classes", Kind::Strings),
        ("metadata", Kind::Object),
        ("recursive_metadata", Kind::Object),
    ];
    for (name, kind) in kinds {
        report.check_kind("", members, name, kind);
    }
    let resources = array(members, "resources");
    for (at, resource) in resources.iter().enumerate() {
        check_resource(&format!("/resources/{at}"), resource, report);
    }
    let declared = check_titles(resources, report);
    for (at, edge) in array(members, "edges").iter().enumerate() {
        check_edge(at, edge, &declared, report);
    }
}

fn check_resource(pointer: &str, resource: &Json, report: &mut Report) {
    let Some(members) = resource.as_object() else {
        return report.add(pointer, "a resource is an object");
    };
    let optional = ["file", "line", "kind", "parameters", "sensitive_parameters"];
    report.check_members(pointer, members, &["type", "title", "tags", "exported"], &optional);
    let kinds = [
        ("type", Kind::String),
        ("title", Kind::String),
        ("tags", Kind::Strings),
        ("file", Kind::String),
        ("line", Kind::Line),
        ("exported", Kind::Boolean),
        ("parameters", Kind::Object),
        ("sensitive_parameters", Kind::Strings),
    ];
    for (name, kind) in kinds {
        report.check_kind(pointer, members, name, kind);
    }
    if members.get("kind").is_some_and(|kind| !kind.as_str().is_some_and(|kind| KINDS.contains(&kind))) {
        report.add(format!("{pointer}/kind"), format!("`kind` must be one of {}", KINDS.join(", ")));
    }
    let parameters = members.get("parameters").and_then(Json::as_object);
    for (name, value) in parameters.into_iter().flatten() {
        check_value(&join(&format!("{pointer}/parameters"), name), value, report);
    }
    for (at, name) in array(members, "sensitive_parameters").iter().enumerate() {
        let is_parameter = |name: &str| parameters.is_some_and(|parameters| parameters.contains_key(name));
        if let Some(name) = name.as_str().filter(|name| !is_parameter(name)) {
            report.add(
                format!("{pointer}/sensitive_parameters/{at}"),
                format!("`{name}` is not a parameter of the resource"),
            );
        }
    }
}

/// Reports rich data without a value.
fn check_value(pointer: &str, value: &Json, report: &mut Report) {
    match value {
        Json::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                check_value(&format!("{pointer}/{at}"), item, report);
            }
        }
        Json::Object(members) => {
            match members.get("__ptype") {
                Some(Json::String(name)) if name != "Default" && members.len() == 1 => {
                    report.add(pointer, format!("a value of type {name} has `__pvalue` or attributes"));
                }
                Some(Json::String(_) | Json::Object(_)) | None => {}
                Some(_) => report.add(pointer, "`__ptype` must be a string or an object"),
            }
            for (name, member) in members {
                check_value(&join(pointer, name), member, report);
            }
        }
        _ => {}
    }
}

fn check_edge(at: usize, edge: &Json, declared: &DeclaredResources<'_>, report: &mut Report) {
    let pointer = &format!("/edges/{at}");
    let Some(members) = edge.as_object() else {
        return report.add(pointer, "an edge is an object");
    };
    report.check_members(pointer, members, &["source", "target"], &["event", "callback"]);
    for end in ["source", "target"] {
        match members.get(end).map(Json::as_str) {
            Some(Some(reference)) => match split_reference(reference) {
                Some(parts) => report.add_integrity_error(declared.end_of_edge(at, end, parts)),
                None => report.add(format!("{pointer}/{end}"), NO_REFERENCE),
            },
            Some(None) => report.add(format!("{pointer}/{end}"), NO_REFERENCE),
            None => {}
        }
    }
}
