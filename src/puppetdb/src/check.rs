//! Checks payloads against PuppetDB's rules.
//!
//! In: a payload. Out: its violations, each with a JSON pointer. The rules of catalogs are those of `catalog validate` for version 9, the
//! rules of facts those of PuppetDB's `facts-schema` (puppetdb/facts.clj), and the rules of reports those of its
//! `report-wireformat-schema` (puppetdb/reports.clj), both of PuppetDB 7.12.1. PuppetDB responds with 200 to an invalid payload too, and
//! discards the command later.

use serde_json::Map;
use serde_json::Value;

use crate::command::CommandName;
use catwalk_formats::wire::format::Format;
use catwalk_formats::wire::puppetdb::Style;
use catwalk_formats::wire::puppetdb::Version;
use catwalk_formats::wire::validate;
use catwalk_formats::wire::validate::Violation;

/// The deepest nesting of values that can be read back from a queue.
const MAX_DEPTH: usize = 100;

/// The type of a value.
enum Shape {
    String,
    /// One of these strings.
    Word(&'static [&'static str]),
    Boolean,
    Integer,
    Number,
    /// A time as in RFC 3339, with seconds.
    Time,
    Any,
    /// An object with any members.
    Map,
    Object(&'static [Member]),
    List(&'static Shape),
    /// A value of this shape, or null.
    Nullable(&'static Shape),
}

/// A member of an object: its name, its shape, and whether it may be missing (`REQUIRED` or `OPTIONAL`).
struct Member(&'static str, Shape, bool);

const REQUIRED: bool = false;
const OPTIONAL: bool = true;

use Shape::Boolean;
use Shape::Integer;
use Shape::List;
use Shape::Nullable;
use Shape::Object;
use Shape::Time;

const STRING: Shape = Shape::String;
const STRING_OR_NULL: Shape = Nullable(&Shape::String);

const FACTS: &[Member] = &[
    Member("certname", STRING, REQUIRED),
    Member("environment", STRING_OR_NULL, REQUIRED),
    Member("producer_timestamp", Time, REQUIRED),
    Member("producer", STRING_OR_NULL, REQUIRED),
    Member("values", Shape::Map, REQUIRED),
    Member("package_inventory", List(&List(&Shape::String)), OPTIONAL),
];

const REPORT: &[Member] = &[
    Member("certname", STRING, REQUIRED),
    Member("puppet_version", STRING, REQUIRED),
    Member("report_format", Integer, REQUIRED),
    Member("configuration_version", STRING, REQUIRED),
    Member("start_time", Time, REQUIRED),
    Member("end_time", Time, REQUIRED),
    Member("producer_timestamp", Time, REQUIRED),
    Member("producer", STRING_OR_NULL, REQUIRED),
    Member("corrective_change", Nullable(&Boolean), REQUIRED),
    Member("resources", List(&Object(RESOURCE)), REQUIRED),
    Member("noop", Nullable(&Boolean), REQUIRED),
    Member("noop_pending", Nullable(&Boolean), REQUIRED),
    Member("transaction_uuid", STRING_OR_NULL, REQUIRED),
    Member("catalog_uuid", STRING_OR_NULL, REQUIRED),
    Member("code_id", STRING_OR_NULL, REQUIRED),
    Member("job_id", STRING_OR_NULL, OPTIONAL),
    Member("cached_catalog_status", STRING_OR_NULL, REQUIRED),
    Member("metrics", List(&Object(METRIC)), REQUIRED),
    Member("logs", List(&Object(LOG)), REQUIRED),
    Member("environment", STRING, REQUIRED),
    Member("status", STRING_OR_NULL, REQUIRED),
    Member("type", Shape::Word(&["agent", "plan"]), OPTIONAL),
];

const RESOURCE: &[Member] = &[
    Member("skipped", Boolean, REQUIRED),
    Member("timestamp", Time, REQUIRED),
    Member("resource_type", STRING, REQUIRED),
    Member("resource_title", STRING, REQUIRED),
    Member("file", STRING_OR_NULL, REQUIRED),
    Member("line", Nullable(&Integer), REQUIRED),
    Member("containment_path", List(&Shape::String), REQUIRED),
    Member("corrective_change", Nullable(&Boolean), REQUIRED),
    Member("events", List(&Object(EVENT)), REQUIRED),
];

const EVENT: &[Member] = &[
    Member("status", STRING, REQUIRED),
    Member("corrective_change", Nullable(&Boolean), REQUIRED),
    Member("timestamp", Time, REQUIRED),
    Member("property", STRING_OR_NULL, REQUIRED),
    Member("new_value", Shape::Any, REQUIRED),
    Member("old_value", Shape::Any, REQUIRED),
    Member("message", STRING_OR_NULL, REQUIRED),
    Member("name", STRING_OR_NULL, OPTIONAL),
];

const METRIC: &[Member] =
    &[Member("category", STRING, REQUIRED), Member("name", STRING, REQUIRED), Member("value", Shape::Number, REQUIRED)];

const LOG: &[Member] = &[
    Member("file", STRING_OR_NULL, REQUIRED),
    Member("line", Nullable(&Integer), REQUIRED),
    Member("level", STRING, REQUIRED),
    Member("message", STRING, REQUIRED),
    Member("source", STRING, REQUIRED),
    Member("tags", List(&Shape::String), REQUIRED),
    Member("time", Time, REQUIRED),
];

/// The violations of a payload; none if PuppetDB accepts it.
pub(crate) fn violations(name: CommandName, payload: &Value) -> Vec<Violation> {
    let mut violations = match name {
        CommandName::ReplaceCatalog => validate::validate(payload, Format::Wire(Version::V9), Style::Terminus),
        CommandName::ReplaceFacts => check_object(payload, FACTS),
        CommandName::StoreReport => check_object(payload, REPORT),
    };
    if payload.get("certname").and_then(Value::as_str) == Some("") {
        violations.push(violation("/certname", "`certname` must not be empty"));
    }
    if is_deeper(payload, MAX_DEPTH) {
        violations.push(violation("", &format!("values are nested deeper than {MAX_DEPTH}")));
    }
    violations
}

fn violation(pointer: &str, rule: &str) -> Violation {
    Violation { pointer: pointer.to_owned(), rule: rule.to_owned() }
}

/// Whether arrays and objects are nested deeper than `depth`.
fn is_deeper(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth == 0 || items.iter().any(|item| is_deeper(item, depth - 1)),
        Value::Object(members) => depth == 0 || members.values().any(|member| is_deeper(member, depth - 1)),
        _ => false,
    }
}

fn check_object(payload: &Value, members: &'static [Member]) -> Vec<Violation> {
    let mut violations = Vec::new();
    check("", payload, &Object(members), &mut violations);
    violations
}

fn check(pointer: &str, value: &Value, shape: &Shape, violations: &mut Vec<Violation>) {
    let is_right = match shape {
        Shape::String => value.is_string(),
        Shape::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        Boolean => value.is_boolean(),
        Integer => value.is_i64() || value.is_u64(),
        Shape::Number => value.is_number(),
        Time => value.as_str().is_some_and(|time| time.parse::<jiff::Timestamp>().is_ok()),
        Shape::Any => true,
        Shape::Map => value.is_object(),
        Object(known) => match value.as_object() {
            Some(members) => return check_members(pointer, members, known, violations),
            None => false,
        },
        List(of) => match value.as_array() {
            Some(items) => {
                return (0..).zip(items).for_each(|(at, item)| check(&format!("{pointer}/{at}"), item, of, violations));
            }
            None => false,
        },
        Nullable(shape) => {
            value.is_null() || {
                let mut broken = Vec::new();
                check(pointer, value, shape, &mut broken);
                broken.is_empty()
            }
        }
    };
    if !is_right {
        violations.push(violation(pointer, &format!("it must be {}", describe(shape))));
    }
}

fn check_members(pointer: &str, members: &Map<String, Value>, allowed: &[Member], violations: &mut Vec<Violation>) {
    for Member(name, shape, may_be_missing) in allowed {
        match members.get(*name) {
            Some(value) => check(&format!("{pointer}/{name}"), value, shape, violations),
            None if *may_be_missing => {}
            None => violations.push(violation(pointer, &format!("the member `{name}` is required"))),
        }
    }
    for name in members.keys().filter(|name| !allowed.iter().any(|Member(member, ..)| member == name)) {
        let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        violations.push(violation(&pointer, &format!("`{name}` is not a member of this format")));
    }
}

fn describe(shape: &Shape) -> String {
    match shape {
        Shape::String => "a string".to_owned(),
        Shape::Word(words) => format!("one of {}", words.join(", ")),
        Boolean => "true or false".to_owned(),
        Integer => "an integer".to_owned(),
        Shape::Number => "a number".to_owned(),
        Time => "a time such as 2026-01-02T03:04:05.000Z".to_owned(),
        Shape::Any => "any value".to_owned(),
        Shape::Map | Object(_) => "an object".to_owned(),
        List(_) => "an array".to_owned(),
        Nullable(shape) => format!("{} or null", describe(shape)),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use serde_json::json;

    fn facts() -> Value {
        json!({"certname": "n", "environment": null, "producer_timestamp": "2026-01-02T03:04:05.000Z", "producer": null, "values": {"a": 1}})
    }

    pub(crate) fn report() -> Value {
        let event = json!({"status": "success", "corrective_change": false, "timestamp": "2026-01-02T03:04:05Z", "property": null,
            "new_value": [1], "old_value": null, "message": null, "name": "x"});
        let resource = json!({"skipped": false, "timestamp": "2026-01-02T03:04:05+01:00", "resource_type": "File", "resource_title": "/x",
            "file": null, "line": 1, "containment_path": ["Stage[main]"], "corrective_change": null, "events": [event]});
        json!({"certname": "n", "puppet_version": "7", "report_format": 12, "configuration_version": "1",
            "start_time": "2026-01-02T03:04:05Z", "end_time": "2026-01-02T03:04:06Z", "producer_timestamp": "2026-01-02T03:04:06Z",
            "producer": null, "corrective_change": null, "resources": [resource], "noop": false, "noop_pending": false,
            "transaction_uuid": null, "catalog_uuid": null, "code_id": null, "cached_catalog_status": null,
            "metrics": [{"category": "time", "name": "total", "value": 1.5}],
            "logs": [{"file": null, "line": null, "level": "notice", "message": "m", "source": "Puppet", "tags": [], "time": "2026-01-02T03:04:05Z"}],
            "environment": "production", "status": "changed"})
    }

    #[test]
    fn payloads_break_the_rules_of_puppetdb() {
        use CommandName::ReplaceFacts;
        use CommandName::StoreReport;
        let nested = (0..200).fold(json!(1), |inner, _| json!([inner]));
        for (name, pointer, value, expected) in [
            (ReplaceFacts, "", None, ""),
            (ReplaceFacts, "/values", Some(json!([])), "/values: it must be an object"),
            (ReplaceFacts, "/values/a", Some(nested), "/: values are nested deeper than 100"),
            (ReplaceFacts, "/certname", Some(json!("")), "/certname: `certname` must not be empty"),
            (
                ReplaceFacts,
                "/producer_timestamp",
                Some(json!("now")),
                "/producer_timestamp: it must be a time such as 2026-01-02T03:04:05.000Z",
            ),
            (ReplaceFacts, "/producer", Some(json!(1)), "/producer: it must be a string or null"),
            (StoreReport, "", None, ""),
            (StoreReport, "/report_format", Some(json!("12")), "/report_format: it must be an integer"),
            (
                StoreReport,
                "/resources/0/events/0/status",
                Some(json!(null)),
                "/resources/0/events/0/status: it must be a string",
            ),
            (
                StoreReport,
                "/resources/0/containment_path",
                Some(json!([1])),
                "/resources/0/containment_path/0: it must be a string",
            ),
            (StoreReport, "/metrics/0/value", Some(json!("1")), "/metrics/0/value: it must be a number"),
            (StoreReport, "/logs/0", Some(json!({})), "/logs/0: the member `file` is required"),
            (StoreReport, "/resources/0", Some(json!("x")), "/resources/0: it must be an object"),
        ] {
            let mut payload = if name == ReplaceFacts { facts() } else { report() };
            if let Some(value) = value {
                *payload.pointer_mut(pointer).unwrap() = value;
            }
            let violations = violations(name, &payload);
            assert_eq!(violations.first().map(ToString::to_string).unwrap_or_default(), expected, "{pointer}");
        }
        let mut with_more = report();
        with_more["type"] = json!("agent");
        with_more["a/b"] = json!(1);
        let violations = violations(StoreReport, &with_more);
        assert_eq!(
            violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["/a~1b: `a/b` is not a member of this format"]
        );
    }

    #[test]
    fn catalogs_have_the_rules_of_version_9() {
        let catalog = json!({"certname": "n", "version": 1, "resources": [], "edges": []});
        let violations = violations(CommandName::ReplaceCatalog, &catalog);
        assert_eq!(violations, validate::validate(&catalog, Format::Wire(Version::V9), Style::Terminus));
        assert!(violations.len() > 3, "{violations:?}");
    }
}
