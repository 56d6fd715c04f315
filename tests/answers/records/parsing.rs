//! Cases of the parser: trees and issues.

use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_syntax as syntax;
use serde_json::Value as Json;

use super::Verdict;
use super::comparison;

/// The contents of a JSON string; any other value as JSON.
pub(crate) fn display(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

fn parsed(record: &Json) -> (SourceMap, syntax::ast::File, Vec<catwalk_base::diag::Diagnostic>) {
    let code = record["code"].as_str().unwrap();
    let path = record["path"].as_str().filter(|path| !path.is_empty());
    let sources = SourceMap::new();
    let id = sources.add(path.map(Path::new), path.unwrap_or(""), Arc::from(code));
    let placement = match path {
        Some(path) if path.starts_with("path/") => syntax::Placement::in_module(Path::new(&path[5..])),
        _ => syntax::Placement::Anywhere,
    };
    let strict = match record["settings"]["strict"].as_str() {
        Some("error") => syntax::Strict::Error,
        Some("off") => syntax::Strict::Off,
        _ => syntax::Strict::Warning,
    };
    let options = syntax::Options { template: record["epp"] == true, placement, strict, ..Default::default() };
    let (file, diagnostics) = syntax::parse_with(&sources, id, &options);
    (sources, file, diagnostics)
}

/// Compares the tree, or the first error.
pub(crate) fn parse(record: &Json) -> Verdict {
    if record["settings"]["tasks"] == true {
        return Verdict::Skipped("the language of plans");
    }
    let (sources, file, mut diagnostics) = parsed(record);
    if record["expect"]["pn"].is_string() {
        // The record has a tree although validation fails: parse without validation.
        let id = sources.find(record["path"].as_str().unwrap_or("")).unwrap();
        diagnostics = syntax::parse_only(&sources, id, record["epp"] == true).1;
    }
    let expect = &record["expect"];
    let error = diagnostics.iter().find(|found| found.severity >= Severity::Error);
    match (expect["pn"].as_str(), error) {
        (Some(expected), None) => {
            let got = syntax::pn::dump(&file, record["code"].as_str().unwrap());
            if got == expected { Verdict::Same } else { Verdict::Different(expected.to_owned(), got) }
        }
        (Some(expected), Some(error)) => Verdict::Different(expected.to_owned(), error.puppet_text(&sources)),
        (None, Some(error)) => comparison::error(&expect["error"], error, &sources),
        (None, None) => Verdict::Different(expect["error"].to_string(), "a tree".to_owned()),
    }
}

/// Compares all errors and warnings.
pub(crate) fn validate(record: &Json) -> Verdict {
    if record["tasks_mode"] == true || record["settings"]["tasks"] == true {
        return Verdict::Skipped("the language of plans");
    }
    let (sources, _, diagnostics) = parsed(record);
    let got: Vec<String> = diagnostics
        .iter()
        .map(|found| {
            let (line, column) =
                found.span.and_then(|span| sources.locate(span)).map_or((0, 0), |(_, line, column)| (line, column));
            format!("{} {} {} {line}:{column}", found.severity.as_str(), found.code.as_str(), found.message)
        })
        .collect();
    let expected: Vec<String> = record["expect"]["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| {
            let severity = if issue["severity"] == "warning" { "warning" } else { "error" };
            let at = |key: &str| issue[key].as_u64().unwrap_or(0);
            format!(
                "{severity} {} {} {}:{}",
                display(&issue["code"]),
                display(&issue["message"]),
                at("line"),
                at("pos")
            )
        })
        .collect();
    let got: Vec<String> = got
        .into_iter()
        .map(|line| line.strip_prefix("err ").map(|rest| format!("error {rest}")).unwrap_or(line))
        .collect();
    if got == expected { Verdict::Same } else { Verdict::Different(expected.join("\n       "), got.join("\n       ")) }
}
