//! A report for PuppetDB's command `store report`, version 8, as the package puppet-terminus-puppetdb converts it
//! (puppet/reports/puppetdb.rb).

use std::time::Duration;
use std::time::SystemTime;

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use catwalk_value::json;
use catwalk_value::ruby;
use catwalk_value::strptime_seconds;

use crate::report::iso8601;

/// The payload of `store report` version 8 for a report in Puppet's format 12. `producer` is the certname of the sender.
#[must_use]
pub fn store_report(report: &Json, producer: &str) -> Json {
    let member = |name: &str| report.get(name).cloned().unwrap_or(Json::Null);
    let started = report.get("time").and_then(Json::as_str).unwrap_or_default();
    let ended = add_seconds(started, total_seconds(report)).unwrap_or_else(|| started.to_owned());
    json!({
        "certname": member("host"),
        "job_id": member("job_id"),
        "puppet_version": member("puppet_version"),
        "report_format": member("report_format"),
        "configuration_version": string(report.get("configuration_version")),
        // The report is created when the run ends.
        "producer_timestamp": wire_time(&ended),
        "start_time": wire_time(started),
        "end_time": wire_time(&ended),
        "environment": member("environment"),
        "transaction_uuid": member("transaction_uuid"),
        "status": member("status"),
        "noop": member("noop"),
        "noop_pending": member("noop_pending"),
        "corrective_change": member("corrective_change"),
        "logs": list(report, "logs").map(log).collect::<Vec<_>>(),
        "metrics": metrics(report),
        "resources": resources(report),
        "catalog_uuid": member("catalog_uuid"),
        "code_id": member("code_id"),
        "cached_catalog_status": member("cached_catalog_status"),
        "producer": producer,
    })
}

fn list<'r>(json: &'r Json, name: &str) -> impl Iterator<Item = &'r Json> {
    json.get(name).and_then(Json::as_array).into_iter().flatten()
}

/// These members of an object; missing ones are null.
fn select_members(json: &Json, names: &[&str]) -> Json {
    let member = |name: &&str| ((*name).to_owned(), json.get(*name).cloned().unwrap_or(Json::Null));
    Json::Object(names.iter().map(member).collect::<Map<_, _>>())
}

/// A value as Ruby's `to_s` prints it.
fn string(value: Option<&Json>) -> String {
    value.map(|value| ruby::to_s(&json::from_json(value)).into_owned()).unwrap_or_default()
}

/// Truncates the fraction of a time such as `2026-11-24T18:12:03.123456789+00:00` to milliseconds.
fn wire_time(time: &str) -> String {
    match (time.get(..23), time.get(29..)) {
        (Some(start), Some(zone)) => format!("{start}{zone}"),
        _ => time.to_owned(),
    }
}

fn time_member(json: &Json, name: &str) -> String {
    json.get(name).and_then(Json::as_str).map(wire_time).unwrap_or_default()
}

fn total_seconds(report: &Json) -> f64 {
    let times = report.pointer("/metrics/time/values").and_then(Json::as_array).into_iter().flatten();
    let mut totals = times.filter(|value| value.get(0).and_then(Json::as_str) == Some("total"));
    totals.find_map(|value| value.get(2)?.as_f64()).unwrap_or(0.0)
}

/// Adds seconds to a time of a report, in UTC. `None` if the time is invalid.
fn add_seconds(time: &str, seconds: f64) -> Option<String> {
    let (whole, _) = strptime_seconds(time.get(..19)?, "%Y-%m-%dT%H:%M:%S")?;
    let since = Duration::new(u64::try_from(whole).ok()?, time.get(20..29)?.parse().ok()?);
    let ended = since.checked_add(Duration::try_from_secs_f64(seconds).ok()?)?;
    Some(iso8601(SystemTime::UNIX_EPOCH.checked_add(ended)?))
}

fn log(line: &Json) -> Json {
    let mut members = select_members(line, &["file", "line", "level", "message", "source", "tags"]);
    members["time"] = Json::from(time_member(line, "time"));
    members
}

fn metrics(report: &Json) -> Vec<Json> {
    let mut metrics = Vec::new();
    for metric in report.get("metrics").and_then(Json::as_object).into_iter().flat_map(Map::values) {
        let mut values: Vec<&Json> = list(metric, "values").collect();
        // By label, as Puppet::Util::Metric returns them.
        values.sort_by_key(|value| value.get(1).and_then(Json::as_str).unwrap_or_default());
        let row = |value: &Json| json!({"category": metric.get("name"), "name": value.get(0), "value": value.get(2)});
        metrics.extend(values.into_iter().map(row));
    }
    metrics
}

/// Resources that were skipped or have events, as the terminus sends them.
fn resources(report: &Json) -> Vec<Json> {
    let statuses = report.get("resource_statuses").and_then(Json::as_object).into_iter().flat_map(Map::values);
    let is_sent = |status: &&Json| list(status, "events").next().is_some() || status["skipped"] == Json::Bool(true);
    statuses.filter(is_sent).map(resource).collect()
}

fn resource(status: &Json) -> Json {
    let member = |name: &str| status.get(name).cloned().unwrap_or(Json::Null);
    json!({
        "skipped": member("skipped"),
        "timestamp": time_member(status, "time"),
        "resource_type": member("resource_type"),
        "resource_title": member("title"),
        "file": member("file"),
        "line": member("line"),
        "containment_path": member("containment_path"),
        "corrective_change": member("corrective_change"),
        "events": list(status, "events").map(event).collect::<Vec<_>>(),
    })
}

fn event(event: &Json) -> Json {
    let member = |name: &str| event.get(name).cloned().unwrap_or(Json::Null);
    json!({
        "status": member("status"),
        "timestamp": time_member(event, "time"),
        "name": member("name"),
        "property": member("property"),
        "new_value": string(event.get("desired_value")),
        "old_value": string(event.get("previous_value")),
        "corrective_change": member("corrective_change"),
        "message": member("message"),
    })
}
