//! A report processor in Rhai: `fn report(report)`.
//!
//! In: a script, a report as a hash. Out: a message for the log. The script runs without a compile.

use std::path::Path;
use std::path::PathBuf;

use crate::server_script::ServerScript;
use catwalk_value::Value;
use catwalk_world::World;

/// A script that processes reports.
pub struct RhaiReport(ServerScript);

impl RhaiReport {
    /// Reads a script.
    ///
    /// # Errors
    /// It cannot be read or parsed, or lacks the function: a message with the position.
    pub fn open(path: PathBuf, world: &dyn World) -> Result<RhaiReport, String> {
        ServerScript::open(path, "report(report)", world).map(RhaiReport)
    }

    /// The path of the script.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Processes a report. Returns the string that the script returns.
    ///
    /// # Errors
    /// The script fails, or returns a value of a different type: a message with the position.
    pub fn process(&self, report: &Value, world: &dyn World) -> Result<Option<String>, String> {
        match self.0.call(report, world)? {
            Value::Undef => Ok(None),
            value => match value.as_str() {
                Some(message) => Ok(Some(message.to_owned())),
                None => Err(self.0.message("report(report) returns neither () nor a message as a string")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use catwalk_value::Hash;
    use catwalk_world::Memory;

    fn process(script: &str) -> Result<Option<String>, String> {
        let world = Memory::new([("/report.rhai", script)]);
        let processor = RhaiReport::open(PathBuf::from("/report.rhai"), &world)?;
        let line: Hash = [(Value::str("level"), Value::str("err")), (Value::str("message"), Value::str("no disk"))]
            .into_iter()
            .collect();
        let report: Hash = [
            (Value::str("host"), Value::str("a.example.com")),
            (Value::str("status"), Value::str("failed")),
            (Value::str("logs"), Value::array(vec![Value::hash(line)])),
        ]
        .into_iter()
        .collect();
        processor.process(&Value::hash(report), &world)
    }

    #[test]
    fn a_script_turns_a_report_into_a_message() {
        let script = r#"
            fn report(report) {
                if report.status != "failed" { return; }
                let errors = report.logs.filter(|line| line.level == "err").map(|line| line.message);
                `${report.host}: ${errors[0]}`
            }"#;
        assert_eq!(process(script), Ok(Some("a.example.com: no disk".to_owned())));
        assert_eq!(process("fn report(r) { }"), Ok(None));
        for (wrong, message) in [
            ("fn report(r) { 1 }", "neither () nor"),
            ("fn other(r) { }", "no function report(report)"),
            ("fn report() { }", "no function report(report)"),
            ("fn report(r) { throw \"broken\" }", "broken"),
            ("fn report(r) {", "/report.rhai"),
            ("fn report(r) { loop {} }", "/report.rhai"),
        ] {
            let failure = process(wrong).unwrap_err();
            assert!(failure.contains(message), "{wrong}: {failure}");
        }
    }
}
