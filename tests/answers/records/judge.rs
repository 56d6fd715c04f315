//! Compares errors, values, catalogs and logs with the recorded ones.

use catwalk::diag::Diagnostic;
use catwalk::source::SourceMap;
use catwalk::value::Value;
use catwalk::value::to_program;
use serde_json::Value as Json;

use super::Verdict;
use super::texts::of;

/// Compares an error: its message with its location.
pub(crate) fn error(wanted: &Json, got: &Diagnostic, sources: &SourceMap) -> Verdict {
    let got = got.puppet_text(sources);
    let wanted = of(&wanted["message"]);
    if same_error(&wanted, &got) {
        Verdict::Same
    } else {
        Verdict::Other(format!("error: {wanted}"), format!("error: {got}"))
    }
}

/// Puppet puts the environment before the message of a parse error, and the node after it. The file of some snippets is the
/// spec that contains them.
fn same_error(wanted: &str, got: &str) -> bool {
    let wanted = &without_specification(wanted);
    fn plain(text: &str) -> &str {
        let text = text.strip_prefix("Could not parse for environment ").and_then(|rest| rest.split_once(": "));
        text.map_or("", |(_, rest)| rest)
    }
    wanted.trim_end() == got.trim_end() || plain(wanted).trim_end() == got.trim_end()
}

fn without_specification(text: &str) -> String {
    let Some((before, rest)) = text.split_once("file: /SRC/spec/") else { return text.to_owned() };
    let Some((file, rest)) = rest.split_once("_spec.rb, ") else { return text.to_owned() };
    if file.contains(' ') { text.to_owned() } else { format!("{before}{rest}") }
}

/// Compares a value, recorded as Puppet source code.
pub(crate) fn value(wanted: &Json, got: &Value) -> Verdict {
    let wanted = wanted["pcore"].as_str().unwrap_or_default();
    let text = to_program(got);
    // The recorded source may write the same value differently. Two times are never equal as keys.
    let alike = |wanted: &Value| {
        wanted == got || (std::mem::discriminant(wanted) == std::mem::discriminant(got) && to_program(wanted) == text)
    };
    let same = text == wanted || catwalk::compile::probe::value(wanted).is_ok_and(|wanted| alike(&wanted));
    if same { Verdict::Same } else { Verdict::Other(wanted.to_owned(), text) }
}

/// Compares catalogs without the parts that differ from run to run.
pub(crate) fn catalog(wanted: &Json, got: &Json) -> Verdict {
    let (wanted, got) = (plain(wanted), plain(got));
    if wanted == got {
        return Verdict::Same;
    }
    let text = |json: &Json| serde_json::to_string_pretty(json).unwrap();
    let (wanted, got) = (text(&wanted), text(&got));
    let (wanted, got): (Vec<&str>, Vec<&str>) = (wanted.lines().collect(), got.lines().collect());
    let at = wanted.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(wanted.len().min(got.len()));
    let part = |lines: &[&str]| {
        let lines = lines.iter().skip(at.saturating_sub(6)).take(14);
        format!("a catalog, line {}:\n{}", at + 1, lines.map(|line| format!("  {line}\n")).collect::<String>())
    };
    Verdict::Other(part(&wanted), part(&got))
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
pub(crate) fn logs(wanted: &Json, got: &[Diagnostic], sources: &SourceMap) -> Verdict {
    let cut = |text: &str| {
        let at = text.find("\n   (").or_else(|| text.rfind(" (file: ")).or_else(|| text.rfind(" (line: "));
        text[..at.unwrap_or(text.len())].trim_end().to_owned()
    };
    let wanted: Vec<String> = wanted
        .as_array()
        .into_iter()
        .flatten()
        .filter(|line| !matches!(line["level"].as_str(), Some("debug" | "info")))
        // The spec had already loaded the function.
        .filter(|line| !of(&line["message"]).starts_with("Overwriting previous definition"))
        .map(|line| {
            let level = of(&line["level"]);
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
            format!("{level}: {}{}", cut(&line.said()), at.unwrap_or_default())
        })
        .collect();
    // Some records have no line numbers.
    let same = wanted.len() == got.len()
        && wanted.iter().zip(&got).all(|(wanted, got)| {
            wanted == got || (!wanted.contains(" @") && got.rsplit_once(" @").is_some_and(|(got, _)| got == wanted))
        });
    if same { Verdict::Same } else { Verdict::Other(format!("log {wanted:#?}"), format!("log {got:#?}")) }
}
