//! The report of a run in Puppet's format 12 and in PuppetDB's format (Puppet::Transaction::Report).

mod puppetdb;

use std::sync::Arc;
use std::time::Duration;
use std::time::SystemTime;

use indexmap::IndexMap;
use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use catwalk_catalog::Catalog;
use catwalk_catalog::Version;
use catwalk_value::days_from_civil;
use catwalk_value::json;
use catwalk_value::ruby;

use crate::AppliedResource;
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

/// The node, environment, run and catalog of a report.
#[derive(Clone, PartialEq, Debug)]
pub struct Subject {
    /// The certname of the node.
    pub host: Arc<str>,
    /// The name of the environment.
    pub environment: Arc<str>,
    /// The UUID of the run.
    pub transaction_uuid: Arc<str>,
    /// Version and UUID of the catalog; `None` if its compile failed.
    pub catalog: Option<(Version, Arc<str>)>,
}

impl From<&Catalog> for Subject {
    fn from(catalog: &Catalog) -> Subject {
        Subject {
            host: catalog.name.clone(),
            environment: catalog.environment.clone(),
            transaction_uuid: catalog.uuid.clone(),
            catalog: Some((catalog.version.clone(), catalog.uuid.clone())),
        }
    }
}

/// The times of the parts of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Times {
    /// The start of the run.
    pub started: SystemTime,
    /// The time since then.
    pub total: Duration,
    /// The time for compiling or reading the catalog; `None` if that failed.
    pub retrieval: Option<Duration>,
    /// The time for applying the catalog; `None` if it was refused.
    pub application: Option<Duration>,
}

/// The report of a run that has just ended.
#[must_use]
pub fn build_report(outcome: &RunOutcome, subject: &Subject, options: &Options, times: &Times) -> Json {
    let has_failed = outcome.resources.iter().any(|resource| resource.status.blocks_dependents());
    let changes: usize = outcome.resources.iter().map(|resource| resource.status.change_count).sum();
    let status = match () {
        () if has_failed || outcome.failed_to_generate || !outcome.is_complete => "failed",
        () if changes > 0 => "changed",
        () => "unchanged",
    };
    let events = || outcome.resources.iter().flat_map(|resource| &resource.status.events);
    // Puppet records no resources if a catalog cannot be applied at all.
    let catalog = subject.catalog.as_ref().filter(|_| outcome.is_prepared);
    let version = match catalog {
        None => Json::Null,
        Some((Version::Seconds(seconds), _)) => Json::from(*seconds),
        Some((Version::Text(text), _)) => Json::from(&**text),
    };
    let statuses: Map<String, Json> =
        outcome.resources.iter().map(|resource| (resource.reference.to_string(), resource_status(resource))).collect();
    let mut report = json!({
        "host": &*subject.host,
        "time": iso8601(times.started),
        "configuration_version": version,
        "transaction_uuid": &*subject.transaction_uuid,
        "report_format": 12,
        "puppet_version": PUPPET,
        "status": status,
        "transaction_completed": outcome.is_complete,
        "noop": options.noop,
        "noop_pending": events().any(|event| event.status == EventStatus::Noop),
        "environment": &*subject.environment,
        "logs": outcome.logs.iter().map(log).collect::<Vec<_>>(),
        "metrics": metrics(outcome, changes, times),
        "resource_statuses": statuses,
        "corrective_change": outcome.resources.iter().any(|resource| resource.status.corrective_change),
    });
    if let Some((_, uuid)) = catalog {
        report["catalog_uuid"] = Json::from(&**uuid);
    }
    // Catwalk never applies a catalog of an earlier run.
    report["cached_catalog_status"] = Json::from("not_used");
    report
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
        "file": line.file.as_deref(),
        "line": line.line,
    })
}

