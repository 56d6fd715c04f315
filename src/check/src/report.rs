//! Diagnostics for programs.

use std::collections::BTreeSet;
use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;
use serde_json::json;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::diag::codes;
use catwalk_base::source::SourceMap;
use catwalk_messages::below_repository;
use catwalk_world::Disk;

/// The name of the file of a mistake, its path, and the first and last line and column, counted from 1.
fn region(diagnostic: &Diagnostic, sources: &SourceMap) -> Option<(String, Option<PathBuf>, [u32; 4])> {
    if let Some(location) = diagnostic.data_location() {
        let (line, column) = (location.line, location.column);
        return Some((location.path.display().to_string(), Some(location.path.clone()), [line, column, line, column]));
    }
    let span = diagnostic.span?;
    let source = sources.get(span.file)?;
    let (line, column) = source.line_column(span.start);
    let (end_line, end_column) = source.line_column(span.end.max(span.start));
    Some((source.name.to_string(), source.path.clone(), [line, column, end_line, end_column]))
}

fn severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        Severity::Debug | Severity::Info | Severity::Notice => "note",
        Severity::Warning => "warning",
        _ => "error",
    }
}

/// `{"errors", "warnings", "diagnostics": [{"file", "line", "column", "end_line", "end_column", "severity", "code",
/// "message", "help"}]}`
#[must_use]
pub fn json(diagnostics: &[Diagnostic], sources: &SourceMap) -> Value {
    let list: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let region = region(diagnostic, sources);
            let number = |index: usize| region.as_ref().and_then(|(_, _, numbers)| numbers.get(index).copied());
            json!({
                "file": region.as_ref().map(|(file, ..)| file),
                "line": number(0),
                "column": number(1),
                "end_line": number(2),
                "end_column": number(3),
                "severity": severity(diagnostic),
                "code": diagnostic.code.as_str(),
                "message": sources.hide(&diagnostic.message),
                "help": diagnostic.help.as_ref().map(|help| sources.hide(help)),
            })
        })
        .collect();
    let errors = diagnostics.iter().filter(|found| found.severity >= Severity::Error).count();
    json!({ "errors": errors, "warnings": diagnostics.len() - errors, "diagnostics": list })
}

/// A SARIF log of one run. `here`: the current directory. Addresses of files are relative to the repository (`%SRCROOT%`).
#[must_use]
pub fn sarif(diagnostics: &[Diagnostic], sources: &SourceMap, here: &Path, world: &Disk) -> Value {
    let codes: BTreeSet<Code> = diagnostics.iter().map(|found| found.code).collect();
    let codes: Vec<Code> = codes.into_iter().collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule(*code)).collect();
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let help = diagnostic.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
            let mut result = json!({
                "ruleId": diagnostic.code.as_str(),
                "ruleIndex": codes.binary_search(&diagnostic.code).unwrap_or_default(),
                "level": severity(diagnostic),
                "message": { "text": sources.hide(&format!("{}{help}", diagnostic.message)) },
            });
            if let Some(location) = location(diagnostic, sources, here, world) {
                result["locations"] = json!([{ "physicalLocation": location }]);
            }
            result
        })
        .collect();
    let driver = json!({
        "name": "catwalk",
        "version": env!("CARGO_PKG_VERSION"),
        "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "rules": rules,
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    })
}

/// The address of the file of a mistake and its region.
fn location(diagnostic: &Diagnostic, sources: &SourceMap, here: &Path, world: &Disk) -> Option<Value> {
    let (name, path, [line, column, end_line, end_column]) = region(diagnostic, sources)?;
    let path = path.map(|path| below_repository(&path, here, world));
    let artifact = match path {
        // A file outside of the repository has an absolute address.
        Some(path) if path.is_absolute() => json!({ "uri": format!("file://{}", encoded(&path.to_string_lossy())) }),
        Some(path) => json!({ "uri": encoded(&path.to_string_lossy()), "uriBaseId": "%SRCROOT%" }),
        None => json!({ "uri": encoded(&name) }),
    };
    Some(json!({
        "artifactLocation": artifact,
        "region": { "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column },
    }))
}

/// The description of a code: its meaning first, then usual causes and what to do.
fn rule(code: Code) -> Value {
    let text = codes::entries().find(|entry| entry.code == code).map(codes::Entry::text).unwrap_or_default();
    let meaning = text.lines().next().unwrap_or(code.as_str());
    json!({
        "id": code.as_str(),
        "name": code.as_str(),
        "shortDescription": { "text": meaning },
        "help": { "text": text, "markdown": text },
        "helpUri": format!("{}/blob/main/docs/errors.md#{}", env!("CARGO_PKG_REPOSITORY"), code.as_str().to_lowercase()),
    })
}

/// A path as part of an address (RFC 3986).
fn encoded(path: &str) -> String {
    path.trim_start_matches("./").split('/').map(catwalk_world::url_component).collect::<Vec<_>>().join("/")
}
