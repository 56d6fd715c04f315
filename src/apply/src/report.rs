//! The report of a run in Puppet's format 12, and PuppetDB's form of it (Puppet::Transaction::Report).

mod puppetdb;

use std::time::Duration;
use std::time::SystemTime;

use indexmap::IndexMap;
use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use catwalk_catalog::Catalog;
use catwalk_catalog::Version;
use catwalk_value::value::days_from_civil;
use catwalk_value::value::json;
use catwalk_value::value::ruby;

use crate::Applied;
use crate::Event;
use crate::EventStatus;
use crate::LogLine;
use crate::Options;
use crate::RunOutcome;
use crate::state::plain;

pub use puppetdb::store_report;

/// The version of Puppet whose reports these are.
const PUPPET: &str = "7.23.0";

/// States of resources in metrics.
const STATES: [&str; 8] =
    ["skipped", "failed", "failed_to_restart", "restarted", "changed", "out_of_sync", "scheduled", "corrective_change"];

/// The report of a run that took `elapsed` in all.
#[must_use]
pub fn report(outcome: &RunOutcome, catalog: &Catalog, options: &Options, elapsed: Duration) -> Json {
    let has_failed = outcome.resources.iter().any(|resource| resource.status.blocks_dependents());
    let changes: usize = outcome.resources.iter().map(|resource| resource.status.change_count).sum();
    let status = match () {
        () if has_failed || outcome.failed_to_generate || !outcome.is_complete => "failed",
        () if changes > 0 => "changed",
        () => "unchanged",
    };
    let events = || outcome.resources.iter().flat_map(|resource| &resource.status.events);
    let started = outcome.resources.iter().map(|resource| resource.status.time).min();
    let version = match &catalog.version {
        Version::Seconds(seconds) => Json::from(*seconds),
        Version::Text(text) => Json::from(&**text),
    };
    let statuses: Map<String, Json> =
        outcome.resources.iter().map(|resource| (resource.reference.to_string(), resource_status(resource))).collect();
    json!({
        "host": &*catalog.name,
        "time": iso8601(started.unwrap_or(SystemTime::UNIX_EPOCH)),
        "configuration_version": version,
        "transaction_uuid": &*catalog.uuid,
        "report_format": 12,
        "puppet_version": PUPPET,
        "status": status,
        "transaction_completed": outcome.is_complete,
        "noop": options.noop,
        "noop_pending": events().any(|event| event.status == EventStatus::Noop),
        "environment": &*catalog.environment,
        "logs": outcome.logs.iter().map(log).collect::<Vec<_>>(),
        "metrics": metrics(outcome, changes, elapsed),
        "resource_statuses": statuses,
        "corrective_change": outcome.resources.iter().any(|resource| resource.status.corrective_change),
        "catalog_uuid": &*catalog.uuid,
    })
}

/// A report as YAML.
#[must_use]
pub fn to_yaml(report: &Json) -> String {
    let text = ruby::to_yaml(
        &json::from_json(report),
        ruby::YamlOptions { indentation: None, line_width: None, canonical: false },
    );
    text.unwrap_or_else(|_| format!("{report:#}\n"))
}

fn log(line: &LogLine) -> Json {
    json!({
        "level": line.level.name(),
        "message": line.message,
        "source": line.source,
        "tags": line.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(),
        "time": iso8601(line.time),
        "file": line.position.as_ref().map(|(file, _)| &**file),
        "line": line.position.as_ref().map(|(_, line)| *line),
    })
}

fn resource_status(resource: &Applied) -> Json {
    let status = &resource.status;
    let mut json = json!({
        "title": resource.title,
        "file": resource.position.as_ref().map(|(file, _)| &**file),
        "line": resource.position.as_ref().map(|(_, line)| *line),
        "resource": &*resource.reference,
        "resource_type": resource.resource_type,
        "provider_used": null,
        "containment_path": resource.containment.iter().map(|name| &**name).collect::<Vec<_>>(),
        "evaluation_time": status.evaluation_time.map(|time| time.as_secs_f64()),
        "tags": resource.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(),
        "time": iso8601(status.time),
        "failed": status.failed,
        "failed_to_restart": status.failed_to_restart,
        "changed": status.changed,
        "out_of_sync": status.out_of_sync,
        "skipped": status.skipped,
        "change_count": status.change_count,
        "out_of_sync_count": status.out_of_sync_count,
        "events": status.events.iter().map(event).collect::<Vec<_>>(),
        "corrective_change": status.corrective_change,
    });
    // Puppet has no such key; what reads its reports passes over it.
    if !status.machine_changes.is_empty() {
        json["machine_changes"] = Json::from(status.machine_changes.clone());
    }
    json
}

