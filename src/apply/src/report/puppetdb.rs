//! A report as PuppetDB's command `store report`, version 8, takes it.

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

/// The payload of `store report` version 8 for a report in Puppet's format 12. `producer` is the certname of the sender.
#[must_use]
pub fn store_report(report: &Json, producer: Option<&str>) -> Json {
    let of = |name: &str| report.get(name).cloned().unwrap_or(Json::Null);
    let list = |name: &str| report.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let version = match of("configuration_version") {
        Json::String(text) => text,
        other => other.to_string(),
    };
    let end = list("logs").iter().filter_map(|line| line.get("time")).filter_map(Json::as_str).max();
    let end = end.map_or_else(|| of("time"), Json::from);
    json!({
        "certname": of("host"),
        "puppet_version": of("puppet_version"),
        "report_format": of("report_format"),
        "configuration_version": version,
        "start_time": of("time"),
        "end_time": end,
        "producer_timestamp": end,
        "producer": producer,
        "transaction_uuid": of("transaction_uuid"),
        "catalog_uuid": of("catalog_uuid"),
        "code_id": null,
        "job_id": null,
        "cached_catalog_status": null,
        "environment": of("environment"),
        "status": of("status"),
        "noop": of("noop"),
        "noop_pending": of("noop_pending"),
        "corrective_change": of("corrective_change"),
        "metrics": metrics(report),
        "logs": list("logs").iter().map(|line| keep(line, &["file", "line", "level", "message", "source", "tags", "time"])).collect::<Vec<_>>(),
        "resources": resources(report),
        "type": "agent",
    })
}

fn keep(json: &Json, names: &[&str]) -> Json {
    let of = |name: &&str| ((*name).to_owned(), json.get(*name).cloned().unwrap_or(Json::Null));
    Json::Object(names.iter().map(of).collect::<Map<_, _>>())
}

fn metrics(report: &Json) -> Vec<Json> {
    let mut found = Vec::new();
    for (category, metric) in report.get("metrics").and_then(Json::as_object).into_iter().flatten() {
        for value in metric.get("values").and_then(Json::as_array).into_iter().flatten() {
            found.push(json!({"category": category, "name": value.get(0), "value": value.get(2)}));
        }
    }
    found
}

/// Resources that were skipped or have events, as the terminus sends them.
fn resources(report: &Json) -> Vec<Json> {
    let statuses = report.get("resource_statuses").and_then(Json::as_object).into_iter().flatten();
    let wanted = statuses.map(|(_, status)| status).filter(|status| {
        let has_events = status.get("events").and_then(Json::as_array).is_some_and(|events| !events.is_empty());
        has_events || status.get("skipped") == Some(&Json::Bool(true))
    });
    wanted
        .map(|status| {
            let of = |name: &str| status.get(name).cloned().unwrap_or(Json::Null);
            let events = status.get("events").and_then(Json::as_array).into_iter().flatten();
            let events: Vec<Json> = events
                .map(|event| {
                    let mut kept = keep(event, &["status", "property", "name", "message", "corrective_change"]);
                    kept["timestamp"] = event.get("time").cloned().unwrap_or(Json::Null);
                    kept["new_value"] = event.get("desired_value").cloned().unwrap_or(Json::Null);
                    kept["old_value"] = event.get("previous_value").cloned().unwrap_or(Json::Null);
                    kept
                })
                .collect();
            json!({
                "timestamp": of("time"),
                "resource_type": of("resource_type"),
                "resource_title": of("title"),
                "skipped": of("skipped"),
                "file": of("file"),
                "line": of("line"),
                "containment_path": of("containment_path"),
                "corrective_change": of("corrective_change"),
                "events": events,
            })
        })
        .collect()
}
