//! The small sites of `tests/cases`: compiles every node and compares the catalog, order included, with Puppet's recorded one,
//! and its PuppetDB format where that is recorded, too. `EXPECTED=DIR` compares with the files that
//! `tests/reference/record --to DIR` wrote.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_base::version::Version;
use catwalk_catalog::Catalog;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::secret_key::KeySource;
use catwalk_world::Disk;
use libtest_mimic::Failed;
use libtest_mimic::Trial;

/// The major versions that answers are recorded of.
const VERSIONS: std::ops::RangeInclusive<u32> = 7..=9;

/// Tests for each node of each site: `cases::SITE::NODE` for the oldest version that the site is about, `cases::SITE::NODE (8)` for later ones.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for site in directories(&crate::folder("cases")) {
        let case = name(&site);
        for facts in files(&site.join("nodes")) {
            let certname = name(&facts).trim_end_matches(".json").to_owned();
            let oldest = oldest(&site);
            for major in VERSIONS.filter(|major| *major >= oldest) {
                let version = if major == oldest { String::new() } else { format!(" ({major})") };
                let (site, certname) = (site.clone(), certname.clone());
                trials.push(Trial::test(format!("cases::{case}::{certname}{version}"), move || {
                    // Some cases recurse deeper than the stack of a test thread allows.
                    let run = move || check(&site, &certname, major);
                    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run).unwrap();
                    thread.join().unwrap_or_else(|_| Err(Failed::from("panicked")))
                }));
            }
        }
    }
    trials
}

/// The oldest version that a site is about.
fn oldest(site: &Path) -> u32 {
    let version = std::fs::read_to_string(site.join("puppet")).ok();
    version.map_or(*VERSIONS.start(), |version| version.trim().parse().unwrap())
}

/// The directory with the answers of a version for a node: those of the newest one that is not newer.
fn answers(site: &Path, certname: &str, major: u32) -> PathBuf {
    let expected = site.join("expected");
    let later = (oldest(site) + 1..=major).rev().map(|version| expected.join(version.to_string()));
    let has_answer =
        |folder: &PathBuf| ["json", "error"].iter().any(|it| folder.join(format!("{certname}.{it}")).exists());
    later.into_iter().find(has_answer).unwrap_or(expected)
}

