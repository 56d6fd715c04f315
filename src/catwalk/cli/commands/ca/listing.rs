//! `catwalk ca list`: requests and certificates as `puppetserver ca list` prints them.

use clap::Args;
use clap::ValueEnum;
use serde_json::Value;
use serde_json::json;

use super::Target;
use super::inform_lines;
use super::names::Report;
use catwalk_authority::Statuses;
use catwalk_base::diag::visible;

/// Arguments of `ca list`.
#[derive(Args, Debug)]
pub struct List {
    #[command(flatten)]
    pub target: Target,
    /// List signed and revoked certificates, too
    #[arg(long, conflicts_with = "certname")]
    pub all: bool,
    /// List these nodes only
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    pub certname: Vec<String>,
    /// The format of the list
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Formats of the list.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Lines for people
    #[default]
    Text,
    /// The documents of the HTTP API by state
    Json,
}

/// The longest name that others are aligned with: longer ones are no certnames.
const MAX_NAME: usize = 240;

/// Certificates by their state, and names that have none.
#[derive(Default)]
struct Listed {
    groups: [(&'static str, Vec<Value>); 3],
    missing: Vec<String>,
}

/// Lists requests and certificates. The exit code is 1 if a named node has none, or a file cannot be read.
pub(super) fn list(args: &List, report: &mut Report) -> Result<u8, String> {
    let Statuses { documents: statuses, unreadable } = args.target.open()?.statuses()?;
    let is_named =
        |status: &Value| args.certname.is_empty() || args.certname.iter().any(|name| status["name"] == name.as_str());
    let shown: Vec<Value> = statuses.into_iter().filter(is_named).collect();
    let in_state = |state: &str| shown.iter().filter(|status| status["state"] == state).cloned().collect::<Vec<_>>();
    let is_complete = args.all || !args.certname.is_empty();
    let others = |state: &str| if is_complete { in_state(state) } else { Vec::new() };
    let groups = [("requested", in_state("requested")), ("signed", others("signed")), ("revoked", others("revoked"))];
    let missing = args.certname.iter().filter(|name| !shown.iter().any(|status| status["name"] == name.as_str()));
    let listed = Listed { groups, missing: missing.cloned().collect() };
    inform_lines(&match args.format {
        Format::Text => text(&listed),
        Format::Json => vec![visible::json(&document(&listed, args.all).to_string()).into_owned()],
    })?;
    // One file that cannot be read does not hide the others.
    unreadable.iter().for_each(|why| report.fail(why));
    Ok(report.code().max(u8::from(!listed.missing.is_empty())))
}

fn document(listed: &Listed, all: bool) -> Value {
    let mut document = serde_json::Map::new();
    for (state, statuses) in &listed.groups {
        if all || !statuses.is_empty() {
            document.insert((*state).to_owned(), json!(statuses));
        }
    }
    if !all && !listed.missing.is_empty() {
        document.insert("missing".to_owned(), json!(listed.missing));
    }
    if document.is_empty() {
        document.insert("requested".to_owned(), json!([]));
    }
    Value::Object(document)
}

fn text(listed: &Listed) -> Vec<String> {
    let mut lines = Vec::new();
    for (state, statuses) in listed.groups.iter().filter(|(_, statuses)| !statuses.is_empty()) {
        let mut title = (*state).to_owned();
        title.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
        lines.push(format!("{title} Certificates:"));
        let name = |status: &Value| status["name"].as_str().unwrap_or_default().to_owned();
        // A server may send names of any length.
        let width = statuses.iter().map(|status| name(status).len()).max().unwrap_or(0).min(MAX_NAME) + 6;
        lines.extend(statuses.iter().map(|status| line(&name(status), width, status)));
    }
    if !listed.missing.is_empty() {
        lines.push("Missing Certificates:".to_owned());
        lines.extend(listed.missing.iter().map(|name| format!("    {name}")));
    }
    if lines.is_empty() {
        lines.push("No certificates to list".to_owned());
    }
    lines
}

fn line(name: &str, width: usize, status: &Value) -> String {
    let fingerprint = status["fingerprints"]["SHA256"].as_str().unwrap_or_default();
    let mut line = format!("    {name:width$} (SHA256)  {fingerprint}");
    let names = status["subject_alt_names"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        line.push_str(&format!("\talt names: [{}]", names.join(", ")));
    }
    let extensions = status["authorization_extensions"].as_object();
    if let Some(extensions) = extensions.filter(|extensions| !extensions.is_empty()) {
        let pairs: Vec<String> =
            extensions.iter().map(|(name, value)| format!("{name}: {}", value.as_str().unwrap_or_default())).collect();
        line.push_str(&format!("\tauthorization extensions: [{}]", pairs.join(", ")));
    }
    line
}
