//! Checks a document against the rules of its format, and reports all violations.
//!
//! In: a JSON document, its format. Out: violations in the document's order, each with a JSON pointer (RFC 6901) and the rule. The rules
//! of PuppetDB's formats are those of its server, which responds with 200 to invalid documents too, and discards them later; the rules of
//! [`Style::Documented`] are those of its documentation. The rules of native catalogs are those of Puppet's JSON schema
//! (`api/schemas/catalog.json`) and of `catwalk apply`.

mod native;
mod payload;

use std::fmt;

use serde_json::Map;
use serde_json::Value as Json;

use crate::wire::format::Format;
use crate::wire::puppetdb::Style;
use catwalk_base::names::is_type_name;
use catwalk_catalog::DeclaredResources;
use catwalk_catalog::IntegrityError;

/// A violation of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The JSON pointer of the value; empty for the whole document.
    pub pointer: String,
    /// The rule.
    pub rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{pointer}: {}", self.rule)
    }
}

/// The violations of a document; none if it is valid. The rules of canonical catalogs are those of native ones, without the members
/// that vary.
#[must_use]
pub fn validate(document: &Json, format: Format, style: Style) -> Vec<Violation> {
    let mut report = Report::default();
    let Some(members) = document.as_object() else {
        report.add("", "a catalog is an object");
        return report.violations;
    };
    match format {
        Format::Wire(version) => payload::check(members, version, style, &mut report),
        _ => native::check(members, format, &mut report),
    }
    report.violations
}

/// Collects violations.
#[derive(Default)]
struct Report {
    violations: Vec<Violation>,
}

impl Report {
    fn add(&mut self, pointer: impl Into<String>, rule: impl Into<String>) {
        self.violations.push(Violation { pointer: pointer.into(), rule: rule.into() });
    }

    fn add_integrity_error<T>(&mut self, checked: Result<T, IntegrityError>) {
        if let Err(IntegrityError { pointer, message }) = checked {
            self.add(pointer, message);
        }
    }

    /// Reports missing and unknown members of an object.
    fn check_members(&mut self, pointer: &str, members: &Map<String, Json>, required: &[&str], optional: &[&str]) {
        for name in required.iter().filter(|name| !members.contains_key(**name)) {
            self.add(pointer, format!("the member `{name}` is required"));
        }
        for name in
            members.keys().filter(|name| !required.contains(&name.as_str()) && !optional.contains(&name.as_str()))
        {
            self.add(join(pointer, name), format!("`{name}` is not a member of this format"));
        }
    }

    /// Reports a member that has the wrong type. Ignores a missing member.
    fn check_kind(&mut self, pointer: &str, members: &Map<String, Json>, name: &str, kind: Kind) {
        if let Some(value) = members.get(name)
            && !kind.accepts(value)
        {
            self.add(join(pointer, name), format!("`{name}` must be {kind}"));
        }
    }

    /// Reports tags that PuppetDB rejects. A tag is a lower-case letter, a digit or `_`, then any of these, `:`, `.` and `-`.
    fn check_tags(&mut self, pointer: &str, members: &Map<String, Json>) {
        for (at, tag) in array(members, "tags").iter().enumerate() {
            let pointer = format!("{pointer}/tags/{at}");
            match tag.as_str() {
                Some(tag) if is_tag(tag) => {}
                Some(_) => self
                    .add(pointer, "a tag begins with a lower-case letter, a digit or `_`; `:`, `.` and `-` may follow"),
                None => self.add(pointer, "a tag must be a string"),
            }
        }
    }
}

/// The types of members.
#[derive(Clone, Copy)]
enum Kind {
    String,
    StringOrNull,
    StringOrInteger,
    Boolean,
    Integer,
    Array,
    Strings,
    Object,
    /// A line number: an integer greater than 0.
    Line,
    LineOrNull,
    /// A time as in RFC 3339.
    Time,
    Uuid,
    UuidOrNull,
}

impl Kind {
    fn accepts(self, value: &Json) -> bool {
        match self {
            Kind::String => value.is_string(),
            Kind::StringOrNull => value.is_string() || value.is_null(),
            Kind::StringOrInteger => value.is_string() || value.is_i64() || value.is_u64(),
            Kind::Boolean => value.is_boolean(),
            Kind::Integer => value.is_i64() || value.is_u64(),
            Kind::Array => value.is_array(),
            Kind::Strings => value.as_array().is_some_and(|items| items.iter().all(Json::is_string)),
            Kind::Object => value.is_object(),
            Kind::Line => value.as_u64().is_some_and(|line| line > 0),
            Kind::LineOrNull => value.is_null() || Kind::Line.accepts(value),
            Kind::Time => value.as_str().is_some_and(is_time),
            Kind::Uuid => value.as_str().is_some_and(is_uuid),
            Kind::UuidOrNull => value.is_null() || Kind::Uuid.accepts(value),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::String => "a string",
            Kind::StringOrNull => "a string or null",
            Kind::StringOrInteger => "a string or an integer",
            Kind::Boolean => "true or false",
            Kind::Integer => "an integer",
            Kind::Array => "an array",
            Kind::Strings => "an array of strings",
            Kind::Object => "an object",
            Kind::Line => "a positive integer",
            Kind::LineOrNull => "a positive integer or null",
            Kind::Time => "a time such as 2026-01-02T03:04:05.000Z",
            Kind::Uuid => "a UUID",
            Kind::UuidOrNull => "a UUID or null",
        })
    }
}

/// The items of a member that is an array.
fn array<'a>(members: &'a Map<String, Json>, name: &str) -> &'a [Json] {
    members.get(name).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

/// The JSON pointer to a member.
fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn is_tag(tag: &str) -> bool {
    let is_first =
        |letter: char| letter == '_' || letter.is_numeric() || letter.is_alphabetic() && !letter.is_uppercase();
    let is_other = |letter: char| is_first(letter) || matches!(letter, ':' | '.' | '-');
    tag.starts_with(is_first) && tag.chars().all(is_other)
}

fn is_time(time: &str) -> bool {
    time.parse::<jiff::Timestamp>().is_ok()
}

fn is_uuid(uuid: &str) -> bool {
    uuid.len() == 36
        && uuid.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Reports resources that occur twice and invalid names of types. Returns all resources.
fn check_titles<'a>(resources: &'a [Json], report: &mut Report) -> DeclaredResources<'a> {
    let mut declared = DeclaredResources::default();
    for (at, resource) in resources.iter().enumerate() {
        let string = |name: &str| resource.get(name).and_then(Json::as_str);
        let (Some(type_name), Some(title)) = (string("type"), string("title")) else { continue };
        if !is_type_name(type_name) {
            report.add(format!("/resources/{at}/type"), "each word of a type begins with a capital: Apache::Vhost");
        }
        report.add_integrity_error(declared.add(at, type_name, title));
    }
    declared
}
