//! Diagnostics for programs.

use std::collections::BTreeSet;

use serde_json::Value;
use serde_json::json;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;

/// The first and last line and column of a span, counted from 1.
fn region(span: Span, sources: &SourceMap) -> Option<(String, [u32; 4])> {
    let source = sources.get(span.file)?;
    let (line, column) = source.line_column(span.start);
    let (end_line, end_column) = source.line_column(span.end.max(span.start));
    Some((source.name.to_string(), [line, column, end_line, end_column]))
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
pub(super) fn json(diagnostics: &[Diagnostic], sources: &SourceMap) -> Value {
    let list: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let region = diagnostic.span.and_then(|span| region(span, sources));
            let number = |index: usize| region.as_ref().and_then(|(_, numbers)| numbers.get(index).copied());
            json!({
                "file": region.as_ref().map(|(file, _)| file),
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

/// A SARIF log of one run.
pub(super) fn sarif(diagnostics: &[Diagnostic], sources: &SourceMap) -> Value {
    let codes: BTreeSet<&str> = diagnostics.iter().map(|found| found.code.as_str()).collect();
    let rules: Vec<Value> = codes.iter().map(|code| json!({ "id": code })).collect();
    let results: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let mut result = json!({
                "ruleId": diagnostic.code.as_str(),
                "level": severity(diagnostic),
                "message": { "text": sources.hide(&diagnostic.message) },
            });
            if let Some((file, [line, column, end_line, end_column])) =
                diagnostic.span.and_then(|span| region(span, sources))
            {
                result["locations"] = json!([{
                    "physicalLocation": {
                        "artifactLocation": { "uri": file },
                        "region": {
                            "startLine": line,
                            "startColumn": column,
                            "endLine": end_line,
                            "endColumn": end_column,
                        },
                    },
                }]);
            }
            result
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "catwalk", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "results": results,
        }],
    })
}
