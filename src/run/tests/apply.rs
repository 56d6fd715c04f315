//! A run of `apply` through the interface of the crate: without options of commands and without a terminal.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::sync::Arc;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::diag::group::Group;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::secrets::Secrets;
use catwalk_base::source::SourceMap;
use catwalk_messages::MessageLog;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_run::ApplyOptions;
use catwalk_run::RunLog;
use catwalk_run::Services;
use catwalk_session::Options;
use catwalk_value::Hash;

/// Records the messages of a run.
#[derive(Default)]
struct Recorder {
    lines: Vec<String>,
}

impl Log for Recorder {
    fn log(&mut self, _: Level, source: Option<&str>, message: &str) {
        self.lines.push(format!("{}{message}", source.map(|source| format!("{source}: ")).unwrap_or_default()));
    }

    fn wants(&self, level: Level) -> bool {
        !matches!(level, Level::Debug | Level::Info)
    }
}

impl RunLog for Recorder {
    fn print_from(&mut self, _: Option<Severity>) {}

    fn hide(&mut self, _: &Secrets) {}

    fn follow(&mut self, _: &Arc<SecretCollection>) {}

    fn secrets(&mut self) -> Arc<Secrets> {
        Arc::default()
    }

    fn print(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    fn error(&mut self, error: &Diagnostic, _: &SourceMap, _: Option<&str>) {
        self.lines.push(error.message.to_string());
    }

    fn usage(&mut self, reason: Reason) {
        self.lines.push(reason.message.into_owned());
    }

    fn show_progress(&mut self, _: usize, _: usize) {}

    fn end_progress(&mut self) {}
}

/// Receives no message: nothing is submitted.
struct NoMessages;

impl MessageLog for NoMessages {
    fn text(&self, _: &Group<'_>, _: &SourceMap) -> String {
        String::new()
    }

    fn write_group(&self, _: &Group<'_>, _: &SourceMap) {}

    fn report(&self, _: &Diagnostic) {}

    fn note(&self, _: &str) {}

    fn line(&self, _: &str, _: &serde_json::Value) {}
}

/// Applies code. Returns the exit code and the messages.
fn apply(code: String, options: ApplyOptions) -> (u8, Vec<String>) {
    let run = move || {
        let mut log = Recorder::default();
        let site = Options { code: Some(code), fact_set: Some(Arc::new(Hash::new())), ..Options::default() };
        let services = Services { submission: &|_| Ok(None), messages: &NoMessages, is_interrupted: &|| false };
        let options = ApplyOptions { certname: Some("web1".to_owned()), ..options };
        (catwalk_run::apply(&options, || Ok(site), &services, &mut log), log.lines)
    };
    catwalk_base::stack::with_large(run).unwrap()
}

#[test]
fn a_catalog_is_compiled_and_applied() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap().join("motd");
    let code = || format!("file {{ '{}': content => \"welcome\\n\" }}", path.display());
    let (noop, _) = apply(code(), ApplyOptions { noop: true, ..ApplyOptions::default() });
    assert_eq!(noop, 0);
    assert!(!path.exists());
    let report = directory.path().join("report.json");
    let options = ApplyOptions {
        report: catwalk_run::ReportOptions { file: Some(report.clone()), ..Default::default() },
        ..ApplyOptions::default()
    };
    let (changed, lines) = apply(code(), options);
    assert_eq!(changed, 2, "{lines:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "welcome\n");
    assert!(lines.iter().any(|line| line.starts_with("Applied catalog in")), "{lines:?}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    assert_eq!(report["status"], "changed");
    let (unchanged, _) = apply(code(), ApplyOptions::default());
    assert_eq!(unchanged, 0);
}