fn directories(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

fn files(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// The result of a compile in the format of the recorded answers.
struct Answer {
    catalog: Result<String, String>,
    /// The catalog in wire format 4, or the error of PuppetDB's terminus; `None` without a catalog.
    wire4: Option<Result<String, String>>,
    log: String,
}

fn check(site: &Path, certname: &str, major: u32) -> Result<(), Failed> {
    let answered = std::env::var_os("EXPECTED").map(PathBuf::from);
    let version = answered.as_ref().map_or(major, |path| oldest(path));
    let answer = answer(site, certname, version)?;
    let folder = answered.map_or_else(|| answers(site, certname, major), |path| path.join(name(site)));
    let catalog = folder.join(format!("{certname}.json"));
    let mut problems = Vec::new();
    if catalog.exists() {
        let expected = pretty(&std::fs::read_to_string(&catalog).unwrap());
        match answer.catalog {
            Ok(got) if got == expected => {}
            Ok(got) => problems.push(difference(&expected, &got)),
            Err(error) => problems.push(format!("compiles in the reference, here: {error}")),
        }
    } else {
        let expected = std::fs::read_to_string(folder.join(format!("{certname}.error"))).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
        let expected = error_text(&expected);
        match answer.catalog {
            Err(got) if got == expected => {}
            Err(got) => problems.push(format!("expected: {expected}\n   got: {got}")),
            Ok(_) => problems.push(format!("expected: {expected}\n   got: a catalog")),
        }
    }
    problems.extend(answer.wire4.and_then(|got| wire4_problem(&folder, certname, got)));
    let log = std::fs::read_to_string(folder.join(format!("{certname}.log"))).unwrap_or_default();
    if log != answer.log {
        problems.push(format!("log: {}", difference(&log, &answer.log)));
    }
    if problems.is_empty() { Ok(()) } else { Err(Failed::from(problems.join("\n"))) }
}

/// How the catalog for PuppetDB differs from the recorded one, if one is recorded.
fn wire4_problem(folder: &Path, certname: &str, got: Result<String, String>) -> Option<String> {
    let recorded = |suffix: &str| std::fs::read_to_string(folder.join(format!("{certname}.wire4.{suffix}"))).ok();
    let problem = match (recorded("json"), recorded("error"), got) {
        (None, None, _) => return None,
        (Some(expected), _, Ok(got)) => {
            let expected = pretty(&expected);
            if is_same_except_secrets(&got, &expected) {
                return None;
            }
            difference(&expected, &got)
        }
        (_, Some(expected), Err(got)) => {
            let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
            if expected["message"].as_str() == Some(&got) {
                return None;
            }
            format!("expected: {expected}, got: {got}")
        }
        (Some(_), _, Err(error)) => format!("PuppetDB's terminus accepts it, here: {error}"),
        (None, Some(expected), Ok(_)) => format!("expected: {expected}, got: a catalog"),
    };
    Some(format!("wire4: {problem}"))
}

/// Whether all lines are equal. A secret token matches any string, because Puppet's terminus sends unwrapped secrets in clear text.
fn is_same_except_secrets(got: &str, expected: &str) -> bool {
    let is_same = |(got, expected): (&str, &str)| match got.split_once("<Sensitive>") {
        None => got == expected,
        Some((before, _)) => {
            let after = got.rsplit("<Sensitive>").next().unwrap_or_default();
            expected.starts_with(before) && expected.ends_with(after)
        }
    };
    got.lines().count() == expected.lines().count() && got.lines().zip(expected.lines()).all(is_same)
}

/// The JSON document in serde's layout.
fn pretty(json: &str) -> String {
    serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(json).unwrap()).unwrap()
}

fn error_text(error: &serde_json::Value) -> String {
    let mut text = error["message"].as_str().unwrap().to_owned();
    for key in ["file", "line", "pos"] {
        match &error[key] {
            serde_json::Value::Null => {}
            serde_json::Value::String(value) => text.push_str(&format!(" | {value}")),
            value => text.push_str(&format!(" | {value}")),
        }
    }
    text
}

fn answer(site: &Path, certname: &str, version: u32) -> Result<Answer, Failed> {
    let enc = site.join("enc");
    let options = Options {
        root: Some(site.to_path_buf()),
        facts: Some(site.join("nodes").join(format!("{certname}.json"))),
        server_facts: Some(site.join(format!("../server_facts_{version}.json"))),
        puppet: Version::find(&version.to_string()),
        set: settings(site),
        enc: enc.exists().then_some(enc),
        // Secrets are compared without digests, even if a run has left a key in the case.
        key: KeySource::Variable,
        ..Options::default()
    };
    let failed = |what: &dyn std::fmt::Debug| Failed::from(format!("{what:?}"));
    let session = Session::open(options, Arc::new(Disk::new())).map_err(|error| failed(&error))?;
    let compiled = session.compile(certname);
    let log = log(&compiled.logs, site);
    let wire4 = compiled.result.as_ref().ok().map(|catalog| wire4(catalog, site));
    let catalog = match compiled.result {
        Err(error) => Err(error_line(&error, site, session.sources())),
        Ok(catalog) => {
            let mut document = catwalk_formats::wire::native::document(&catalog).map_err(|error| failed(&error))?;
            document["version"] = serde_json::Value::Null;
            document["catalog_uuid"] = serde_json::Value::Null;
            let text = serde_json::to_string_pretty(&document).unwrap();
            Ok(text.replace(&site.display().to_string(), "{{SITE}}"))
        }
    };
    Ok(Answer { catalog, wire4, log })
}

/// The lines `name=value` of a case's file `settings`.
fn settings(site: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(site.join("settings")).unwrap_or_default();
    text.lines().filter_map(|line| line.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

fn wire4(catalog: &Catalog, site: &Path) -> Result<String, String> {
    let mut document =
        catwalk_formats::wire::puppetdb::document_of_version_4(catalog).map_err(|reason| reason.message.to_string())?;
    document["version"] = serde_json::Value::Null;
    document["transaction-uuid"] = serde_json::Value::Null;
    let text = serde_json::to_string_pretty(&document).unwrap();
    Ok(text.replace(&site.display().to_string(), "{{SITE}}"))
}

/// An error in the format of the recorded ones: message, file, line, column.
fn error_line(error: &Diagnostic, site: &Path, sources: &SourceMap) -> String {
    let mut text = error.message.to_string();
    if let Some((source, line, column)) = error.span.and_then(|span| sources.locate(span)) {
        text.push_str(&format!(" | {}", source.name));
        if !error.hide_line {
            text.push_str(&format!(" | {line}"));
        }
        if !error.hide_line && !error.hide_column {
            text.push_str(&format!(" | {column}"));
        }
    }
    text.replace(&site.display().to_string(), "{{SITE}}")
}

fn log(logs: &[Diagnostic], site: &Path) -> String {
    let mut text = String::new();
    // Other levels are not recorded.
    // In Puppet the agent detects dependency cycles.
    let recorded = |entry: &&Diagnostic| {
        matches!(entry.severity, Severity::Notice | Severity::Warning) && entry.code.as_str() != "DEPENDENCY_CYCLE"
    };
    for entry in logs.iter().filter(recorded) {
        text.push_str(&format!("{}: {}\n", entry.severity.as_str(), entry.message));
    }
    text.replace(&site.display().to_string(), "{{SITE}}")
}

/// The first lines that differ, with the line before them.
fn difference(expected: &str, got: &str) -> String {
    let (expected, got): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), got.lines().collect());
    let at = expected.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(expected.len().min(got.len()));
    let part = |lines: &[&str]| {
        lines.iter().skip(at.saturating_sub(3)).take(9).map(|l| format!("  {l}\n")).collect::<String>()
    };
    format!("differs at line {}\nwanted:\n{}got:\n{}", at + 1, part(&expected), part(&got))
}
