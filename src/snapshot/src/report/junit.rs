//! Results in the XML of JUnit, which build servers read: the one writer of all commands.
//!
//! In: a [`Report`], or results of other tests as [`TestCase`]s. Out: XML. Must not: read files.

use std::path::Path;
use std::time::Duration;

use quick_junit as xml;

use crate::report::state_name;
use crate::run::CaseResult;
use crate::run::Report;
use catwalk_base::diag::visible::visible;

/// The result of a test.
#[derive(Clone, Debug, Default)]
pub struct TestCase {
    /// A group of tests.
    pub class: String,
    /// The name in the group.
    pub name: String,
    /// The file that defines it.
    pub file: String,
    /// The line in the file, from 1, if it is known.
    pub line: Option<u32>,
    /// How long it took.
    pub elapsed: Duration,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// What it printed.
    pub output: String,
}

/// Why a test failed.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// A word for the kind of the failure.
    pub kind: Option<String>,
    /// The failure in a line.
    pub message: String,
    /// The failure at length.
    pub text: String,
}

/// A string for XML 1.0, without loss: characters that it does not allow become visible signs.
fn clean(text: &str) -> String {
    visible(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// The document of a suite of tests.
#[must_use]
pub fn document(suite: &str, elapsed: Duration, cases: &[TestCase]) -> String {
    let mut tests = xml::TestSuite::new(suite);
    tests.set_time(elapsed);
    for case in cases {
        let status = match &case.failure {
            None => xml::TestCaseStatus::success(),
            Some(failure) => {
                let mut status = xml::TestCaseStatus::non_success(xml::NonSuccessKind::Failure);
                status.set_message(clean(&failure.message)).set_description(clean(&failure.text));
                if let Some(kind) = &failure.kind {
                    status.set_type(kind);
                }
                status
            }
        };
        let mut test = xml::TestCase::new(clean(&case.name), status);
        test.set_classname(clean(&case.class)).set_time(case.elapsed);
        if !case.file.is_empty() {
            test.extra.insert("file".into(), clean(&case.file).into());
        }
        if let Some(line) = case.line {
            test.extra.insert("line".into(), line.to_string().into());
        }
        if !case.output.is_empty() {
            test.set_system_out(clean(&case.output));
        }
        tests.add_test_case(test);
    }
    let mut report = xml::Report::new(suite);
    report.set_time(elapsed).add_test_suite(tests);
    // Writing to a string fails only for characters that XML does not allow.
    report.to_string().unwrap_or_default()
}

/// The document of a report. `site`: the path of the site in its repository, to which the files of cases are relative.
#[must_use]
pub fn write(report: &Report, site: &Path) -> String {
    let file = |source: &str| match source.is_empty() {
        true => String::new(),
        false => site.join(source).display().to_string(),
    };
    let mut cases: Vec<TestCase> = Vec::with_capacity(report.results.len());
    for result in &report.results {
        let (class, name) = result.case.name.split_once('/').unwrap_or(("nodes", &result.case.name));
        cases.push(TestCase {
            class: class.to_owned(),
            name: name.to_owned(),
            file: file(&result.case.source),
            line: Some(result.case.line),
            elapsed: result.elapsed,
            failure: (!result.is_ok()).then(|| failure(result)),
            output: String::new(),
        });
    }
    for case in &report.classified {
        let failures = &case.verdict.failures;
        cases.push(TestCase {
            class: "classification".to_owned(),
            name: case.verdict.name.clone(),
            file: file(&case.source),
            line: Some(case.line),
            failure: failures.first().map(|first| Failure {
                kind: Some("failed".to_owned()),
                message: first.clone(),
                text: failures.join("\n"),
            }),
            ..TestCase::default()
        });
    }
    document("catwalk", report.elapsed, &cases)
}

/// The problem of a case, in a line and at length.
fn failure(result: &CaseResult) -> Failure {
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
    let state = state_name(result);
    let message = if state == "new" { "there is no snapshot yet".to_owned() } else { message };
    Failure { kind: Some(state.to_owned()), message, text }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;

    /// Hostile strings arrive whole: no character is lost, none breaks the document.
    #[test]
    fn any_string_can_be_a_name_a_message_or_a_text() {
        let hostile: Vec<String> = (0..=0xffff_u32)
            .filter_map(char::from_u32)
            .collect::<Vec<char>>()
            .chunks(512)
            .map(|chunk| chunk.iter().collect())
            .chain([
                "\u{1b}]0;title\u{7}rest".to_owned(),
                "]]></failure><x a='\"'>&#0;".to_owned(),
                "a\u{1b}[31mb".to_owned(),
            ])
            .collect();
        for text in &hostile {
            let case = TestCase {
                class: text.clone(),
                name: text.clone(),
                file: text.clone(),
                line: Some(3),
                failure: Some(Failure { kind: None, message: text.clone(), text: text.clone() }),
                output: text.clone(),
                ..TestCase::default()
            };
            let document = document("s", Duration::ZERO, &[case]);
            let report = xml::Report::deserialize_from_str(&document).unwrap();
            let read = report.test_suites.first().unwrap().test_cases.first().unwrap();
            let expected = clean(text);
            let spaces = |text: &str| text.replace(['\n', '\t'], " ").replace("  ", " ");
            assert_eq!(spaces(read.name.as_str()), spaces(&expected));
            assert_eq!(read.extra.get("line").unwrap().as_str(), "3");
            let xml::TestCaseStatus::NonSuccess { message, description, .. } = &read.status else {
                panic!("{document}")
            };
            assert_eq!(spaces(message.as_ref().unwrap().as_str()), spaces(&expected));
            assert_eq!(spaces(description.as_ref().unwrap().as_str()).trim(), spaces(&expected).trim());
            assert!(document.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
        }
    }
}
