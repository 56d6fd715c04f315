//! The results of tests as annotations: unmet expectations at their cases, changed catalogs at the changed resources, errors of compiles
//! at their code. Equal ones of several cases once.
//!
//! In: a [`Report`]. Out: [`Annotation`]s. Must not: print.

use std::path::Path;

use indexmap::IndexMap;

use crate::report::cases;
use crate::run::CaseResult;
use crate::run::Report;
use crate::run::State;
use catwalk_base::diag::Code;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_messages::Annotation;
use catwalk_messages::position;

/// What equal annotations of several cases have in common: file, line, column, title, message. Names of cases in messages are replaced.
type Key = (String, Option<(u32, u32)>, &'static str, String);

/// Adds an annotation: file, position, code, message.
type Add<'a> = &'a mut dyn FnMut(&str, Option<(u32, u32)>, Code, &str);

/// The annotations of a report; files are below `root`.
#[must_use]
pub fn annotations(report: &Report, root: &Path, sources: &SourceMap) -> Vec<Annotation> {
    let mut found: IndexMap<Key, (String, Vec<String>)> = IndexMap::new();
    let mut add = |name: &str, file: &str, position: Option<(u32, u32)>, code: Code, message: &str| {
        let key = (file.to_owned(), position, code.as_str(), message.replace(name, "\0"));
        found.entry(key).or_insert_with(|| (message.to_owned(), Vec::new())).1.push(name.to_owned());
    };
    for result in report.results.iter().filter(|result| !result.is_ok()) {
        annotate_case(result, root, sources, &mut |file, position, code, message| {
            add(&result.case.name, file, position, code, message);
        });
    }
    for case in &report.classified {
        for failure in &case.verdict.failures {
            add(&case.verdict.name, &case.source, Some((case.line, 0)), Code::UNMET_EXPECTATION, failure);
        }
    }
    let annotation = |((file, position, code, _), (message, names)): (Key, (String, Vec<String>))| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Annotation {
            file: (!file.is_empty()).then(|| root.join(&file)),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column).filter(|column| *column > 0),
            title: Some(code.to_owned()),
            ..Annotation::new(Severity::Error, format!("{}: {message}", cases(&names)))
        }
    };
    found.into_iter().map(annotation).collect()
}

/// Calls back for each problem of a case: file below the root, line and column (0: the whole line), code, message.
fn annotate_case(result: &CaseResult, root: &Path, sources: &SourceMap, add: Add<'_>) {
    let case = &result.case;
    let at_case = Some((case.line, 0));
    let below_root = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    // A case that should compile and does not: at the error in the code.
    if let Some(failure) = result.diagnostic.as_ref().filter(|_| case.expect.fails.is_none()) {
        let message = failure.message_with_source();
        let help = failure.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        return match position(failure, sources) {
            Some(at) => {
                add(&below_root(&at.file), Some((at.line, at.column)), failure.code, &format!("{message}{help}"));
            }
            None => add(&case.source, at_case, failure.code, &format!("{message}{help}")),
        };
    }
    for failure in &result.failures {
        add(&case.source, at_case, Code::UNMET_EXPECTATION, failure);
    }
    match &result.state {
        State::Changed(hunks) => {
            for hunk in hunks {
                let location = hunk.location.as_deref().and_then(|location| location.rsplit_once(':'));
                let position = location.and_then(|(file, line)| Some((file, Some((line.parse().ok()?, 0)))));
                let (file, position) = position.unwrap_or((&case.source, at_case));
                let message = format!("the catalog differs from its snapshot\n{}", hunk.text.trim_end());
                add(file, position, Code::SNAPSHOT_DIFFERS, &message);
            }
        }
        State::New(_) => add(&case.source, at_case, Code::SNAPSHOT_DIFFERS, "there is no snapshot yet"),
        State::Same | State::Accepted(_) | State::WithoutSnapshot => {}
    }
}
