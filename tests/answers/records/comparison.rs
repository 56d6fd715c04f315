//! Compares errors, values, catalogs and logs with the recorded ones.

use catwalk_base::diag::Diagnostic;
use catwalk_base::source::SourceMap;
use catwalk_value::Value;
use catwalk_value::to_program;
use serde_json::Value as Json;

use super::Verdict;
use super::parsing::display;

/// Compares an error: its message with its location.
pub(crate) fn error(expected: &Json, got: &Diagnostic, sources: &SourceMap) -> Verdict {
    let got = got.puppet_text(sources);
    let expected = display(&expected["message"]);
    if is_same_error(&expected, &got) {
        Verdict::Same
    } else {
        Verdict::Different(format!("error: {expected}"), format!("error: {got}"))
    }
}

/// Puppet puts the environment before the message of a parse error, and the node after it. The file of some snippets is the
/// spec that contains them.
fn is_same_error(expected: &str, got: &str) -> bool {
    let expected = &without_specification(expected);
    fn plain(text: &str) -> &str {
        let text = text.strip_prefix("Could not parse for environment ").and_then(|rest| rest.split_once(": "));
        text.map_or("", |(_, rest)| rest)
    }
    expected.trim_end() == got.trim_end() || plain(expected).trim_end() == got.trim_end()
}

fn without_specification(text: &str) -> String {
    let Some((before, rest)) = text.split_once("file: /SRC/spec/") else { return text.to_owned() };
    let Some((file, rest)) = rest.split_once("_spec.rb, ") else { return text.to_owned() };
    if file.contains(' ') { text.to_owned() } else { format!("{before}{rest}") }
}

/// Compares a value, recorded as Puppet source code.
pub(crate) fn value(expected: &Json, got: &Value) -> Verdict {
    let expected = expected["pcore"].as_str().unwrap_or_default();
    let text = to_program(got);
    // The recorded source may write the same value differently. Two times are never equal as keys.
    let alike = |expected: &Value| {
        expected == got
            || (std::mem::discriminant(expected) == std::mem::discriminant(got) && to_program(expected) == text)
    };
    let same = text == expected || catwalk_session::probe::value(expected).is_ok_and(|expected| alike(&expected));
    if same { Verdict::Same } else { Verdict::Different(expected.to_owned(), text) }
}

/// Compares catalogs without the parts that differ from run to run.
pub(crate) fn catalog(expected: &Json, got: &Json) -> Verdict {
    let (expected, got) = (plain(expected), plain(got));
    if expected == got {
        return Verdict::Same;
    }
    let text = |json: &Json| serde_json::to_string_pretty(json).unwrap();
    let (expected, got) = (text(&expected), text(&got));
    let (expected, got): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), got.lines().collect());
    let at = expected.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(expected.len().min(got.len()));
    let part = |lines: &[&str]| {
        let lines = lines.iter().skip(at.saturating_sub(6)).take(14);
        format!("a catalog, line {}:\n{}", at + 1, lines.map(|line| format!("  {line}\n")).collect::<String>())
    };
    Verdict::Different(part(&expected), part(&got))
}

fn plain(catalog: &Json) -> Json {
    let mut catalog = sorted(catalog);
    let document = catalog.as_object_mut().unwrap();
    for key in ["version", "catalog_uuid"] {
        document.shift_remove(key);
    }
    for resource in document.get_mut("resources").and_then(Json::as_array_mut).into_iter().flatten() {
        if resource["file"] == "" {
            resource.as_object_mut().unwrap().shift_remove("file");
        }
    }
    catalog
}

fn sorted(json: &Json) -> Json {
    match json {
        Json::Object(map) => {
            let mut entries: Vec<(&String, &Json)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            Json::Object(entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// Compares log lines: level, message and line. The location at the end of a message is ignored.
pub(crate) fn logs(expected: &Json, got: &[Diagnostic], sources: &SourceMap) -> Verdict {
    let cut = |text: &str| {
        let at = text.find("\n   (").or_else(|| text.rfind(" (file: ")).or_else(|| text.rfind(" (line: "));
        text[..at.unwrap_or(text.len())].trim_end().to_owned()
    };
    let expected: Vec<String> = expected
        .as_array()
        .into_iter()
        .flatten()
        .filter(|line| !matches!(line["level"].as_str(), Some("debug" | "info")))
        // The spec had already loaded the function.
        .filter(|line| !display(&line["message"]).starts_with("Overwriting previous definition"))
        .map(|line| {
            let level = display(&line["level"]);
            let source = line["source"].as_str().map(|source| format!("{source}: ")).unwrap_or_default();
            let at = line["line"].as_u64().map(|at| format!(" @{at}")).unwrap_or_default();
            format!("{level}: {source}{}{at}", cut(line["message"].as_str().unwrap_or_default()))
        })
        .collect();
    let got: Vec<String> = got
        .iter()
        .filter(|line| !matches!(line.severity.as_str(), "debug" | "info"))
        // Puppet does not log these.
        .filter(|line| line.code.as_str() != "DEPENDENCY_CYCLE" && !line.message.starts_with("not supported yet: "))
        .map(|line| {
            let at = line.span.and_then(|span| sources.locate(span)).map(|(_, at, _)| format!(" @{at}"));
            let level = if line.severity.as_str() == "error" { "err" } else { line.severity.as_str() };
            format!("{level}: {}{}", cut(&line.message_with_source()), at.unwrap_or_default())
        })
        .collect();
    // Some records have no line numbers.
    let same = expected.len() == got.len()
        && expected.iter().zip(&got).all(|(expected, got)| {
            expected == got
                || (!expected.contains(" @") && got.rsplit_once(" @").is_some_and(|(got, _)| got == expected))
        });
    if same { Verdict::Same } else { Verdict::Different(format!("log {expected:#?}"), format!("log {got:#?}")) }
}
