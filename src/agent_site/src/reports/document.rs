//! A report in the order and form in which Puppet writes it (Puppet::Transaction::Report#to_data_hash).
//!
//! In: the JSON that an agent sends. Out: JSON with Puppet's keys, YAML with Puppet's tag. Unknown keys are left out, as Puppet does.

use serde_json::Map;
use serde_json::Value as Json;

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_server::Limits;
use catwalk_value::data::yaml_write;
use catwalk_value::json::from_json;
use catwalk_value::ruby;

/// The deepest nesting of lists and objects: YAML indents each line of a string as deep as the string is nested.
const MAX_DEPTH: usize = 20;
/// The largest YAML document, relative to the largest report that the server accepts.
const MAX_YAML_FACTOR: usize = 2;

/// The keys that every report has, in order, up to `logs`.
const KEYS: [&str; 12] = [
    "host",
    "time",
    "configuration_version",
    "transaction_uuid",
    "report_format",
    "puppet_version",
    "status",
    "transaction_completed",
    "noop",
    "noop_pending",
    "environment",
    "logs",
];
/// Keys at the end that a report has only with a value.
const OPTIONAL_KEYS: [&str; 5] = ["server_used", "catalog_uuid", "code_id", "job_id", "cached_catalog_status"];
const LOG_KEYS: [&str; 7] = ["level", "message", "source", "tags", "time", "file", "line"];
const METRIC_KEYS: [&str; 3] = ["name", "label", "values"];
const STATUS_KEYS: [&str; 19] = [
    "title",
    "file",
    "line",
    "resource",
    "resource_type",
    "provider_used",
    "containment_path",
    "evaluation_time",
    "tags",
    "time",
    "failed",
    "failed_to_restart",
    "changed",
    "out_of_sync",
    "skipped",
    "change_count",
    "out_of_sync_count",
    "events",
    "corrective_change",
];
const EVENT_KEYS: [&str; 11] = [
    "audited",
    "property",
    "previous_value",
    "desired_value",
    "historical_value",
    "message",
    "name",
    "status",
    "time",
    "redacted",
    "corrective_change",
];

/// A report as Puppet writes it.
#[derive(Debug, Default)]
pub(crate) struct PuppetReport(Json);

impl PuppetReport {
    /// Reads what an agent sends.
    ///
    /// # Errors
    /// A part has another form, or is nested too deeply: a sentence.
    pub(crate) fn read(sent: &Json) -> Result<PuppetReport, String> {
        if !is_within(sent, MAX_DEPTH) {
            return Err(format!("it has lists or objects at more than {MAX_DEPTH} levels"));
        }
        let sent = object(sent, "it")?;
        let mut report = picked(sent, &KEYS);
        let logs =
            list(sent, "logs")?.iter().map(|line| Ok(Json::Object(picked(object(line, "a line of logs")?, &LOG_KEYS))));
        report.insert("logs".to_owned(), Json::Array(logs.collect::<Result<_, String>>()?));
        let metric = |(name, metric): (&String, &Json)| {
            Ok((name.clone(), Json::Object(picked(object(metric, "a metric")?, &METRIC_KEYS))))
        };
        let metrics = member(sent, "metrics")?.iter().map(metric).collect::<Result<Map<_, _>, String>>()?;
        report.insert("metrics".to_owned(), Json::Object(metrics));
        let status = |(name, status): (&String, &Json)| Ok((name.clone(), resource_status(status)?));
        let statuses = member(sent, "resource_statuses")?.iter().map(status).collect::<Result<Map<_, _>, String>>()?;
        report.insert("resource_statuses".to_owned(), Json::Object(statuses));
        report.insert("corrective_change".to_owned(), value(sent, "corrective_change"));
        for name in OPTIONAL_KEYS {
            let old_name = if name == "server_used" { "master_used" } else { name };
            let is_set = |value: &&Json| !value.is_null() && **value != Json::Bool(false);
            if let Some(value) = sent.get(name).filter(is_set).or_else(|| sent.get(old_name).filter(is_set)) {
                report.insert(name.to_owned(), value.clone());
            }
        }
        Ok(PuppetReport(Json::Object(report)))
    }

    /// The report as data.
    pub(crate) fn document(&self) -> &Json {
        &self.0
    }

    /// The lines of its log.
    pub(crate) fn log(&self) -> &[Json] {
        self.0.get("logs").and_then(Json::as_array).map_or(&[], Vec::as_slice)
    }

    /// The report as Puppet's `to_yaml` writes it.
    ///
    /// # Errors
    /// The document is too large.
    pub(crate) fn to_yaml(&self) -> Result<String, Reason> {
        self.yaml_within(MAX_YAML_FACTOR.saturating_mul(Limits::default().report_bytes))
    }

    fn yaml_within(&self, max_bytes: usize) -> Result<String, Reason> {
        let options = yaml_write::Options {
            text: Some(ruby::to_s),
            max_bytes: Some(max_bytes),
            ..yaml_write::Options::default()
        };
        let mut yaml = yaml_write::write(&from_json(&self.0), options)
            .map_err(|why| Reason::new(Code::BAD_REPORT, format!("the report cannot be written: {why}")))?;
        if yaml.starts_with("---") {
            yaml.insert_str("---".len(), " !ruby/object:Puppet::Transaction::Report");
        }
        Ok(yaml)
    }
}