fn resource_status(resource: &AppliedResource) -> Json {
    let status = &resource.status;
    let mut json = json!({
        "title": resource.title,
        "file": resource.position.as_ref().map(|(file, _)| &**file),
        "line": resource.position.as_ref().map(|(_, line)| *line),
        "resource": &*resource.reference,
        "resource_type": resource.resource_type,
        "provider_used": resource.provider.as_deref(),
        "containment_path": resource.path.parts(),
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
    // Puppet has no such key; readers of its reports ignore it.
    if !status.machine_changes.is_empty() {
        json["machine_changes"] = Json::from(status.machine_changes.clone());
    }
    json
}

fn event(event: &Event) -> Json {
    // As in Puppet, null for properties that are not secret.
    let redacted = Some(event.redacted).filter(|redacted| *redacted || event.property.is_none());
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
        "redacted": redacted,
        "corrective_change": event.corrective,
    })
}

fn metrics(outcome: &RunOutcome, changes: usize, times: &Times) -> Json {
    let mut resources: IndexMap<&str, usize> = IndexMap::from([("total", outcome.resources.len())]);
    for state in STATES {
        let count = outcome.resources.iter().filter(|resource| has_state(resource, state)).count();
        resources.insert(state, count);
    }
    let mut events: IndexMap<&str, usize> = ["total", "failure", "success"].map(|name| (name, 0)).into_iter().collect();
    for event in outcome.resources.iter().flat_map(|resource| &resource.status.events) {
        *events.entry("total").or_default() += 1;
        *events.entry(event.status.name()).or_default() += 1;
    }
    json!({
        "resources": metric("resources", resources),
        "time": metric("time", seconds(outcome, times)),
        "changes": metric("changes", IndexMap::from([("total", changes)])),
        "events": metric("events", events),
    })
}

/// The seconds that each type and each part of the run took.
fn seconds(outcome: &RunOutcome, times: &Times) -> IndexMap<String, f64> {
    let mut seconds: IndexMap<String, f64> = IndexMap::new();
    let evaluated =
        |resource: &'_ AppliedResource| Some((resource.resource_type.to_lowercase(), resource.status.evaluation_time?));
    for (name, time) in outcome.resources.iter().filter_map(evaluated) {
        *seconds.entry(name).or_default() += time.as_secs_f64();
    }
    let parts = [
        ("config_retrieval", times.retrieval.filter(|_| outcome.is_prepared)),
        ("transaction_evaluation", outcome.evaluation_time),
        ("catalog_application", times.application),
        ("total", Some(times.total)),
    ];
    seconds.extend(parts.into_iter().filter_map(|(name, time)| Some((name.to_owned(), time?.as_secs_f64()))));
    seconds
}

fn metric<K: AsRef<str>, N: Into<Json>>(name: &str, values: IndexMap<K, N>) -> Json {
    let value = |(name, value): (K, N)| {
        let value: Json = value.into();
        json!([name.as_ref(), labelize(name.as_ref()), value])
    };
    json!({"name": name, "label": labelize(name), "values": values.into_iter().map(value).collect::<Vec<_>>()})
}

/// `failed_to_restart` as `Failed to restart` (Puppet::Util::Metric.labelize).
fn labelize(name: &str) -> String {
    catwalk_value::capitalize(&name.replace('_', " "))
}

fn has_state(resource: &AppliedResource, state: &str) -> bool {
    let status = &resource.status;
    match state {
        "skipped" => status.skipped,
        "failed" => status.failed,
        "failed_to_restart" => status.failed_to_restart,
        "restarted" => status.restarted,
        "changed" => status.changed,
        "out_of_sync" => status.out_of_sync,
        // Puppet reports none, since it replaces the status with this state.
        "scheduled" => false,
        _ => status.corrective_change,
    }
}

/// A time in the format of reports: `2026-11-24T18:12:03.123456789+00:00`.
#[must_use]
pub fn iso8601(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (days, rest) = (since.as_secs() / 86400, since.as_secs() % 86400);
    let days = i64::try_from(days).unwrap_or(0);
    // The estimate of the year is off by at most one.
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
