//! Whether all encrypted values can be decrypted, and whether secrets are in clear.

use std::path::PathBuf;

use crate::count;
use crate::files;
use crate::files::DataFile;
use crate::keys::Keys;
use catwalk_base::diag::Reason;
use catwalk_hiera::eyaml::SensitiveKeys;
use catwalk_hiera::eyaml::blocks;
use catwalk_hiera::eyaml::has_hidden_block;
use catwalk_value::Value;
use catwalk_value::data::positions;
use catwalk_value::data::yaml;
use catwalk_world::Disk;

/// A value that is not as it should be.
pub struct Finding {
    /// What is wrong, as one word.
    pub kind: &'static str,
    /// The file, for messages.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// What was checked.
#[derive(Default)]
pub struct Report {
    /// What was found, by file and line.
    pub findings: Vec<Finding>,
    /// The number of encrypted values.
    pub values: usize,
    /// The number of files.
    pub files: usize,
}

/// Checks files, and the data files below directories; without paths those that hiera.yaml reaches.
///
/// # Errors
/// There are no files, or a file or a key cannot be read.
pub fn check(paths: &[PathBuf], keys: &Keys<'_>, world: &Disk) -> Result<Report, Reason> {
    let site = keys.files();
    if paths.is_empty() && site.is_empty() {
        let reason = Reason::usage("there are no data files: no hiera.yaml with levels for YAML was found");
        return Err(reason.help("name files or directories, or the site: --site DIR"));
    }
    let site = files::find(&site, keys.here(), world)?.files;
    let named = files::find(paths, keys.here(), world)?.files;
    let files = if paths.is_empty() { &site } else { &named };
    let data: Vec<Option<Value>> = files.iter().map(|file| yaml::parse(&file.bytes).ok()).collect();
    let mut sensitive = SensitiveKeys::default();
    for file in site.iter().chain(&named) {
        if let Ok(Value::Hash(hash)) = yaml::parse(&file.bytes) {
            sensitive.add(&hash);
        }
    }
    let mut report = Report { files: files.len(), ..Report::default() };
    for (file, data) in files.iter().zip(&data) {
        report.check_values(file, data.as_ref(), keys)?;
        report.check_clear(file, data.as_ref(), &sensitive);
    }
    report.findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(report)
}

impl Report {
    fn add(&mut self, kind: &'static str, file: &DataFile, line: usize, message: impl Into<String>) {
        self.findings.push(Finding { kind, file: file.shown(), line, message: message.into() });
    }

    /// Decrypts the values of a file.
    fn check_values(&mut self, file: &DataFile, data: Option<&Value>, keys: &Keys<'_>) -> Result<(), Reason> {
        let blocks = blocks(&file.bytes);
        if data.is_none() {
            self.add("unreadable", file, 1, "it is not YAML; `catwalk check` shows the line");
        }
        if data.is_some_and(|data| has_hidden_block(&blocks, data)) {
            self.add(
                "escaped",
                file,
                1,
                "an encrypted value is written with escapes: `catwalk eyaml` does not find it",
            );
        }
        let Some(first) = blocks.first() else { return Ok(()) };
        self.values += blocks.len();
        let mut levels = keys.readers(&file.path).peekable();
        if levels.peek().is_some() && levels.all(|level| !level.decrypts) {
            let text = "no level with `lookup_key: eyaml_lookup_key` reads this file: lookups return ENC[…] as it is";
            self.add("level", file, file.line(first.start), text);
        }
        let private = keys.private(Some(&file.path))?;
        for block in &blocks {
            if let Err(why) = private.decrypt(block) {
                self.add(
                    "undecryptable",
                    file,
                    file.line(block.start),
                    format!("the value cannot be decrypted: {why}"),
                );
            }
        }
        // Without a public key nothing can be encrypted, but all can be decrypted.
        if keys.public(Some(&file.path)).is_ok_and(|public| !private.belong_to(&public)) {
            let text = "the public and the private key do not belong together: new values could not be decrypted";
            self.add("keys", file, file.line(first.start), text);
        }
        Ok(())
    }

    /// Finds values in clear that lookups convert to `Sensitive`.
    fn check_clear(&mut self, file: &DataFile, data: Option<&Value>, sensitive: &SensitiveKeys) {
        let Some(Value::Hash(hash)) = data else { return };
        let text = String::from_utf8_lossy(&file.bytes);
        for key in sensitive.in_clear(hash) {
            let line = positions::find(&text, &[key]).map_or(1, |(line, _)| line);
            self.add("clear", file, line, format!("{key} is in clear; `lookup_options` convert it to Sensitive"));
        }
    }

    /// The problems for people.
    #[must_use]
    pub fn render_human(&self) -> String {
        let mut text = String::new();
        for Finding { file, line, message, .. } in &self.findings {
            text.push_str(&format!("{file}:{line}: {message}\n"));
        }
        let (values, files) = (count(self.values, "encrypted value"), count(self.files, "file"));
        text.push_str(&format!(
            "{values} in {files}: {}",
            match self.findings.len() {
                0 => "no problem".to_owned(),
                number => count(number, "problem"),
            }
        ));
        text
    }

    /// The problems as JSON.
    #[must_use]
    pub fn render_json(&self) -> String {
        let findings: Vec<serde_json::Value> = self
            .findings
            .iter()
            .map(|finding| {
                serde_json::json!({
                    "kind": finding.kind,
                    "file": finding.file,
                    "line": finding.line,
                    "message": finding.message,
                })
            })
            .collect();
        let document = serde_json::json!({ "problems": findings, "values": self.values, "files": self.files });
        serde_json::to_string_pretty(&document).unwrap_or_default()
    }
}
