//! The rules of PuppetDB's formats.

use serde_json::Map;
use serde_json::Value as Json;

use super::Kind;
use super::Report;
use super::array;
use super::check_titles;
use super::join;
use crate::metaparameters::CONTAINS;
use crate::metaparameters::RELATIONSHIPS;
use crate::wire::puppetdb::Style;
use crate::wire::puppetdb::Version;
use catwalk_catalog::DeclaredResources;

/// The members of versions 4 and 5 with their types, each with the first version that has it.
const OLD: [(&str, Version, Kind); 5] = [
    ("name", Version::V4, Kind::String),
    ("version", Version::V4, Kind::String),
    ("environment", Version::V4, Kind::StringOrNull),
    ("transaction-uuid", Version::V4, Kind::UuidOrNull),
    ("producer-timestamp", Version::V5, Kind::Time),
];
/// The members from version 6 on.
const NEW: [(&str, Version, Kind); 9] = [
    ("certname", Version::V6, Kind::String),
    ("version", Version::V6, Kind::String),
    ("environment", Version::V6, Kind::StringOrNull),
    ("transaction_uuid", Version::V6, Kind::UuidOrNull),
    ("producer_timestamp", Version::V6, Kind::Time),
    ("code_id", Version::V7, Kind::StringOrNull),
    ("catalog_uuid", Version::V8, Kind::UuidOrNull),
    ("producer", Version::V9, Kind::StringOrNull),
    ("job_id", Version::V9, Kind::StringOrNull),
];

pub(super) fn check(members: &Map<String, Json>, version: Version, style: Style, report: &mut Report) {
    let all: &[(&str, Version, Kind)] = if version < Version::V6 { &OLD } else { &NEW };
    let members_of_version = all.iter().filter(|(_, first, _)| *first <= version);
    let mut required: Vec<&str> = members_of_version.clone().map(|(name, ..)| *name).collect();
    required.extend(["edges", "resources"]);
    // The server requires neither, and sets them to null.
    let is_optional = |name: &str| matches!(name, "job_id" | "producer");
    let (optional, required): (Vec<&str>, Vec<&str>) = required.into_iter().partition(|name| is_optional(name));
    report.check_members("", members, &required, &optional);
    for (name, _, kind) in members_of_version {
        // According to the documentation, only the UUID may be null.
        let kind = match (style, kind, *name) {
            (Style::Documented, Kind::StringOrNull, "environment") => Kind::String,
            _ => *kind,
        };
        report.check_kind("", members, name, kind);
    }
    report.check_kind("", members, "edges", Kind::Array);
    report.check_kind("", members, "resources", Kind::Array);
    let resources = array(members, "resources");
    for (at, resource) in resources.iter().enumerate() {
        check_resource(&format!("/resources/{at}"), resource, style, report);
    }
    let declared = check_titles(resources, report);
    for (at, edge) in array(members, "edges").iter().enumerate() {
        check_edge(at, edge, &declared, report);
    }
}

fn check_resource(pointer: &str, resource: &Json, style: Style, report: &mut Report) {
    let Some(members) = resource.as_object() else {
        return report.add(pointer, "a resource is an object");
    };
    let is_documented = style == Style::Documented;
    let (required, optional): (&[&str], &[&str]) = match is_documented {
        true => (&["type", "title", "aliases", "exported", "file", "line", "tags", "parameters"], &[]),
        false => (&["type", "title", "exported", "tags", "parameters"], &["aliases", "file", "line", "kind"]),
    };
    report.check_members(pointer, members, required, optional);
    let (file, line) = match is_documented {
        true => (Kind::String, Kind::Line),
        false => (Kind::StringOrNull, Kind::LineOrNull),
    };
    let kinds = [
        ("type", Kind::String),
        ("title", Kind::String),
        ("aliases", Kind::Strings),
        ("exported", Kind::Boolean),
        ("file", file),
        ("line", line),
        ("tags", Kind::Array),
        ("parameters", Kind::Object),
        ("kind", Kind::String),
    ];
    for (name, kind) in kinds {
        report.check_kind(pointer, members, name, kind);
    }
    report.check_tags(pointer, members);
    if let (true, Some(parameters)) = (is_documented, members.get("parameters")) {
        check_documented_value(&format!("{pointer}/parameters"), parameters, report);
    }
}

/// Reports null and numbers in parameters, which the documented format does not allow.
fn check_documented_value(pointer: &str, value: &Json, report: &mut Report) {
    match value {
        Json::Null => report.add(pointer, "null is not allowed"),
        Json::Number(_) => report.add(pointer, "numbers are converted to strings"),
        Json::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                check_documented_value(&format!("{pointer}/{at}"), item, report);
            }
        }
        Json::Object(members) => {
            for (name, member) in members {
                check_documented_value(&join(pointer, name), member, report);
            }
        }
        _ => {}
    }
}

/// The relationships of edges.
fn relationships() -> impl Iterator<Item = &'static str> {
    std::iter::once(CONTAINS).chain(RELATIONSHIPS.iter().map(|(_, relationship)| *relationship))
}

fn check_edge(at: usize, edge: &Json, declared: &DeclaredResources<'_>, report: &mut Report) {
    let pointer = &format!("/edges/{at}");
    let Some(members) = edge.as_object() else {
        return report.add(pointer, "an edge is an object");
    };
    report.check_members(pointer, members, &["source", "target", "relationship"], &[]);
    if let Some(relationship) = members.get("relationship")
        && !relationship.as_str().is_some_and(|relationship| relationships().any(|known| known == relationship))
    {
        let names: Vec<&str> = relationships().collect();
        report.add(format!("{pointer}/relationship"), format!("a relationship is one of {}", names.join(", ")));
    }
    for end in ["source", "target"] {
        let Some(specification) = members.get(end) else { continue };
        let pointer = format!("{pointer}/{end}");
        let Some(parts) = specification.as_object() else {
            report.add(pointer, "the end of an edge is an object with `type` and `title`");
            continue;
        };
        report.check_members(&pointer, parts, &["type", "title"], &[]);
        let string = |name: &str| parts.get(name).and_then(Json::as_str);
        match (string("type"), string("title")) {
            (Some(type_name), Some(title)) => {
                report.add_integrity_error(declared.end_of_edge(at, end, (type_name, title)))
            }
            _ => ["type", "title"].iter().for_each(|name| report.check_kind(&pointer, parts, name, Kind::String)),
        }
    }
}
