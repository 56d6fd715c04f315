//! `catwalk eyaml check`: whether all encrypted values can be decrypted, and whether secrets are in clear.

use std::path::PathBuf;

use clap::Args;

use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::data::ListFormat;
use crate::cli::commands::eyaml::count;
use crate::cli::commands::eyaml::files;
use crate::cli::commands::eyaml::files::DataFile;
use crate::cli::commands::eyaml::keys::KeyArgs;
use crate::cli::commands::eyaml::keys::Keys;
use catwalk_base::diag::Reason;
use catwalk_hiera::eyaml::SensitiveKeys;
use catwalk_hiera::eyaml::blocks;
use catwalk_hiera::eyaml::has_hidden_block;
use catwalk_value::Value;
use catwalk_value::data::positions;
use catwalk_value::data::yaml;
use catwalk_world::Disk;

/// Arguments of `eyaml check`.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 nothing was found; 1 values were found; 2 a key or a file cannot be read")]
pub struct Check {
    /// Data files; of directories, their files .eyaml, .yaml and .yml that git does not ignore [default: the files that the
    /// site's hiera.yaml reaches]
    #[arg(value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,
    /// Format of the list
    #[arg(long, value_enum, default_value = "human")]
    pub format: ListFormat,
    #[command(flatten)]
    pub key_args: KeyArgs,
}

/// A value that is not as it should be.
struct Finding {
    kind: &'static str,
    file: String,
    line: usize,
    message: String,
}

/// What was checked.
#[derive(Default)]
struct Report {
    findings: Vec<Finding>,
    values: usize,
    files: usize,
}

/// Checks the files. Returns the exit code.
pub(super) fn run(args: &Check) -> Result<u8, Reason> {
    let world = Disk::new();
    let keys = Keys::open(&args.key_args, &world)?;
    let site = keys.files();
    if args.paths.is_empty() && site.is_empty() {
        let reason = Reason::usage("there are no data files: no hiera.yaml with levels for YAML was found");
        return Err(reason.help("name files or directories, or the site: --site DIR"));
    }
    let site = files::find(&site, &world)?.files;
    let named = files::find(&args.paths, &world)?.files;
    let files = if args.paths.is_empty() { &site } else { &named };
    let data: Vec<Option<Value>> = files.iter().map(|file| yaml::parse(&file.bytes).ok()).collect();
    let mut sensitive = SensitiveKeys::default();
    for file in site.iter().chain(&named) {
        if let Ok(Value::Hash(hash)) = yaml::parse(&file.bytes) {
            sensitive.add(&hash);
        }
    }
    let mut report = Report { files: files.len(), ..Report::default() };
    for (file, data) in files.iter().zip(&data) {
        report.check_values(file, data.as_ref(), &keys)?;
        report.check_clear(file, data.as_ref(), &sensitive);
    }
    report.findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    match args.format {
        ListFormat::Human => print(&for_people(&report.render_human()))?,
        ListFormat::Json => print(&report.render_json())?,
    }
    Ok(u8::from(!report.findings.is_empty()))
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

    fn render_human(&self) -> String {
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

    fn render_json(&self) -> String {
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
