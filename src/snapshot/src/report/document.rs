//! Results as a JSON document.

use serde_json::Value as Json;
use serde_json::json;

use crate::hunks::Hunk;
use crate::hunks::Kind;
use crate::report::Counts;
use crate::report::group_by_messages;
use crate::report::messages;
use crate::report::state_name;
use crate::run::Report;
use catwalk_value::json::to_json;

/// The report: `{"ok", "counts", "cases", "problems", "classification", "orphans", "idle_rules", "seconds"}`.
#[must_use]
pub fn of(report: &Report) -> Json {
    let counts = Counts::of(report);
    let cases: Vec<Json> = report
        .results
        .iter()
        .map(|result| {
            json!({
                "name": result.case.name,
                "title": result.case.title,
                "source": result.case.source,
                "line": result.case.line,
                "result": state_name(result),
                "ok": result.is_ok(),
                "resources": result.resources,
                "seconds": result.elapsed.as_secs_f64(),
                "error": result.error,
                "failures": result.failures,
                "changes": result.hunks().iter().map(change).collect::<Vec<_>>(),
            })
        })
        .collect();
    let failing = report.results.iter().map(|result| (result.case.name.as_str(), messages(result)));
    let failing = failing.filter(|(_, messages)| !messages.is_empty());
    let problems: Vec<Json> = group_by_messages(failing)
        .into_iter()
        .map(|(messages, cases)| json!({"messages": messages, "cases": cases}))
        .collect();
    json!({
        "ok": report.is_ok(),
        "counts": {
            "passed": counts.passed, "changed": counts.changed, "new": counts.new, "accepted": counts.accepted,
            "failed": counts.failed,
        },
        "cases": cases,
        "problems": problems,
        "classification": report.classified.iter().map(|case| to_json(&case.verdict.document())).collect::<Vec<_>>(),
        "orphans": report.orphans,
        "idle_rules": report.idle_rules,
        "seconds": report.elapsed.as_secs_f64(),
    })
}

/// A part of a change.
#[must_use]
pub fn change(hunk: &Hunk) -> Json {
    let kind = match hunk.kind {
        Kind::Added => "added",
        Kind::Removed => "removed",
        Kind::Changed => "changed",
        Kind::Whole => "whole",
    };
    json!({"kind": kind, "resource": hunk.reference, "parameters": hunk.parameters, "text": hunk.text})
}