fn event(event: &Event) -> Json {
    json!({
        "audited": event.audited,
        "property": event.property.as_deref(),
        "previous_value": event.previous.as_ref().map(plain),
        "desired_value": event.desired.as_ref().map(plain),
        "historical_value": event.historical.as_ref().map(plain),
        "message": event.message,
        "name": event.name,
        "status": event.status.name(),
        "time": iso8601(event.time),
        "redacted": event.redacted,
        "corrective_change": event.corrective,
    })
}

fn metrics(outcome: &RunOutcome, changes: usize, elapsed: Duration) -> Json {
    let mut resources: IndexMap<String, Json> = IndexMap::new();
    resources.insert("total".to_owned(), Json::from(outcome.resources.len()));
    for state in STATES {
        let count = outcome.resources.iter().filter(|resource| has_state(resource, state)).count();
        resources.insert(state.to_owned(), Json::from(count));
    }
    let mut times: IndexMap<String, f64> = IndexMap::new();
    for resource in &outcome.resources {
        let seconds = resource.status.evaluation_time.unwrap_or_default().as_secs_f64();
        *times.entry(resource.resource_type.to_lowercase()).or_default() += seconds;
    }
    times.insert("total".to_owned(), elapsed.as_secs_f64());
    let mut events: IndexMap<String, usize> = IndexMap::new();
    for name in ["total", "failure", "success"] {
        events.insert(name.to_owned(), 0);
    }
    for event in outcome.resources.iter().flat_map(|resource| &resource.status.events) {
        *events.entry("total".to_owned()).or_default() += 1;
        *events.entry(event.status.name().to_owned()).or_default() += 1;
    }
    let numbers = |map: IndexMap<String, usize>| map.into_iter().map(|(name, n)| (name, Json::from(n))).collect();
    let times = times.into_iter().map(|(name, n)| (name, Json::from(n))).collect();
    json!({
        "resources": metric("resources", "Resources", resources),
        "time": metric("time", "Time", times),
        "changes": metric("changes", "Changes", IndexMap::from([("total".to_owned(), Json::from(changes))])),
        "events": metric("events", "Events", numbers(events)),
    })
}

fn metric(name: &str, label: &str, values: IndexMap<String, Json>) -> Json {
    let mut values: Vec<(String, Json)> = values.into_iter().collect();
    // Puppet sorts by label, the total first.
    values.sort_by(|(a, _), (b, _)| (a != "total").cmp(&(b != "total")).then_with(|| a.cmp(b)));
    let values: Vec<Json> = values.into_iter().map(|(name, value)| json!([name, labelize(&name), value])).collect();
    json!({"name": name, "label": label, "values": values})
}

/// `failed_to_restart` as `Failed to restart` (Puppet::Util::Metric.labelize).
fn labelize(name: &str) -> String {
    catwalk_value::types::capitalize(&name.replace('_', " "))
}

fn has_state(resource: &Applied, state: &str) -> bool {
    let status = &resource.status;
    match state {
        "skipped" => status.skipped,
        "failed" => status.failed,
        "failed_to_restart" => status.failed_to_restart,
        "restarted" => status.restarted,
        "changed" => status.changed,
        "out_of_sync" => status.out_of_sync,
        "scheduled" => status.scheduled,
        _ => status.corrective_change,
    }
}

/// A time as reports have it: `2026-11-24T18:12:03.123456789+00:00`.
#[must_use]
pub fn iso8601(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (days, rest) = (since.as_secs() / 86400, since.as_secs() % 86400);
    let days = i64::try_from(days).unwrap_or(0);
    // The year is at most one off.
    let mut year = 1970 + days / 366;
    while days_from_civil(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_from_civil(year, month + 1, 1) <= days {
        month += 1;
    }
    let day = days - days_from_civil(year, month, 1) + 1;
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:09}+00:00", since.subsec_nanos())
}
