//! Results in the XML of JUnit, which build servers read.

use crate::report::Counts;
use crate::report::state_name;
use crate::run::CaseResult;
use crate::run::Report;

/// Escapes a string for XML; characters that XML does not allow are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// The report.
#[must_use]
pub fn write(report: &Report) -> String {
    let counts = Counts::of(report);
    let bad = counts.changed + counts.new + counts.failed;
    let head = format!("tests=\"{}\" failures=\"{bad}\" time=\"{:.3}\"", counts.total(), report.elapsed.as_secs_f64());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!("<testsuites name=\"catwalk\" {head}>\n  <testsuite name=\"catwalk\" {head}>\n"));
    for result in &report.results {
        let (class, name) = result.case.name.split_once('/').unwrap_or(("nodes", &result.case.name));
        let time = result.elapsed.as_secs_f64();
        out.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{time:.3}\"",
            escaped(class),
            escaped(name)
        ));
        if result.is_ok() {
            out.push_str("/>\n");
        } else {
            let (message, text) = failure(result);
            out.push_str(&format!(
                ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                state_name(result),
                escaped(&message),
                escaped(&text)
            ));
        }
    }
    for verdict in &report.classified {
        out.push_str(&format!(
            "    <testcase classname=\"classification\" name=\"{}\" time=\"0\"",
            escaped(&verdict.name)
        ));
        match verdict.failures.first() {
            None => out.push_str("/>\n"),
            Some(first) => out.push_str(&format!(
                ">\n      <failure type=\"failed\" message=\"{}\">{}</failure>\n    </testcase>\n",
                escaped(first),
                escaped(&verdict.failures.join("\n"))
            )),
        }
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// The problem of a case, in a line and at length.
fn failure(result: &CaseResult) -> (String, String) {
    let changes: String = result.hunks().iter().map(|hunk| hunk.text.as_str()).collect();
    let mut text = result.failures.join("\n");
    if !text.is_empty() && !changes.is_empty() {
        text.push('\n');
    }
    text.push_str(&changes);
    if let Some(error) = &result.error {
        text.push_str(error);
    }
    let message = match (result.failures.first(), result.hunks().len()) {
        (Some(first), _) => first.lines().next().unwrap_or_default().to_owned(),
        (None, 1) => "the catalog differs from its snapshot in one place".to_owned(),
        (None, places) => format!("the catalog differs from its snapshot in {places} places"),
    };
    let message = if state_name(result) == "new" { "there is no snapshot yet".to_owned() } else { message };
    (message, text)
}