/// Whether lists and objects are nested in at most `levels` levels.
fn is_within(value: &Json, levels: usize) -> bool {
    let is_inside = |value: &Json| levels.checked_sub(1).is_some_and(|levels| is_within(value, levels));
    match value {
        Json::Array(items) => levels > 0 && items.iter().all(is_inside),
        Json::Object(members) => levels > 0 && members.values().all(is_inside),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}

fn resource_status(sent: &Json) -> Result<Json, String> {
    let sent = object(sent, "a status of a resource")?;
    let mut status = picked(sent, &STATUS_KEYS);
    // An error for missing tags comes before one for missing events.
    list(sent, "tags")?;
    let failed_to_restart =
        sent.get("failed_to_restart").is_some_and(|value| !value.is_null() && *value != Json::Bool(false));
    status.insert("failed_to_restart".to_owned(), Json::Bool(failed_to_restart));
    let event = |sent: &Json| {
        let sent = object(sent, "an event")?;
        let mut event = picked(sent, &EVENT_KEYS);
        if !sent.contains_key("redacted") {
            event.insert("redacted".to_owned(), Json::Bool(false));
        }
        Ok(Json::Object(event))
    };
    let events = list(sent, "events")?.iter().map(event).collect::<Result<_, String>>()?;
    status.insert("events".to_owned(), Json::Array(events));
    Ok(Json::Object(status))
}

fn object<'j>(value: &'j Json, what: &str) -> Result<&'j Map<String, Json>, String> {
    value.as_object().ok_or_else(|| format!("{what} is not an object"))
}

fn member<'j>(of: &'j Map<String, Json>, name: &str) -> Result<&'j Map<String, Json>, String> {
    of.get(name).and_then(Json::as_object).ok_or_else(|| format!("{name} is not an object"))
}

fn list<'j>(of: &'j Map<String, Json>, name: &str) -> Result<&'j Vec<Json>, String> {
    of.get(name).and_then(Json::as_array).ok_or_else(|| format!("{name} is not a list"))
}

fn value(of: &Map<String, Json>, name: &str) -> Json {
    of.get(name).cloned().unwrap_or(Json::Null)
}

/// The members with these names in this order; null for missing ones.
fn picked(of: &Map<String, Json>, names: &[&str]) -> Map<String, Json> {
    // Lists and statuses are large, and are replaced by their callers.
    let is_replaced = |name: &str| matches!(name, "logs" | "events");
    let member = |name: &&str| {
        let value = if is_replaced(name) { Json::Null } else { value(of, name) };
        ((*name).to_owned(), value)
    };
    names.iter().map(member).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use serde_json::json;

    #[test]
    fn reports_are_written_as_by_puppet() {
        let recorded: Vec<Json> = serde_json::from_str(include_str!("recorded.json")).unwrap();
        assert!(recorded.len() > 5);
        for case in recorded {
            let found = PuppetReport::read(&case["report"]);
            match (case["yaml"].as_str(), found) {
                (Some(expected), Ok(report)) => assert_eq!(report.to_yaml().unwrap(), expected),
                (None, Err(_)) => {}
                (expected, found) => assert_eq!(expected, None, "{found:?}"),
            }
        }
    }

    #[test]
    fn other_forms_are_errors() {
        let event = json!({ "host": "a", "logs": [], "metrics": {}, "resource_statuses": { "A[b]": { "tags": [], "events": [1] } } });
        for (sent, why) in [
            (json!([]), "it is not an object"),
            (json!({}), "logs is not a list"),
            (json!({ "logs": [1] }), "a line of logs is not an object"),
            (json!({ "logs": [], "metrics": [] }), "metrics is not an object"),
            (json!({ "logs": [], "metrics": { "time": 1 } }), "a metric is not an object"),
            (json!({ "logs": [], "metrics": {}, "resource_statuses": { "x": {} } }), "tags is not a list"),
            (event, "an event is not an object"),
        ] {
            assert_eq!(PuppetReport::read(&sent).unwrap_err(), why, "{sent}");
        }
    }

    #[test]
    fn deep_and_large_reports_are_errors() {
        let report = |message: Json| {
            let line = json!({ "level": "notice", "message": message });
            PuppetReport::read(&json!({ "logs": [line], "metrics": {}, "resource_statuses": {} }))
        };
        // The report, its list and the line are three levels.
        let nested = |levels: usize| (3..levels).fold(json!("\n".repeat(2000)), |inner, _| json!([inner]));
        assert_eq!(report(nested(21)).unwrap_err(), "it has lists or objects at more than 20 levels");
        let deep = report(nested(20)).unwrap();
        assert!(deep.to_yaml().unwrap().starts_with("--- !ruby/object:Puppet::Transaction::Report\n"));
        let long = json!((0..2000).map(|_| "a\n\nb\n").collect::<String>());
        let long = report((3..20).fold(long, |inner, _| json!([inner]))).unwrap();
        let size = long.to_yaml().unwrap().len();
        assert!(size > 100_000, "{size}");
        let refused = long.yaml_within(size / 2).unwrap_err();
        assert!(
            refused.message.contains(&format!("the YAML is larger than {} bytes", size / 2)),
            "{}",
            refused.message
        );
    }
}
